//! Web pages as sources.

use pergola_feed::html::{PageError, Selectors, annotated, discover, select};
use pergola_feed::{Item, Limits, Text, Timestamp, disarm, sanitize};
use url::Url;

fn site() -> Url {
    Url::parse("https://example.org/news/").expect("an address")
}

const PAGE: &str = "<html><head><title>News of the town</title></head><body>\
    <article><h2><a href=\"bridge\">The bridge is open</a></h2><time datetime=\"2026-11-16\">today</time>\
    <div class=body><p>After <img src=\"/b.png\"> years</p></div></article>\
    <article><h2><a href=\"/school\">A new school</a></h2><time>15 November 2026</time></article>\
    </body></html>";

#[test]
fn selectors_turn_a_page_into_items() {
    let selectors = Selectors {
        item: "article".into(),
        title: Some("h2".into()),
        date: Some("time".into()),
        content: Some(".body".into()),
        ..Default::default()
    };
    let document = select(PAGE, &selectors, Some(&site()), &Limits::default()).unwrap();
    assert_eq!(document.title.as_deref(), Some("News of the town"));
    let [bridge, school] = &document.items[..] else { panic!("{:?}", document.items) };
    assert_eq!(bridge.title.as_deref(), Some("The bridge is open"));
    assert_eq!(bridge.id.0, "https://example.org/news/bridge");
    assert_eq!(bridge.published, Timestamp::parse("2026-11-16"));
    let body = &bridge.content.as_ref().unwrap().body;
    assert_eq!(body, "<p>After <img src=\"https://example.org/b.png\"> years</p>");
    assert_eq!(school.link.as_deref(), Some("https://example.org/school"));
    assert_eq!(school.published, Timestamp::parse("2026-11-15"));
}

#[test]
fn an_invalid_selector_and_one_without_matches_give_different_errors() {
    let by = |item: &str| Selectors { item: item.into(), ..Default::default() };
    let error = select(PAGE, &by("article["), None, &Limits::default()).unwrap_err();
    assert!(matches!(error, PageError::Selector { .. }), "{error}");
    let error = select(PAGE, &by(".gone"), None, &Limits::default()).unwrap_err();
    assert_eq!(error, PageError::NoItems { selector: ".gone".into() });
}

#[test]
fn marks_in_comments_turn_a_page_into_items() {
    let page = "<!-- dynamo:channel title=\"Town\" link=\"/\" --><!-- other comment -->\
        <!-- dynamo:item --><h2><!-- dynamo:title -->The <b>bridge</b> &amp; more<!-- /dynamo:title --></h2>\
        <!-- dynamo:link --><a href=\"bridge\">more</a><!-- /dynamo:link -->\
        <!-- dynamo:date -->16 Nov 2026<!-- /dynamo:date -->\
        <!-- dynamo:text --><p>After</p><!-- /dynamo:text --><!-- /dynamo:item -->\
        <!-- pergola:item --><!-- pergola:link href=\"/school\" --><!-- pergola:title -->A school\
        <!-- /pergola:item -->";
    let document = annotated(page, Some(&site()), &Limits::default()).unwrap();
    assert_eq!(document.title.as_deref(), Some("Town"));
    assert_eq!(document.home(), Some("https://example.org/"));
    let [bridge, school] = &document.items[..] else { panic!("{:?}", document.items) };
    assert_eq!(bridge.title.as_deref(), Some("The bridge & more"));
    assert_eq!(bridge.link.as_deref(), Some("https://example.org/news/bridge"));
    assert_eq!(bridge.published, Timestamp::parse("2026-11-16"));
    assert_eq!(bridge.content, Some(Text::html("<p>After</p>")));
    assert_eq!(school.title.as_deref(), Some("A school"), "a field ends with its item");
    assert_eq!(school.link.as_deref(), Some("https://example.org/school"));
}

#[test]
fn a_page_without_marks_gives_no_document() {
    assert_eq!(annotated(PAGE, None, &Limits::default()), None);
}

#[test]
fn feeds_that_a_page_links_to_are_found_relative_to_its_base() {
    let page = "<head><base href=\"/base/\"><link rel=stylesheet href=x.css>\
        <link rel=\"alternate\" type=\"application/rss+xml\" title=\"All\" href=\"feed.xml\">\
        <LINK REL='ALTERNATE' TYPE='application/atom+xml; charset=utf-8' HREF='https://example.com/a'>\
        <link rel=alternate hreflang=fr href=/fr><link rel=\"alternate\" type=\"application/rss+xml\" \
        href=\"feed.xml\"></head>";
    let found = discover(page, Some(&site()));
    let hrefs: Vec<&str> = found.iter().map(|feed| feed.href.as_str()).collect();
    assert_eq!(hrefs, ["https://example.org/base/feed.xml", "https://example.com/a"]);
    assert_eq!(found[0].title.as_deref(), Some("All"));
}

