//! Reasons in words, and the keys of the configuration that change them.

use pergola_api::Instant;
use pergola_api::next::{Reason as Told, ReasonKind};
use pergola_config::{BudgetRule, Config};
use pergola_manners::courtesy::Cause;
use pergola_manners::why::{Reason, Why};

/// A reason as the API tells it. `host` is the host or domain whose floor holds, if it is not the usual one.
pub(super) fn told(reason: &Reason, host: Option<String>, config: &Config) -> Told {
    let (kind, detail) = match reason.why {
        Why::Held(cause) => (kind_of(cause), sentence(cause, host.as_deref())),
        Why::UnderWay => (
            ReasonKind::UnderWay,
            "it is being refreshed, or waits until its site may be asked".to_owned(),
        ),
        Why::NeverRefreshed => (
            ReasonKind::NeverRefreshed,
            "it was never refreshed, so it is among the next".to_owned(),
        ),
        Why::SiteQuiet => {
            (ReasonKind::SiteQuiet, "several addresses of its site asked for quiet".to_owned())
        }
        Why::Watched => (
            ReasonKind::Watched,
            "the node that publishes it says at once when it has news; this is only a safety net"
                .to_owned(),
        ),
        Why::Hub => {
            (ReasonKind::Pushed, "its hub pushes its news; this is only a safety net".to_owned())
        }
        Why::Worth { now, least } => (
            ReasonKind::Threshold,
            format!(
                "a refresh is worth {} now and must be worth {} at this budget ({})",
                number(now),
                number(least),
                budget(config)
            ),
        ),
        Why::Planned => (
            ReasonKind::Planned,
            format!("earlier it would not be worth a refresh at this budget ({})", budget(config)),
        ),
        Why::SetBefore => (
            ReasonKind::SetBefore,
            "an earlier version set this time, or the node had trouble of its own".to_owned(),
        ),
    };
    let until = reason.until.filter(|until| until.is_finite());
    Told {
        reason: kind,
        until: until.map(Instant::from_unix),
        detail,
        key: key(reason.why, host, config),
    }
}

fn kind_of(cause: Cause) -> ReasonKind {
    match cause {
        Cause::Ended { .. } => ReasonKind::Ended,
        Cause::Halted => ReasonKind::Paused,
        Cause::Quiet { .. } => ReasonKind::Quiet,
        Cause::RetryAfter => ReasonKind::RetryAfter,
        Cause::MaxAge { .. } => ReasonKind::MaxAge,
        Cause::Period { .. } => ReasonKind::Ttl,
        Cause::SkippedTimes => ReasonKind::SkippedTimes,
        Cause::Floor { .. } => ReasonKind::Floor,
        Cause::BackOff { .. } => ReasonKind::BackOff,
    }
}

fn sentence(cause: Cause, host: Option<&str>) -> String {
    match cause {
        Cause::Ended { status } => format!("it has ended (the site answered {status})"),
        Cause::Halted => {
            "it was paused by hand; nothing is asked of it until it is resumed".to_owned()
        }
        Cause::Quiet { status: Some(status), named: true } => {
            format!("the site answered {status} and asked for quiet (Retry-After)")
        }
        Cause::Quiet { status: Some(status), named: false } => {
            format!("the site answered {status} and did not say for how long")
        }
        Cause::Quiet { status: None, .. } => {
            "the node that publishes it has too many requests and asked for quiet".to_owned()
        }
        Cause::RetryAfter => "the site asked for it with its last answer (Retry-After)".to_owned(),
        Cause::MaxAge { seconds } => format!("the site asked for it (max-age {seconds:.0})"),
        Cause::Period { seconds } => {
            format!("the feed asks for it (ttl or update period, {})", span(seconds))
        }
        Cause::SkippedTimes => {
            "the feed asks not to be fetched at that time (skipHours, skipDays)".to_owned()
        }
        Cause::Floor { seconds, known } => {
            let place = host.map(|host| format!(" at {host}")).unwrap_or_default();
            let more = if known { "" } else { ", unless its history justifies more" };
            format!("this node asks a source{place} once in {} at most{more}", span(seconds))
        }
        Cause::BackOff { kind, failures: 1 } => {
            format!("the last refresh failed ({})", kind.name())
        }
        Cause::BackOff { kind, failures } => format!(
            "the last {failures} refreshes failed ({}), and it waits longer after each",
            kind.name()
        ),
    }
}

