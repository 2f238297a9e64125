//! The examples of RFC 9309, and what its sentences say.

use super::*;

const US: &str = "Pergola";

fn rules(text: &str) -> Robots {
    Robots::of_answer(200, text.as_bytes(), US)
}

fn allows(robots: &Robots, path: &str) -> bool {
    let url = Url::parse("https://example.org/").unwrap().join(path).unwrap();
    robots.check(&url).is_ok()
}

/// Whether a file with these rules for everybody allows a path.
fn under(rules_of_all: &str, path: &str) -> bool {
    allows(&rules(&format!("User-agent: *\n{rules_of_all}\n")), path)
}

#[test]
fn section_2_2_1_the_group_that_names_us_counts_whatever_the_case_and_the_version() {
    let file = "User-Agent: *\nDisallow: /a\n\nuser-agent: PERGOLA/2.0\nDisallow: /b\n";
    assert!(allows(&rules(file), "/a"), "the group of everybody does not count then");
    assert!(!allows(&rules(file), "/b"));
    let other = "User-agent: PergolaBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n";
    assert!(!allows(&rules(other), "/a"));
    assert!(allows(&rules(other), "/b"), "another name is not ours");
}

#[test]
fn section_2_2_1_groups_of_one_name_are_one_group() {
    let file = "user-agent: Pergola\ndisallow: /foo\ndisallow: /bar\n\n\
                user-agent: OtherBot\ndisallow: /qux\n\n\
                user-agent: Pergola\ndisallow: /baz\n";
    for (path, allowed) in [("/foo", false), ("/bar", false), ("/baz", false), ("/qux", true)] {
        assert_eq!(allows(&rules(file), path), allowed, "{path}");
    }
}

#[test]
fn section_2_2_1_several_names_share_the_rules_after_them() {
    let file =
        "user-agent: OtherBot\nuser-agent: pergola\ndisallow: /a\nuser-agent: *\ndisallow: /b\n";
    assert!(!allows(&rules(file), "/a"));
    assert!(allows(&rules(file), "/b"));
}

#[test]
fn section_2_2_1_without_a_group_for_us_or_all_nothing_is_forbidden() {
    assert!(allows(&rules("user-agent: OtherBot\ndisallow: /\n"), "/a"));
    assert!(allows(&rules("disallow: /\n"), "/a"), "a rule outside of any group");
    assert!(allows(&rules(""), "/a"));
    assert!(allows(&rules("user-agent: Pergola\n\nuser-agent: *\nallow: /x\n"), "/a"));
}

#[test]
fn section_2_2_2_the_longest_match_decides_and_allow_wins_ties() {
    let rules = "Allow: /example/page/\nDisallow: /example/page/disallowed.gif";
    assert!(under(rules, "/example/page/index.html"));
    assert!(!under(rules, "/example/page/disallowed.gif"));
    assert!(under("Disallow: /a\nAllow: /a", "/a"));
    assert!(under("Allow: /a\nDisallow: /a", "/a"));
    assert!(!under("Disallow: /", "/anything"));
    assert!(under("Disallow: /\nAllow: /p", "/page"));
    assert!(under("Disallow:", "/anything"), "nothing is disallowed");
}

#[test]
fn section_2_2_2_paths_are_case_sensitive_and_compared_octet_by_octet() {
    assert!(under("Disallow: /foo", "/Foo"));
    for (pattern, path, matching) in [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", true),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3a%2f%2ffoo.bar", true),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", true),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ", true),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", true),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A", true),
    ] {
        assert_eq!(!under(&format!("Disallow: {pattern}"), path), matching, "{pattern} {path}");
    }
}

