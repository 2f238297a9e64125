//! How the demonstration reads on a terminal of eighty columns, with colours and without.

use std::io::IsTerminal;

use pergola_feed::Timestamp;
use serde::Serialize;

use super::watch::{Arrival, State};

/// How wide a terminal is at least.
const COLUMNS: usize = 80;

/// Writes lines for people, or JSON objects for programs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Show {
    json: bool,
    colours: bool,
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Places {
    /// The page to look at first: the overview of a node.
    pub overview: String,
    /// The page with the picture of the mesh.
    pub picture: String,
    /// The newsroom.
    pub newsroom: String,
    /// The sources that the mesh reads.
    pub sources: usize,
    /// The nodes.
    pub nodes: Vec<NodePlace>,
}

/// Where a node is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodePlace {
    /// Its name, and that of its feed.
    pub name: String,
    /// Its pages.
    pub page: String,
    /// Its feed, without the ending that says the format.
    pub feed: String,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    Started(&'a Places),
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

    pub(super) fn started(self, places: &Places, speed: f64) {
        if self.json {
            return print(&Event::Started(places));
        }
        let bold = |text: &str| self.painted("1", text);
        let Places { overview, picture, newsroom, sources, nodes } = places;
        let heading =
            format!("Pergola: {sources} sources, {} nodes, all on this machine", nodes.len());
        println!("{}", bold(&heading));
        println!();
        println!("    {}    a node: overview, sources, feeds, reading", bold(overview));
        println!("    {}    the whole mesh, live", bold(picture));
        println!();
        println!(
            "  A day passes in {:.0} s. All nodes, and what to try in another terminal:",
            86_400.0 / speed
        );
        println!();
        for NodePlace { name, page, .. } in nodes {
            println!("    {name:<10} {page}");
        }
        println!();
        // Each node once, in one of the formats.
        for (node, ending) in nodes.iter().rev().zip([".atom", ".rss", ".json"]) {
            println!("    curl {}{ending}", node.feed);
        }
        if let [first, .., last] = nodes.as_slice() {
            println!("    pergola --node {} status", first.page);
            println!("    echo {}.atom > urls && newsboat -u urls", last.feed);
        }
        println!("    curl {newsroom}/truth    what the sources really published");
        println!();
        println!("  Ctrl-C stops it and leaves nothing behind.");
        println!();
    }

    /// When, from whom, what, and by which way: "24m World 9s Earth 7s Volcanoes".
    pub(super) fn arrival(self, arrival: &Arrival) {
        if self.json {
            return print(&Event::Item(arrival));
        }
        let stops = arrival.way.iter().map(|stop| format!("{} {}", brief(stop.age), stop.node));
        let way = stops.collect::<Vec<_>>().join(" ");
        // The way is told whole, if it is no wider than this; the title has the rest of the line.
        let way = fitted(&way, way.chars().count().min(36));
        let title = fitted(&arrival.title, COLUMNS - 28 - way.chars().count());
        println!(
            "{} {} {title} {}",
            self.painted("2", &clock_time(arrival.at.unix())),
            self.painted("36", &fitted(&arrival.source, 16)),
            self.painted("32", &way)
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
        let first = format!(
            "{} {} wanted · {} delivered · {} lost · {} requests, {:.0}% 304",
            clock_time(state.at.unix()),
            state.published,
            state.delivered,
            state.lost,
            state.requests,
            100.0 * state.not_modified
        );
        println!("{}", self.painted("1;33", &first));
        let part = |name: &str, what: String| format!("{name} {what}");
        let items = state.nodes.iter().map(|node| part(&node.name, node.items.to_string()));
        println!("    items {}", items.collect::<Vec<_>>().join(" · "));
        let ages = state.nodes.iter().filter_map(|n| Some(part(&n.name, brief(n.median_age?))));
        let ages: Vec<String> = ages.collect();
        if !ages.is_empty() {
            println!("    aged  {}", ages.join(" · "));
        }
    }

    pub(super) fn summary(self, state: &State) {
        if self.json {
            return print(&Event::Summary(state));
        }
        println!();
        println!("{}", self.painted("1", &format!("After {:.1} days:", state.lasted / 86_400.0)));
        println!("  published and wanted      {:>7}", state.published);
        println!("  delivered                 {:>7}", state.delivered);
        println!("  lost                      {:>7}", state.lost);
        if let [first, .., last] = state.nodes.as_slice() {
            let delays = [state.median_delay, state.median_delay_at_the_end];
            for (node, delay) in [first, last].into_iter().zip(delays) {
                let label = format!("median delay at {}", node.name);
                println!("  {label:<25} {}", delayed(delay));
            }
        }
        println!("  requests to sources       {:>7}", state.requests);
        println!("  answered by 304           {:>6.0}%", 100.0 * state.not_modified);
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

/// Minutes below the numbers above them; of nothing there is no delay.
fn delayed(minutes: Option<f64>) -> String {
    match minutes.map(f64::round) {
        None => "      – (nothing has arrived yet)".to_owned(),
        Some(1.0) => "      1 minute".to_owned(),
        Some(minutes) => format!("{minutes:>7} minutes"),
    }
}

/// `Tue 14:03`, in UTC.
pub(super) fn clock_time(at: f64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let days = (at / 86_400.0).floor();
    let day = DAYS[days.rem_euclid(7.0) as usize];
    let written = Timestamp::from_unix(at as i64).to_rfc3339();
    format!("{day} {}", written.get(11..16).unwrap_or_default())
}

/// A time in three or four characters: 9s, 24m, 3h, 12d.
pub(super) fn brief(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0}s"),
        s if s < 5_970.0 => format!("{:.0}m", s / 60.0),
        s if s < 172_800.0 => format!("{:.0}h", s / 3_600.0),
        s => format!("{:.0}d", s / 86_400.0),
    }
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
        assert_eq!(clock_time(1_700_000_000.0), "Tue 22:13");
    }

    #[test]
    fn a_delay_of_nothing_is_told_as_that() {
        let told = [None, Some(0.6), Some(0.2), Some(41.7)].map(delayed);
        let expected = [
            "      – (nothing has arrived yet)",
            "      1 minute",
            "      0 minutes",
            "     42 minutes",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn times_are_told_in_few_characters() {
        let told = [0.2, 9.4, 99.4, 99.6, 1_440.0, 7_300.0, 864_000.0].map(brief);
        assert_eq!(told, ["0s", "9s", "99s", "2m", "24m", "2h", "10d"]);
    }
}
