//! The way of an item through the mesh, in one line: which nodes it has passed, and how long it took to
//! each.

use std::collections::HashMap;

use maud::{Markup, html};
use pergola_feed::{Item, NodeId};

use crate::words::span;

/// Nodes that are named; the first ones and this one matter.
const NAMED: usize = 8;
/// Characters of a node's id that are shown; all of them are in its title.
const SHORT: usize = 8;

/// "via A (2 s), B (0.4 s), here (0.3 s)"; nothing for an item that has passed no other node.
pub(crate) fn line(item: &Item, here: &NodeId) -> Markup {
    named(item, here, &HashMap::new())
}

/// The same, with the names of nodes by their ids, as far as they are known.
pub(crate) fn named(item: &Item, here: &NodeId, names: &HashMap<String, String>) -> Markup {
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
                (name(node, here, names)) (took(*age)) ", "
            }
            @if left_out > 0 { (left_out) " more, " }
            (name(last.0, here, names)) (took(last.1))
        }
    }
}

fn name(node: &NodeId, here: &NodeId, names: &HashMap<String, String>) -> Markup {
    if node == here {
        return html! { "here" };
    }
    let known = names.get(&node.0).cloned();
    let short = known.unwrap_or_else(|| node.0.chars().take(SHORT).collect());
    html! { span title=(node.0) { (short) } }
}

/// Nothing if it is not known; a clock that is ahead makes no way shorter than none.
fn took(age: Option<i64>) -> String {
    age.map_or_else(String::new, |age| format!(" ({})", span(age.max(0) as f64 / 1000.0)))
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
    fn nodes_whose_names_are_known_are_called_by_them() {
        let item = Item { hops: vec![hop("A", 1, 1), hop("home", 2, 2)], ..Item::new("x") };
        let names = HashMap::from([("A".to_owned(), "Garden <1>".to_owned())]);
        let line = named(&item, &NodeId("home".into()), &names).into_string();
        assert!(line.contains("<span title=\"A\">Garden &lt;1&gt;</span>"), "{line}");
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
