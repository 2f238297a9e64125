//! What a feed says about when to refresh it.

use super::survey::Extras;
use crate::model::Hints;

/// Collects the hints of an XML feed.
pub(crate) fn hints(extras: &Extras, ttl: Option<u32>) -> Hints {
    let mut hints = Hints { ttl_minutes: ttl.filter(|minutes| *minutes > 0), ..Hints::default() };
    let hours = extras.all("hour").filter_map(|hour| hour.parse::<u8>().ok());
    hints.skip_hours = hours.filter(|hour| *hour <= 24).map(|hour| hour % 24).collect();
    hints.skip_hours.sort_unstable();
    hints.skip_hours.dedup();
    hints.skip_days = extras.all("day").filter_map(weekday).collect();
    hints.skip_days.sort_unstable();
    hints.skip_days.dedup();
    hints.update_period_seconds = update_period(extras);
    hints.archive = extras.fields.iter().any(|field| field.name == "fh:archive");
    hints.complete = extras.fields.iter().any(|field| field.name == "fh:complete");
    hints
}

/// `sy:updatePeriod` (default daily) divided by `sy:updateFrequency` (default 1).
fn update_period(extras: &Extras) -> Option<u64> {
    let period = extras.all("sy:updatePeriod").next();
    let frequency = extras.all("sy:updateFrequency").next();
    if period.is_none() && frequency.is_none() {
        return None;
    }
    let seconds: u64 = match period.unwrap_or("daily").to_ascii_lowercase().as_str() {
        "hourly" => 3_600,
        "daily" => 86_400,
        "weekly" => 604_800,
        "monthly" => 2_592_000,
        "yearly" => 31_536_000,
        _ => return None,
    };
    let times: u64 = frequency.and_then(|text| text.parse().ok()).unwrap_or(1);
    Some((seconds / times.max(1)).max(1))
}

fn weekday(text: &str) -> Option<u8> {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let text = text.to_ascii_lowercase();
    let found = DAYS.iter().position(|day| text.starts_with(day))?;
    u8::try_from(found).ok()
}