/// The key that changes a reason; most of what a site asks for cannot be changed.
fn key(why: Why, host: Option<String>, config: &Config) -> Option<String> {
    Some(match why {
        Why::Held(Cause::Floor { known, .. }) => match host {
            Some(host) => format!("hosts.\"{host}\".floor"),
            None if known => "crawl.floor_known".to_owned(),
            None => "crawl.floor".to_owned(),
        },
        Why::Worth { .. } | Why::Planned => match config.budget.rule {
            BudgetRule::Refreshes { .. } => "budget.refreshes_per_minute".to_owned(),
            BudgetRule::Bytes { .. } => "budget.bytes_per_hour".to_owned(),
            BudgetRule::Freshness { .. } => "budget.freshness".to_owned(),
        },
        Why::Watched => "peers.cooperate".to_owned(),
        Why::Hub => "websub.subscribe".to_owned(),
        _ => return None,
    })
}

fn budget(config: &Config) -> String {
    match config.budget.rule {
        BudgetRule::Refreshes { per_minute } => format!("{per_minute} refreshes a minute"),
        BudgetRule::Bytes { per_hour } => format!("{per_hour} bytes an hour"),
        BudgetRule::Freshness { at_least, .. } => format!("a freshness of {at_least}"),
    }
}

/// Three digits, however large or small the number is.
fn number(worth: f64) -> String {
    match worth {
        worth if worth == 0.0 || (0.01..10_000.0).contains(&worth) => format!("{worth:.2}"),
        worth => format!("{worth:.2e}"),
    }
}

fn span(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use pergola_manners::courtesy::FailureKind;

    use super::*;

    fn tell(why: Why, host: Option<&str>) -> (String, Option<String>) {
        let reason = Reason { why, until: Some(f64::INFINITY) };
        let told = told(&reason, host.map(str::to_owned), &Config::default());
        assert_eq!(told.until, None);
        (told.detail, told.key)
    }

    #[test]
    fn a_floor_names_the_key_that_sets_it() {
        let floor = |known| Why::Held(Cause::Floor { seconds: 3_600.0, known });
        let (detail, key) = tell(floor(false), None);
        assert_eq!(
            detail,
            "this node asks a source once in 60 min at most, unless its history justifies more"
        );
        assert_eq!(key.as_deref(), Some("crawl.floor"));
        assert_eq!(tell(floor(true), None).1.as_deref(), Some("crawl.floor_known"));
        let (detail, key) = tell(floor(true), Some("a.example"));
        assert!(detail.contains("at a.example"), "{detail}");
        assert_eq!(key.as_deref(), Some("hosts.\"a.example\".floor"));
    }

    #[test]
    fn what_a_site_asks_for_is_told_in_its_own_words() {
        let said = |cause| tell(Why::Held(cause), None);
        let (detail, key) = said(Cause::MaxAge { seconds: 3_600.0 });
        assert_eq!((detail.as_str(), key), ("the site asked for it (max-age 3600)", None));
        let (detail, _) = said(Cause::Quiet { status: Some(429), named: true });
        assert_eq!(detail, "the site answered 429 and asked for quiet (Retry-After)");
        let (detail, _) = said(Cause::BackOff { kind: FailureKind::Dns, failures: 3 });
        assert_eq!(detail, "the last 3 refreshes failed (dns), and it waits longer after each");
    }

    #[test]
    fn the_threshold_is_told_with_the_budget_that_moves_it() {
        let (detail, key) = tell(Why::Worth { now: 0.4, least: 0.9 }, None);
        let expected = "a refresh is worth 0.40 now and must be worth 0.90 at this budget (30 \
                        refreshes a minute)";
        assert_eq!(detail, expected);
        assert_eq!(key.as_deref(), Some("budget.refreshes_per_minute"));
        assert!(tell(Why::Worth { now: 3.21e-7, least: 1e9 }, None).0.contains("3.21e-7"));
    }
}
