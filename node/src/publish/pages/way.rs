//! The way of an item through the mesh, in one line: which nodes it has passed, and how long it took to
//! each.

use maud::{Markup, html};
use pergola_feed::{Item, NodeId};

/// Nodes that are named; the first ones and this one matter.
const NAMED: usize = 8;
/// Characters of a node's id that are shown; all of them are in its title.
const SHORT: usize = 8;

/// "via A (2 s), B (0.4 s), here (0.3 s)"; nothing for an item that has passed no other node.
pub(super) fn line(item: &Item, here: &NodeId) -> Markup {
    let stops: Vec<(&NodeId, Option<i64>)> =
        item.hops.iter().map(|hop| &hop.node).zip(item.ages()).collect();
    let [others @ .., last] = stops.as_slice() else { return html! {} };
    if others.is_empty() {
        return html! {};
    }
    let left_out = others.len().saturating_sub(NAMED);
    html! {
        p.soft {
            "via "
            @for (node, age) in others.iter().take(NAMED) {
                (name(node, here)) (took(*age)) ", "
            }
            @if left_out > 0 { (left_out) " more, " }
            (name(last.0, here)) (took(last.1))
        }
    }
}

fn name(node: &NodeId, here: &NodeId) -> Markup {
    if node == here {
        return html! { "here" };
    }
    let short: String = node.0.chars().take(SHORT).collect();
    html! { span title=(node.0) { (short) } }
}

/// Nothing if it is not known; a clock that is ahead makes no way shorter than none.
fn took(age: Option<i64>) -> String {
    age.map_or_else(String::new, |age| format!(" ({})", span(age.max(0) as f64 / 1000.0)))
}

fn span(seconds: f64) -> String {
    match seconds {
        s if s < 0.0995 => format!("{:.0} ms", s * 1000.0),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3_600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use pergola_feed::{Hop, Millis, Timestamp};

    use super::*;

    fn hop(node: &str, fetched: i64, published: i64) -> Hop {
        let at = |at| Some(Millis::from_unix(at));
        Hop { node: NodeId(node.into()), fetched: at(fetched), published: at(published) }
    }

    fn told(hops: Vec<Hop>) -> String {
        let published = Some(Timestamp::from_unix(1));
        let item = Item { hops, published, ..Item::new("urn:item:1") };
        line(&item, &NodeId("home".into())).into_string()
    }

    #[test]
    fn short_ways_are_told_in_milliseconds() {
        let spans = [0.0, 0.008, 0.0994, 0.0996, 3.0].map(span);
        assert_eq!(spans, ["0 ms", "8 ms", "99 ms", "0.1 s", "3.0 s"]);
    }

    #[test]
    fn a_way_names_every_node_and_how_long_it_took() {
        let line = told(vec![
            hop("A", 3_000, 3_000),
            hop("0123456789abcdef", 3_400, 4_000),
            hop("home", 64_000, 0),
        ]);
        assert_eq!(
            line,
            "<p class=\"soft\">via <span title=\"A\">A</span> (2.0 s), \
             <span title=\"0123456789abcdef\">01234567</span> (0.4 s), here (60 s)</p>"
        );
    }

    #[test]
    fn an_item_that_came_by_no_other_node_has_no_way_to_tell() {
        assert_eq!(told(Vec::new()), "");
        assert_eq!(told(vec![hop("home", 5, 5)]), "");
    }

    #[test]
    fn a_node_with_a_wrong_clock_or_none_and_a_wild_name_does_no_harm() {
        let way = vec![hop("<b>", 0, 9_000_000), Hop::at(NodeId("B".into())), hop("home", 5, 0)];
        let line = told(way);
        assert!(line.starts_with(
            "<p class=\"soft\">via <span title=\"&lt;b&gt;\">&lt;b&gt;</span> (0 ms), "
        ));
        assert!(line.ends_with("<span title=\"B\">B</span>, here</p>"), "{line}");
        let long: Vec<Hop> = (0..20).map(|n| hop(&format!("n{n}"), n, n)).collect();
        assert!(told(long).contains("11 more, "));
    }
}