#[test]
fn sanitised_html_has_no_scripts_and_only_web_and_mail_addresses() {
    let text = Text::html(
        "<p onclick=\"x()\">Hi<script>alert(1)</script><a href=\"javascript:x()\">a</a>\
         <a href=\"/b\">b</a><img src=\"data:image/png;base64,AA\"><iframe src=\"https://example.org\">",
    );
    let safe = sanitize(&text, Some(&site()));
    for word in ["script", "onclick", "javascript", "data:", "iframe"] {
        assert!(!safe.contains(word), "{word} in {safe}");
    }
    assert!(safe.contains("href=\"https://example.org/b\""), "{safe}");
    assert_eq!(sanitize(&Text::plain("1 < 2 & 3"), None), "1 &lt; 2 &amp; 3");
}

#[test]
fn an_item_is_disarmed_and_keeps_what_is_useful() {
    let mut item = Item::new("urn:x:1");
    item.link = Some("https://example.org/a/b".into());
    item.content = Some(Text::html(
        "<p onclick=\"x()\">Hi<script>alert(1)</script> <a href=\"javascript:x()\">a</a>\
         <a href=\"data:text/html,x\">d</a><a href=\"c\">c</a> <img src=\"/i.png\" onerror=x alt=\"i\">\
         <video controls src=\"v.mp4\" poster=\"javascript:p\"></video>\
         <audio src=\"https://example.org/a.mp3\" controls></audio>\
         <table><tr><td colspan=\"2\">t</td></tr></table><figure><figcaption>f</figcaption></figure>\
         <pre><code>1 &lt; 2</code></pre><iframe src=\"https://example.org/\"></iframe>\
         <blockquote cite=\"javascript:q\">q</blockquote><style>p{}</style><form action=\"/x\"></form>",
    ));
    item.summary = Some(Text::plain("<script>is a word</script>"));
    disarm(&mut item);
    let body = item.content.unwrap().body;
    for word in ["script", "onclick", "onerror", "data:", "iframe", "style", "form", "poster"] {
        assert!(!body.contains(word), "{word} in {body}");
    }
    for kept in [
        "href=\"https://example.org/a/c\"",
        "src=\"https://example.org/i.png\"",
        "src=\"https://example.org/a/v.mp4\"",
        "src=\"https://example.org/a.mp3\"",
        "<td colspan=\"2\">t</td>",
        "<figcaption>f</figcaption>",
        "<code>1 &lt; 2</code>",
        "<blockquote>q</blockquote>",
    ] {
        assert!(body.contains(kept), "{kept} in {body}");
    }
    assert!(!body.contains("rel="), "links are as their publisher made them: {body}");
    assert_eq!(item.summary, Some(Text::plain("<script>is a word</script>")), "it is not markup");
}

#[test]
fn disarming_changes_nothing_that_is_harmless_and_nothing_twice() {
    let mut item = Item::new("urn:x:1");
    let harmless = "<p>caf&eacute; <a href=\"https://example.org/?a=1&amp;b\">x</a><br/></p>";
    item.summary = Some(Text::html(harmless));
    item.content = Some(Text::html("<P>one<p class=x>two <b>three"));
    disarm(&mut item);
    assert_eq!(item.summary, Some(Text::html(harmless)), "byte for byte");
    let once = item.clone();
    disarm(&mut item);
    assert_eq!(item, once);
}

#[test]
fn deeply_nested_markup_is_flattened_before_a_tree_is_built() {
    let deep = "<div><b>".repeat(50_000) + "words";
    let safe = sanitize(&Text::html(deep.clone()), None);
    assert!(safe.contains("words"));
    assert!(safe.matches("<div>").count() < 300);
    let selectors = Selectors { item: "b".into(), ..Default::default() };
    let page = select(&deep, &selectors, None, &Limits::default());
    assert!(matches!(page, Err(PageError::NoItems { .. })), "no item has a title");
}

#[test]
fn one_text_sanitised_twice_is_the_same_and_keeps_the_lines_of_code() {
    for (html, clean) in [
        ("<p>Fine <b onclick='x'>words</b></p>", "<p>Fine <b>words</b></p>"),
        ("<pre>\n\n x</pre>", "<pre>\n\n x</pre>"),
        ("<pre><b>x</b></pre>", "<pre><b>x</b></pre>"),
        ("a&#13;b&#13;\nc\rd<xmp>\r</xmp>", "a\nb\nc\nd\n"),
    ] {
        let once = sanitize(&Text::html(html), None);
        assert_eq!(once, clean);
        assert_eq!(sanitize(&Text::html(once.as_str()), None), clean);
    }
}
