//! Files that are cut off, too large, or nothing that anybody knows.

use pergola_takeout::{Unreadable, read};
use proptest::prelude::*;

use crate::fixtures::{LIST, entries, entry, zipped};

#[test]
fn a_file_that_is_cut_off_is_refused_wherever_that_is() {
    let whole = entries(&[entry("roses", &["starred"]), entry("oaks", &["starred"])]);
    read(&whole).unwrap();
    for end in (1..whole.len()).step_by(37) {
        let error = read(&whole[..end]).unwrap_err();
        assert!(matches!(error, Unreadable::BadJson { .. }), "{end}: {error}");
    }
    let list = LIST.as_bytes();
    let error = read(&list[..list.len() - 30]).unwrap_err();
    assert!(matches!(error, Unreadable::BadList { .. }), "{error}");
    let zip = zipped(&[("feeds.opml.xml", list), ("starred.json", &whole)]);
    let error = read(&zip[..zip.len() / 2]).unwrap_err();
    assert!(matches!(error, Unreadable::BadZip(_)), "{error}");
    let inside = zipped(&[("feeds.opml.xml", list), ("starred.json", &whole[..900])]);
    let error = read(&inside).unwrap_err().to_string();
    assert!(error.starts_with("starred.json is not JSON, or cut off: "), "{error}");
}

#[test]
fn a_zip_bomb_is_refused_before_it_fills_the_memory() {
    let large = vec![b'x'; 100 << 20];
    let names = ["a", "b", "c", "d", "e", "f"];
    let bomb = zipped(&names.map(|name| (name, large.as_slice())));
    assert!(bomb.len() < 4 << 20, "{}", bomb.len());
    assert_eq!(read(&bomb), Err(Unreadable::TooLarge));
    let names: Vec<String> = (0..10_001).map(|number| format!("{number}.json")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(read(&zipped(&files)), Err(Unreadable::TooManyFiles));
}

#[test]
fn what_is_no_export_is_refused_and_other_files_of_a_zip_file_are_told() {
    assert_eq!(read(b"  \n"), Err(Unreadable::Empty));
    for other in [&b"hello"[..], b"{\"a\":1}", b"%PDF-1.7"] {
        assert!(matches!(read(other), Err(Unreadable::Unknown { .. })), "{other:?}");
    }
    let takeout =
        read(&zipped(&[("feeds.opml", LIST.as_bytes()), ("readme.txt", b"hello")])).unwrap();
    assert_eq!(takeout.subscriptions.len(), 2);
    assert_eq!(takeout.flaws.last().unwrap().place, "readme.txt");
    assert!(matches!(read(&zipped(&[("readme.txt", b"hello")])), Err(Unreadable::Unknown { .. })));
}

proptest! {
    #[test]
    fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0_usize..2_000) {
        let _ = read(&bytes);
        let mut zip = zipped(&[("starred.json", &entries(&[entry("roses", &["starred"])]))]);
        let place = at % zip.len();
        let last = bytes.len().min(zip.len() - place);
        zip[place..place + last].copy_from_slice(&bytes[..last]);
        let _ = read(&zip);
    }
}
