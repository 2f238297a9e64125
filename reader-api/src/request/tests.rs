//! Parameters as apps send them.

use super::*;

fn form(text: &str) -> Form {
    Form::parse(Some(text), b"")
}

fn page(text: &str) -> Selection {
    Selection::read(&form(text), None, 10_000).unwrap()
}

const READ: &str = "user/-/state/com.google/read";
const STARRED: &str = "user/-/state/com.google/starred";

#[test]
fn a_page_without_parameters_is_the_newest_of_everything() {
    let page = page("output=json");
    assert_eq!((page.scope, page.limit, page.oldest_first), (Scope::All, 20, false));
    assert_eq!((page.read, page.starred, page.from, page.to), (None, None, None, None));
    assert_eq!(
        (page.stream.to_string().as_str(), page.continuation),
        ("user/-/state/com.google/reading-list", None)
    );
}

#[test]
fn every_parameter_of_a_page_counts() {
    let page = page(
        "s=feed/17&n=50&c=abc&r=o&ot=1700000000&nt=1700000001000000&xt=user/7/state/com.google/read",
    );
    assert_eq!(page.scope, Scope::Feed(FeedRef::Number(17)));
    assert_eq!(
        (page.limit, page.continuation.as_deref(), page.oldest_first),
        (50, Some("abc"), true)
    );
    assert_eq!((page.from, page.to), (Some(1_700_000_000.0), Some(1_700_000_001.0)));
    assert_eq!((page.read, page.starred), (Some(false), None));
}

#[test]
fn the_stream_in_the_path_comes_first() {
    let page = Selection::read(&form("s=feed/1"), Some("user/-/label/A/B"), 10).unwrap();
    assert_eq!(page.scope, Scope::Label("A/B".into()));
}

#[test]
fn so_many_items_are_given_as_are_allowed() {
    assert_eq!(page("n=10000").limit, 10_000);
    assert_eq!(page("n=100000").limit, 10_000);
    assert_eq!(Selection::read(&form("n=10000"), None, 1_000).unwrap().limit, 1_000);
    assert_eq!((page("n=0").limit, page("n=").limit), (20, 20));
    let error = Selection::read(&form("n=many"), None, 10).unwrap_err();
    assert_eq!(error.to_string(), "`n` is `many`: it must be a number");
}

#[test]
fn states_are_streams_and_filters() {
    assert_eq!(
        (page(&format!("s={READ}")).scope, page(&format!("s={READ}")).read),
        (Scope::All, Some(true))
    );
    let unread = page("s=user/-/state/com.google/kept-unread");
    assert_eq!((unread.scope, unread.read), (Scope::All, Some(false)));
    // One app sends only what to include, or only what to leave out.
    assert_eq!(page(&format!("it={STARRED}")).scope, Scope::Starred);
    assert_eq!(page(&format!("xt={READ}")).read, Some(false));
    assert_eq!(page("it=user/-/label/A").scope, Scope::Label("A".into()));
    let starred = page(&format!("s=user/-/label/A&it={STARRED}"));
    assert_eq!((starred.scope, starred.starred), (Scope::Label("A".into()), Some(true)));
    assert_eq!(page(&format!("s={STARRED}&xt={READ}")).read, Some(false));
    assert_eq!(page(&format!("xt={STARRED}")).starred, Some(false));
}

#[test]
fn what_cannot_be_is_nothing() {
    for text in [
        format!("s={READ}&xt={READ}"),
        format!("s={STARRED}&xt={STARRED}"),
        "s=feed/1&it=feed/2".to_owned(),
        "s=user/-/state/com.google/broadcast".to_owned(),
        "xt=user/-/state/com.google/reading-list".to_owned(),
    ] {
        assert_eq!(page(&text).scope, Scope::Nothing, "{text}");
    }
    assert_eq!(page("xt=user/-/state/com.google/broadcast").scope, Scope::All);
    let error = Selection::read(&form("xt=feed/1"), None, 10).unwrap_err().to_string();
    assert!(error.contains("only items in a state can be left out"), "{error}");
}

#[test]
fn items_are_marked() {
    let long = "tag:google.com,2005:reader/item/000000000000000a";
    let marking = Marking::read(&form(&format!(
        "i=5&i={long}&i=&a={READ}&r=user/-/state/com.google/kept-unread&T=x&ac=edit"
    )))
    .unwrap();
    assert_eq!(
        marking,
        Marking { items: vec![ItemId(5), ItemId(10)], read: Some(true), starred: None }
    );
    let kept =
        "a=user/-/state/com.google/kept-unread&a=user/-/state/com.google/tracking-kept-unread";
    assert_eq!(Marking::read(&form(&format!("i=5&r={READ}&{kept}"))).unwrap().read, Some(false));
    let both = Marking::read(&form(&format!("i=5&r={READ}&a={STARRED}"))).unwrap();
    assert_eq!((both.read, both.starred), (Some(false), Some(true)));
    assert_eq!(Marking::read(&form(&format!("i=5&r={STARRED}"))).unwrap().starred, Some(false));
}

#[test]
fn what_cannot_be_marked_is_said() {
    for (text, told) in [
        (format!("a={READ}"), "the parameter `i` is missing: say which items are meant"),
        ("i=none&a=x".to_owned(), "`none` is no id of an item"),
        ("i=5&a=user/-/label/A".to_owned(), "`user/-/label/A` cannot be put on an item"),
    ] {
        let error = Marking::read(&form(&text)).unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn a_stream_is_read_up_to_an_instant() {
    let all = ReadAll::read(&form("s=feed/3&ts=1700000000000000")).unwrap();
    assert_eq!((all.stream, all.until), (Stream::parse("feed/3"), Some(1_700_000_000.0)));
    assert_eq!(ReadAll::read(&form("s=feed/3&ts=0")).unwrap().until, None);
    assert!(ReadAll::read(&form("ts=1")).is_err());
}

#[test]
fn subscriptions_are_edited() {
    let editing = Editing::read(&form(
        "ac=subscribe&s=feed/https://a.example/&t=A&s=feed/2&t=&a=user/-/label/X&a=user/-/state/com.google/read&r=user/-/label/Y",
    ));
    let address = FeedRef::Address("https://a.example/".into());
    assert_eq!(
        editing.unwrap(),
        Editing {
            action: Action::Subscribe,
            feeds: vec![(address.clone(), Some("A".into())), (FeedRef::Number(2), None)],
            add: vec!["X".into()],
            remove: vec!["Y".into()],
        }
    );
    for (text, told) in [
        ("s=feed/1", "`ac` is ``: it must be subscribe, edit or unsubscribe"),
        ("ac=edit", "the parameter `s` is missing: say which feeds are meant"),
        ("ac=edit&s=feed/", "`feed/` is no feed: send feed/NUMBER or feed/ADDRESS"),
    ] {
        assert_eq!(Editing::read(&form(text)).unwrap_err().to_string(), told);
    }
    assert_eq!(quick_add(&form("quickadd=https://a.example/")), Ok(address));
    assert!(quick_add(&form("q=1")).is_err());
}

#[test]
fn labels_are_renamed_and_dropped() {
    let change = label_change(&form("s=user/-/label/A&dest=user/-/label/B"));
    assert_eq!(change, Ok(("A".into(), Some("B".into()))));
    assert_eq!(label_change(&form("t=A")), Ok(("A".into(), None)));
    let state = label_change(&form(&format!("s={STARRED}"))).unwrap_err();
    assert!(state.to_string().ends_with("is no label: send user/-/label/NAME"), "{state}");
    assert!(label_change(&form("")).is_err());
}
