//! Whether a peer's page is consistent with what was asked and what it has said before.

use pergola_proto::v1::{FetchRequest, FetchResponse};

use pergola_manners::link::{Link, Refusal};

/// Longer cursors are not stored; no honest one is that long.
const LONGEST_CURSOR: usize = 4_096;

/// What a consistent page says about the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checked {
    /// The number of the newest entry in it.
    pub(super) newest: Option<u64>,
    /// A sentence for the log.
    pub(super) note: Option<String>,
}

/// Compares a page with what was asked for and with what the peer has said before.
pub(super) fn checked(
    link: &Link,
    request: &FetchRequest,
    response: &FetchResponse,
) -> Result<Checked, Refusal> {
    let lie = |what: &str| Err(Refusal::firm(format!("the peer contradicts itself: {what}")));
    if response.cursor.is_empty() || response.cursor.len() > LONGEST_CURSOR {
        return lie("it names no cursor, or one that is far too long");
    }
    if response.entries.len() > request.limit as usize {
        return lie("it sends more than was asked for");
    }
    if response.more && response.cursor == request.cursor {
        return lie("there is more, but its cursor does not move");
    }
    let node = response.node.as_ref().map(|node| node.id.as_str()).filter(|id| !id.is_empty());
    let before = link.node.as_ref().map(|node| node.id.as_str());
    let another = before.is_some() && node.is_some() && node != before;
    if another && !response.restarted && !request.cursor.is_empty() {
        let why = "another node answers in its place and claims to know our cursor";
        return Err(Refusal { other_node: true, ..Refusal::firm(why) });
    }
    let mut newest = link.sequence.filter(|_| !response.restarted && !request.cursor.is_empty());
    for entry in response.entries.iter().filter(|entry| !entry.edited) {
        if newest.is_some_and(|newest| entry.sequence <= newest) {
            return lie("the numbers of its entries go backwards");
        }
        newest = Some(entry.sequence);
    }
    let note = response.restarted.then(|| {
        "the peer's feed was created anew: everything it keeps is read, and known items are skipped"
            .to_owned()
    });
    Ok(Checked { newest, note })
}

#[cfg(test)]
mod tests {
    use pergola_manners::link::PeerNode;
    use pergola_proto::v1::{Entry, NodeInfo};

    use super::*;

    fn link() -> Link {
        let node = Some(PeerNode { id: "n1".into(), name: "one".into() });
        let url = "http://a.example/feeds/F";
        Link { node, cursor: "c5".into(), sequence: Some(5), ..Link::new(url, "F".into()) }
    }

    fn request() -> FetchRequest {
        FetchRequest { cursor: "c5".into(), limit: 3, ..FetchRequest::default() }
    }

    fn response(sequences: &[u64]) -> FetchResponse {
        let entry = |&sequence: &u64| Entry { sequence, ..Entry::default() };
        FetchResponse {
            entries: sequences.iter().map(entry).collect(),
            cursor: "c9".into(),
            node: Some(NodeInfo { id: "n1".into(), ..NodeInfo::default() }),
            ..FetchResponse::default()
        }
    }

    fn refusal(change: impl FnOnce(&mut FetchResponse)) -> Refusal {
        let mut response = response(&[6, 7]);
        change(&mut response);
        checked(&link(), &request(), &response).unwrap_err()
    }

    #[test]
    fn an_honest_page_is_taken() {
        let taken = checked(&link(), &request(), &response(&[6, 8, 9])).unwrap();
        assert_eq!(taken, Checked { newest: Some(9), note: None });
        let quiet = FetchResponse { cursor: "c5".into(), ..response(&[]) };
        assert_eq!(checked(&link(), &request(), &quiet).unwrap().newest, Some(5));
    }

    #[test]
    fn an_edited_entry_may_be_old() {
        let mut page = response(&[6, 2]);
        page.entries[1].edited = true;
        assert_eq!(checked(&link(), &request(), &page).unwrap().newest, Some(6));
    }

    #[test]
    fn every_lie_is_noticed_and_named() {
        let says = |refusal: Refusal, what: &str| {
            assert!(refusal.firm && refusal.why.contains(what), "{refusal:?}");
        };
        says(refusal(|page| page.cursor.clear()), "no cursor");
        says(refusal(|page| page.cursor = "x".repeat(5_000)), "no cursor");
        let stuck = |page: &mut FetchResponse| (page.more, page.cursor) = (true, "c5".into());
        says(refusal(stuck), "does not move");
        says(refusal(|page| page.entries[1].sequence = 6), "go backwards");
        says(refusal(|page| page.entries[0].sequence = 5), "go backwards");
        says(refusal(|page| page.entries.resize(4, Entry::default())), "more than was asked");
    }

    #[test]
    fn another_node_is_only_believed_if_it_starts_over() {
        let other = |page: &mut FetchResponse| page.node.as_mut().unwrap().id = "n2".into();
        assert!(refusal(other).other_node);
        let mut anew = response(&[0, 1]);
        other(&mut anew);
        anew.restarted = true;
        let taken = checked(&link(), &request(), &anew).unwrap();
        assert!(taken.newest == Some(1) && taken.note.is_some());
    }
}