#[test]
fn section_2_2_3_special_characters() {
    for (pattern, path, matching) in [
        ("/path", "/path/below", true),
        ("/this/path/exactly$", "/this/path/exactly", true),
        ("/this/path/exactly$", "/this/path/exactly/not", false),
        ("/this/*/exactly", "/this/path/exactly", true),
        ("/this/*/exactly", "/this/or/that/exactly/so", true),
        ("*.gif$", "/pictures/a.gif", true),
        ("*.gif$", "/pictures/a.gif?x=1", false),
        ("*.gif$", "/a.gif.gif", true),
        ("/a*b*c$", "/a-b-b-c", true),
        ("/a*b*c$", "/a-c-b", false),
        ("/a*bc$", "/abc", true),
        ("/a*", "/a", true),
        ("*", "/", true),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", true),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-star.html", false),
        ("/path/foo-%24", "/path/foo-$", true),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-%2A.html", true),
        ("/path/foo-%24", "/path/foo-%24", true),
        ("/a$b", "/a$b", true),
    ] {
        assert_eq!(!under(&format!("Disallow: {pattern}"), path), matching, "{pattern} {path}");
    }
    assert!(under("# Disallow: /a", "/a"), "a comment");
    assert!(!under("Disallow: /a # with a reason", "/a"));
}

#[test]
fn section_2_2_4_other_records_are_ignored() {
    let file = "Sitemap: https://example.org/sitemap.xml\nuser-agent: OtherBot\n\
                Sitemap: https://example.org/other.xml\nuser-agent: Pergola\ncrawl-delay: 10\n\
                disallow: /a\n";
    assert!(!allows(&rules(file), "/a"), "the two names are one group");
}

#[test]
fn section_2_3_1_the_status_decides_when_there_is_no_file() {
    let read = |status| Robots::of_answer(status, b"user-agent: *\ndisallow: /", US);
    for status in [301, 400, 401, 403, 404, 410, 429] {
        assert!(allows(&read(status), "/a"), "{status}");
    }
    for status in [500, 502, 503, 599] {
        assert!(!allows(&read(status), "/a"), "{status}");
    }
    let url = Url::parse("https://example.org/a").unwrap();
    let why = read(503).check(&url).unwrap_err().to_string();
    assert!(why.contains("the site answered 503"), "{why}");
}

#[test]
fn section_2_3_the_file_itself_is_always_allowed() {
    assert!(under("Disallow: /", "/robots.txt"));
    let page = Url::parse("https://example.org:8443/a/b?c#d").unwrap();
    assert_eq!(file_for(&page).as_str(), "https://example.org:8443/robots.txt");
}

#[test]
fn section_2_5_what_is_beyond_the_limit_does_not_count() {
    let mut file = b"user-agent: *\ndisallow: /a\n#".to_vec();
    file.resize(MOST_BYTES, b'x');
    file.extend_from_slice(b"\ndisallow: /b\n");
    let robots = Robots::of_answer(200, &file, US);
    assert!(!allows(&robots, "/a"));
    assert!(allows(&robots, "/b"));
}

#[test]
fn section_5_1_the_example_of_the_rfc() {
    let file = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
                User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
                User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n\
                User-Agent: quxbot\n";
    let of = |agent| Robots::of_answer(200, file.as_bytes(), agent);
    assert!(!allows(&of("anybot"), "/a.gif"));
    assert!(!allows(&of("anybot"), "/example/page.html"));
    assert!(allows(&of("anybot"), "/publications/"));
    assert!(!allows(&of("foobot"), "/"));
    assert!(allows(&of("foobot"), "/example/page.html"));
    assert!(allows(&of("foobot"), "/example/allowed.gif"));
    assert!(!allows(&of("bazbot"), "/example/page.html"));
    assert!(allows(&of("bazbot"), "/a.gif"));
    assert!(allows(&of("quxbot"), "/example/page.html"), "a group without rules allows everything");
}

#[test]
fn a_refusal_names_the_line_and_the_rule() {
    let robots = rules("# hello\r\nUser-agent: *\r\n\r\nDisallow: /news/*\r\n");
    let url = Url::parse("https://example.org/news/today").unwrap();
    let why = robots.check(&url).unwrap_err().to_string();
    assert!(why.contains("robots.txt of example.org"), "{why}");
    assert!(why.contains("line 4: `Disallow: /news/*`"), "{why}");
}

#[test]
fn a_hostile_pattern_costs_little() {
    let pattern = format!("/{}b$", "a*".repeat(5_000));
    assert!(under(&format!("Disallow: {pattern}"), &format!("/{}", "a".repeat(20_000))));
}
