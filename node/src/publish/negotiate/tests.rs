use http::HeaderValue;

use super::*;

fn headers(name: HeaderName, lines: &[&'static str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(&name, HeaderValue::from_static(line));
    }
    headers
}

fn form(accept: &'static str) -> Option<Form> {
    Form::preferred(&headers(ACCEPT, &[accept]))
}

fn coding(accept: &'static str) -> Coding {
    Coding::preferred(&headers(ACCEPT_ENCODING, &[accept]))
}

#[test]
fn who_says_nothing_or_anything_gets_atom() {
    assert_eq!(Form::preferred(&HeaderMap::new()), Some(Form::Atom));
    assert_eq!(form(""), Some(Form::Atom));
    assert_eq!(form("*/*"), Some(Form::Atom));
    assert_eq!(form("application/*"), Some(Form::Atom));
}

#[test]
fn a_browser_gets_a_page() {
    let firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    assert_eq!(form(firefox), Some(Form::Page));
    assert_eq!(form("text/html, application/xhtml+xml, image/jxr, */*"), Some(Form::Page));
}

#[test]
fn weights_decide_and_equal_ones_are_decided_by_us() {
    assert_eq!(form("application/atom+xml;q=0.5, application/rss+xml;q=0.8"), Some(Form::Rss));
    assert_eq!(form("application/rss+xml, application/atom+xml"), Some(Form::Atom));
    assert_eq!(form("application/feed+json, text/html;q=0.9"), Some(Form::Json));
    assert_eq!(form("application/json"), Some(Form::Json));
    assert_eq!(form("Application/RSS+XML; charset=utf-8; Q=0.3, */*;q=0.2"), Some(Form::Rss));
}

#[test]
fn an_exact_range_overrules_a_loose_one() {
    assert_eq!(
        form("*/*, application/atom+xml;q=0, text/xml;q=0, application/xml;q=0"),
        Some(Form::Rss)
    );
}

#[test]
fn several_lines_are_one_list() {
    let lines = headers(ACCEPT, &["text/html;q=0.4", "application/feed+json;q=0.6"]);
    assert_eq!(Form::preferred(&lines), Some(Form::Json));
}

#[test]
fn what_feeds_never_are_fits_nothing() {
    assert_eq!(form("image/png"), None);
    assert_eq!(form("application/atom+xml;q=0"), None);
}

#[test]
fn the_smallest_coding_that_the_client_names_is_taken() {
    assert_eq!(coding("gzip, deflate, br, zstd"), Coding::Brotli);
    assert_eq!(coding("gzip, zstd"), Coding::Zstd);
    assert_eq!(coding("gzip"), Coding::Gzip);
    assert_eq!(coding("br;q=0.5, gzip;q=0.9"), Coding::Gzip);
    assert_eq!(coding("br;q=0, gzip;q=0.001"), Coding::Gzip);
    assert_eq!(coding("identity, gzip;q=0.5"), Coding::Identity);
    assert_eq!(coding("*"), Coding::Identity);
    assert_eq!(coding("gzip;q=nonsense"), Coding::Gzip);
    assert_eq!(Coding::preferred(&HeaderMap::new()), Coding::Identity);
}

#[test]
fn a_tag_is_known_weak_listed_and_in_any_coding() {
    let known = |given| is_unchanged(&headers(IF_NONE_MATCH, &[given]), "abc", None);
    assert!(known("\"abc\""));
    assert!(known("W/\"abc\""));
    assert!(known("\"other\", \"abc-br\""));
    assert!(known("*"));
    assert!(!known("\"abcd\""));
    assert!(!known("abc"));
    assert!(!known("\"other\""));
}

#[test]
fn the_tag_wins_over_the_date() {
    let mut asked = headers(IF_NONE_MATCH, &["\"other\""]);
    asked.insert(IF_MODIFIED_SINCE, HeaderValue::from_static("Mon, 16 Nov 2026 02:00:00 GMT"));
    assert!(!is_unchanged(&asked, "abc", Some(0)));
}

#[test]
fn a_date_that_is_not_older_than_the_change_is_a_match() {
    let asked = headers(IF_MODIFIED_SINCE, &["Thu, 01 Jan 1970 00:01:40 GMT"]);
    assert!(is_unchanged(&asked, "abc", Some(100)));
    assert!(!is_unchanged(&asked, "abc", Some(101)));
    assert!(!is_unchanged(&asked, "abc", None));
    assert!(!is_unchanged(&headers(IF_MODIFIED_SINCE, &["yesterday"]), "abc", Some(0)));
}
