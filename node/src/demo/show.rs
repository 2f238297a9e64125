//! How the demonstration reads on a terminal of eighty columns, with colours and without.

use std::io::IsTerminal;

use pergola_feed::Timestamp;
use serde::Serialize;

use super::watch::{Arrival, State};

/// Writes lines for people, or JSON objects for programs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Show {
    json: bool,
    colours: bool,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    Started { page: &'a str, newsroom: &'a str },
    Item(&'a Arrival),
    State(&'a State),
    Summary(&'a State),
}

impl Show {
    pub(super) fn new(json: bool) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { json, colours: !json && wanted && std::io::stdout().is_terminal() }
    }

    pub(super) fn is_json(self) -> bool {
        self.json
    }

    pub(super) fn started(self, base: &str, newsroom: &str, speed: f64) {
        if self.json {
            return print(&Event::Started { page: base, newsroom });
        }
        let bold = |text: &str| self.painted("1", text);
        println!("{}", bold("Pergola: forty sources, one node, five feeds, all on this machine"));
        println!();
        println!("  A day passes in {:.0} s. Open or try, in another terminal:", 86_400.0 / speed);
        println!();
        println!("    {}", bold(base));
        println!("    curl {base}/feeds/Volcanoes.atom");
        println!("    curl {base}/feeds/Sport.rss");
        println!("    curl {base}/feeds/Code.json");
        println!("    pergola --node {base} status");
        println!("    echo {base}/feeds/Sport.atom > urls && newsboat -u urls");
        println!("    curl {newsroom}/truth    what the sources really published");
        println!();
        println!("  Ctrl-C stops it and leaves nothing behind.");
        println!();
    }

    pub(super) fn arrival(self, arrival: &Arrival) {
        if self.json {
            return print(&Event::Item(arrival));
        }
        let feeds = arrival.feeds.join(" ");
        println!(
            "{} {} {} {}",
            self.painted("2", &day_and_time(arrival.at)),
            self.painted("36", &fitted(&arrival.source, 20)),
            fitted(&arrival.title, 32),
            self.painted("32", fitted(&feeds, 16).trim_end())
        );
    }

    /// Items that came too fast to be shown one by one.
    pub(super) fn more(self, unseen: usize) {
        if !self.json && unseen > 0 {
            println!("{}", self.painted("2", &format!("          … and {unseen} more")));
        }
    }

    pub(super) fn state(self, state: &State) {
        if self.json {
            return print(&Event::State(state));
        }
        let State { completeness, freshness, .. } = state;
        let first = format!(
            "{} τ {:.3} · {:.2} of {:.2} refreshes/min · {} requests, {:.0}% 304",
            day_and_time(state.at),
            state.threshold,
            state.spent,
            state.budget,
            state.requests,
            100.0 * state.not_modified
        );
        println!("{}", self.painted("1;33", &first));
        println!(
            "          complete {} (truth {}) · fresh {} (truth {})",
            percent(completeness[0]),
            percent(completeness[1]),
            percent(freshness[0]),
            percent(freshness[1])
        );
        let feeds: Vec<String> =
            state.feeds.iter().map(|(name, items)| format!("{name} {items}")).collect();
        println!("          {}", feeds.join(" · "));
    }

    pub(super) fn summary(self, state: &State) {
        if self.json {
            return print(&Event::Summary(state));
        }
        println!();
        println!("{}", self.painted("1", &format!("After {:.1} days:", state.lasted / 86_400.0)));
        println!("  published by the sources  {:>7}", state.published);
        println!("  delivered                 {:>7}", state.delivered);
        println!("  lost                      {:>7}", state.lost);
        if let Some(minutes) = state.median_delay {
            println!("  median delay              {minutes:>7.0} minutes");
        }
        println!("  requests                  {:>7}", state.requests);
        println!("  answered by 304           {:>6.0}%", 100.0 * state.not_modified);
        println!("  τ                         {:>7.3}", state.threshold);
    }

    fn painted(self, code: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

fn print(event: &Event<'_>) {
    match serde_json::to_string(event) {
        Ok(line) => println!("{line}"),
        Err(error) => tracing::error!(%error, "an event could not be written"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// `Tue 14:03`, in UTC.
fn day_and_time(at: f64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let days = (at / 86_400.0).floor();
    let day = DAYS[days.rem_euclid(7.0) as usize];
    let written = Timestamp::from_unix(at as i64).to_rfc3339();
    format!("{day} {}", written.get(11..16).unwrap_or_default())
}

/// Exactly so many characters.
fn fitted(text: &str, width: usize) -> String {
    let mut short: String = text.chars().take(width).collect();
    if text.chars().count() > width {
        short = short.chars().take(width - 1).chain(['…']).collect();
    }
    format!("{short:<width$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_it_should_be() {
        assert_eq!(fitted("abc", 5), "abc  ");
        assert_eq!(fitted("äbcdef", 5), "äbcd…");
    }

    #[test]
    fn the_time_is_that_of_the_day() {
        assert_eq!(day_and_time(1_700_000_000.0), "Tue 22:13");
    }
}
