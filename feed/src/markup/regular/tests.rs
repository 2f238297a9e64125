//! What the form looks like, and that no text costs a parser more than its length.

use scraper::{Html, Node};

use super::*;

#[path = "../../../examples/fuzz/kinds.rs"]
mod kinds;

/// Keeps everything.
struct All;

impl Keeps for All {
    fn tag(&self, _: &str) -> bool {
        true
    }

    fn attribute(&self, _: &str, _: &str) -> bool {
        true
    }
}

fn form(html: &str) -> String {
    regular(html, usize::MAX, WORK, &All).html
}

#[test]
fn what_is_well_formed_stays_as_it_is() {
    for html in [
        "",
        "words &amp; more",
        "<p>One</p>\n<p class=\"a b\" id='c'>two <b>three</b><br>four</p>",
        "<ul><li>a</li><li><ul><li>b</li></ul></li></ul>",
        "<dl><dt>a</dt><dd>b</dd></dl><hr><h1>c</h1>",
        "<table><caption>a</caption><colgroup><col></colgroup><thead><tr><th>b</th></tr></thead>\
         <tbody><tr><td><table><tr><td>c</td></tr></table></td></tr></tbody></table>",
        "<!DOCTYPE html><html lang=\"en\"><title>a</title><body class=\"b\"><main><p>c</p></main>",
        "<my-element data-a=\"&quot;\"><select><option>a</option></select></my-element>",
    ] {
        assert_eq!(form(html), html);
    }
}

#[test]
fn elements_end_where_the_standard_says() {
    for (html, regular) in [
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        ("<p>a<div>b</div>c", "<p>a</p><div>b</div>c"),
        ("<ul><li>a<li>b<p>c<li>d</ul>", "<ul><li>a</li><li>b<p>c</p></li><li>d</li></ul>"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        (
            "<table><tr><td>a<td>b<tr><td>c</table>",
            "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        ),
        ("<p><i>a<p>b</i>c", "<p><i>a</i></p><p><i>b</i>c</p>"),
        ("<b>a<i>b</b>c</i>d", "<b>a<i>b</i></b><i>c</i>d"),
        ("<a href=x>a<a href=y>b", "<a href=\"x\">a</a><a href=\"y\">b</a>"),
        ("<h1>a<h2>b</h1>c", "<h1>a</h1><h2>b</h2>c"),
        ("a</p>b</div></b>c", "abc"),
        ("<table>a<tr>b</table>", "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>"),
        ("<div><table><td></div>a</table>b", "<div><table><tr><td>a</td></tr></table>b</div>"),
        ("<svg><path/><tr>a</svg>b", "<path></path>ab"),
        ("a<td>b<tr>c", "abc"),
    ] {
        assert_eq!(form(html), regular, "{html}");
    }
}

#[test]
fn markup_is_read_as_the_standard_says() {
    for (html, regular) in [
        ("<P TITLE=A Title=b c>d</P>", "<p TITLE=\"A\" c=\"\">d</p>"),
        ("<p/a=b\"c/d e='f\"'g>h", "<p a=\"b&quot;c/d\" e='f\"' g=\"\">h</p>"),
        ("a<!--><b>x</b>--><!-- <i> --!><!--->y<!-- -- ---->z", "a<b>x</b>-->yz"),
        ("a<!-- never closed <b>", "a"),
        ("a<script>'<b>'</Script >b<style></style/>c", "abc"),
        ("<title>a<b>&amp;</title>", "<title>a&lt;b>&amp;</title>"),
        ("<xmp><b>&amp;</xmp>c", "&lt;b&gt;&amp;amp;c"),
        ("a<?php x ?>b<![CDATA[c]]>d</ x>e</>f", "abdef"),
        ("1 < 2, <3, a <b and c", "1 &lt; 2, &lt;3, a &lt;b and c"),
        ("a</br>b<noscript>c</noscript>", "a<br>bc"),
    ] {
        assert_eq!(form(html), regular, "{html}");
    }
}

#[test]
fn what_is_too_much_is_left_out_and_told_and_its_words_stay() {
    let many = format!("<p {}>x</p>", (0..40).map(|n| format!("a{n}=b ")).collect::<String>());
    let Regular { html, cut } = regular(&many, usize::MAX, WORK, &All);
    assert_eq!(html.matches('=').count(), ATTRIBUTES);
    assert_eq!(cut, Cut { attributes: 8, ..Cut::default() });
    assert_eq!(cut.warning().as_deref(), Some("too much markup; left out: 8 attributes"));

    let deep = format!("{}x{}y", "<div>".repeat(300), "</div>".repeat(300));
    let Regular { html, cut } = regular(&deep, usize::MAX, WORK, &All);
    let most = format!("{}x{}y", "<div>".repeat(DEPTH), "</div>".repeat(DEPTH));
    assert_eq!((html, cut), (most, Cut { tags: 300 - DEPTH, ..Cut::default() }));

    let Regular { html, cut } = regular("<i>a</i><i>b</i><i>c</i>d", 20, 2, &All);
    assert_eq!(html, "<i>a</i><i>b</i>c");
    assert_eq!(cut, Cut { bytes: 5, tags: 1, attributes: 0 });
    assert_eq!(Cut::default().warning(), None);

    let address = "a".repeat(CARRIED - 20);
    let carried = format!("<p><a href={address}>{}", "<p>x".repeat(1 << 18));
    let html = form(&carried);
    assert!(html.len() <= carried.len() + 20 * WORK + (8 << 20), "{} bytes", html.len());
    assert_eq!(html.matches('x').count(), 1 << 18);
}

/// What a parser makes of a text.
#[derive(Debug, Default)]
struct Tree {
    nodes: usize,
    /// The depth of the deepest, and the sum of all: a parser looks at the open elements at every tag.
    depth: usize,
    looks: usize,
    attributes: usize,
}

fn tree(html: &str) -> Tree {
    let page = Html::parse_fragment(html);
    let mut tree = Tree::default();
    let mut around = Vec::new();
    for node in page.root_element().descendants() {
        let parent = node.parent().map(|parent| parent.id());
        while !around.is_empty() && around.last().copied() != parent {
            around.pop();
        }
        around.push(node.id());
        tree.nodes += 1;
        tree.depth = tree.depth.max(around.len());
        tree.looks += around.len();
        if let Node::Element(element) = node.value() {
            tree.attributes = tree.attributes.max(element.attrs().count());
        }
    }
    tree
}

#[test]
fn hostile_markup_costs_a_parser_no_more_than_its_length() {
    const SIZE: usize = 1 << 16;
    for kind in kinds::KINDS {
        let [half, whole] = [SIZE / 2, SIZE].map(|size| {
            let text = kinds::input(kind, size);
            let html = form(&text);
            // Formatting that goes on is written again, as often as there is work left for it.
            assert!(html.len() <= 32 * text.len(), "{}: {} bytes", kind.0, html.len());
            let tree = tree(&html);
            // A parser adds a `tbody` to a table, and a fragment to a template.
            assert!(tree.depth <= 2 * DEPTH + 8, "{}: {tree:?}", kind.0);
            assert!(tree.attributes <= ATTRIBUTES, "{}: {tree:?}", kind.0);
            // Not more than what was written: nothing is opened a second time.
            let written = html.matches('<').count();
            assert!(tree.nodes <= 2 * written + 16, "{}: {tree:?} of {written} tags", kind.0);
            tree
        });
        let ratio = (whole.looks + 1000) as f64 / (half.looks + 1000) as f64;
        assert!(ratio < 3.0, "{}: twice the text costs {ratio} times as much", kind.0);
    }
}
