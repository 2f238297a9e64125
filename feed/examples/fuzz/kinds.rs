//! HTML that is designed to be slow. The tests of the library use it, too.

/// Its name, its start, and a piece to repeat, in which `#` becomes a running number.
type Kind = (&'static str, &'static str, &'static str);

pub(crate) const KINDS: [Kind; 34] = [
    ("attributes", "<p ", "a#=1 "),
    ("attributes without values", "<a href=x ", "a# "),
    ("attributes of end tags", "<p></p ", "a# "),
    ("attributes after a comment", "<!--><p ", "a# "),
    ("attributes of formatting", "", "<b a#=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8>x</b>"),
    ("nested divisions", "", "<div>"),
    ("nested after a comment", "<!-->", "<div>"),
    ("nested in SVG", "<svg>", "<tr>"),
    ("nested void in SVG", "<svg>", "<input>"),
    ("nested in MathML", "<math><mi>", "<td><math><mi>"),
    ("nested by ignored ends", "", "<div><table><td></div></table>"),
    ("nested lists", "", "<ul><li>x"),
    ("nested tables", "", "<table><tr><td>x"),
    ("nested buttons", "", "<p><button>x"),
    ("nested templates", "", "<template><td>x"),
    ("formatting that goes on", "", "<p><b a=#>x"),
    (
        "formatting, then paragraphs",
        "<b a=1><i a=2><u a=3><s a=4><em a=5><tt a=6><font a=7><a href=8>",
        "<p>x",
    ),
    (
        "deep formatting, then paragraphs",
        "<p><b a=1><b a=2><b a=3><b a=4><b a=5><b a=6><b a=7><b a=8><b a=9>",
        "<p>x",
    ),
    ("crossed formatting", "", "<b><i></b>x</i>"),
    ("crossed blocks", "", "<a><div><b></a>x</b>"),
    ("links in links", "", "<a href=x><p>x"),
    ("nobr", "", "<nobr>x"),
    (
        "formatting with a long address",
        "<p><a href=http://example.org/0123456789012345678901234567890123456789>",
        "<p>x",
    ),
    ("elements between rows", "<table>", "<i>x</i>"),
    ("text between rows", "<table>", "<tr>x"),
    ("elements in rows", "<table><tr>", "<br>"),
    ("options", "<select>", "<option>x"),
    ("paragraphs", "", "<p>x"),
    ("less-than signs", "", "<"),
    ("starts of tags", "", "<a "),
    ("starts of comments", "", "<!--"),
    ("dashes", "<!--", "-"),
    ("references", "", "&amp;&lt;&#x41;&notit;"),
    ("doctypes", "", " <!doctype html>"),
];

pub(crate) fn input((_, start, piece): Kind, size: usize) -> String {
    let mut text = String::from(start);
    let mut number = 0;
    while text.len() < size {
        match piece.split_once('#') {
            Some((before, after)) => text.push_str(&format!("{before}{number}{after}")),
            None => text.push_str(piece),
        }
        number += 1;
    }
    text
}
