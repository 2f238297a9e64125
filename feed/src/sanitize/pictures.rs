//! Pictures and films of a sanitised text, for pages that load nothing from other hosts.
//!
//! Many publishers give the address of a picture elsewhere than in `src`: in `srcset`, in the `<source>` of a `<picture>`,
//! or where a script of theirs would look for it. The best one is chosen here, once.
//!
//! Reads what ammonia has written, which is regular: every attribute is `name="value"`, and every `<` outside of values begins a tag.

use url::Url;

use crate::markup::chars::{decoded, push_escaped};
use crate::markup::links::{is_web, resolve};

/// Attributes besides `src` that have the address of a picture, or a choice of several.
pub(super) const ELSEWHERE: [&str; 6] =
    ["data-src", "data-original", "data-lazy-src", "srcset", "data-srcset", "data-lazy-srcset"];
/// The width of a picture that is sharp on a fine screen, in pixels.
const SHARP: f64 = 1_280.0;

/// What becomes of pictures.
#[derive(Clone, Copy)]
pub enum Pictures<'a> {
    /// A link stands in the place of each.
    Linked,
    /// They are loaded from another address, which this makes from theirs.
    From(&'a dyn Fn(&str) -> String),
}

/// The text with each picture, film and sound replaced.
pub(super) fn replaced(html: &str, base: Option<&Url>, pictures: Pictures<'_>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    let mut links = 0_usize;
    // The address that the sources of a `<picture>` offer, while it is open.
    let mut offered: Option<Option<String>> = None;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let end = at + length(&rest[at..]);
        let tag = &rest[at..end];
        rest = &rest[end..];
        match name(tag) {
            "a" if tag.starts_with("</") => links = links.saturating_sub(1),
            "a" => links += 1,
            "picture" => {
                offered = (!tag.starts_with("</")).then_some(None);
                continue;
            }
            "img" => {
                let address = address(tag, base).or_else(|| offered.take().flatten());
                match (address, pictures) {
                    (None, _) => {}
                    (Some(address), Pictures::Linked) => {
                        push_link(&mut out, tag, &address, "Picture", links > 0);
                    }
                    (Some(address), Pictures::From(from)) => {
                        push_picture(&mut out, tag, &from(&address));
                    }
                }
                continue;
            }
            "source" if offered.is_some() => {
                let first = offered.take().flatten();
                offered = Some(first.or_else(|| address(tag, base)));
                continue;
            }
            kind @ ("video" | "audio") if !tag.starts_with("</") => {
                let label = if kind == "video" { "Video" } else { "Audio" };
                push_file(&mut out, tag, label, links > 0);
                continue;
            }
            "source" => {
                push_file(&mut out, tag, "File", links > 0);
                continue;
            }
            "video" | "audio" => continue,
            _ => {}
        }
        out.push_str(tag);
    }
    out.push_str(rest);
    out
}

/// The length of the tag that a text begins with: up to the first `>` that is not inside a value.
fn length(text: &str) -> usize {
    let mut quoted = false;
    let end = text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'>' && !quoted
    });
    end.map_or(text.len(), |end| end + 1)
}

fn name(tag: &str) -> &str {
    let inner = tag.trim_start_matches(['<', '/']);
    inner.split([' ', '>', '/']).next().unwrap_or("")
}

/// The value of an attribute, escaped as it stands there.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let length = tag[start..].find('"')?;
    Some(&tag[start..start + length]).filter(|value| !value.trim().is_empty())
}

/// Where the picture of a tag is. What a script would load comes first: `src` has a placeholder then.
fn address(tag: &str, base: Option<&Url>) -> Option<String> {
    let [one, other, third, choices @ ..] = ELSEWHERE;
    [one, other, third, "src"].into_iter().chain(choices).find_map(|name| {
        let value = decoded(attribute(tag, name)?);
        let address = if choices.contains(&name) { best(&value)? } else { value.trim() };
        Some(resolve(address, base)).filter(|address| is_web(address))
    })
}

/// The smallest picture of a `srcset` that is sharp, or the largest.
fn best(set: &str) -> Option<&str> {
    let mut found: Option<(&str, f64)> = None;
    let mut rest = set;
    while let Some((address, after)) = candidate(rest) {
        let (descriptor, next) = after.split_once(',').unwrap_or((after, ""));
        let size = width(descriptor);
        let is_better = |(_, known): (&str, f64)| {
            if known < SHARP { size > known } else { (SHARP..known).contains(&size) }
        };
        if found.is_none_or(is_better) {
            found = Some((address, size));
        }
        rest = next;
    }
    found.map(|(address, _)| address)
}

/// The first address of a `srcset`, and what follows it. An address may have commas inside.
fn candidate(set: &str) -> Option<(&str, &str)> {
    let set = set.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    let length = set.find(char::is_whitespace).unwrap_or(set.len());
    let address = set[..length].trim_end_matches(',');
    // A comma at its end stands for no descriptor.
    (!address.is_empty()).then(|| (address, &set[address.len()..]))
}

/// The width that a descriptor stands for: `640w`, or `2x` of a picture that is as wide as the text.
fn width(descriptor: &str) -> f64 {
    let number = |text: &str| text.parse().ok().filter(|size: &f64| *size > 0.0);
    let descriptor = descriptor.trim();
    let wide = descriptor.strip_suffix('w').and_then(number);
    let dense = descriptor.strip_suffix('x').and_then(number).map(|times| times * SHARP / 2.0);
    wide.or(dense).unwrap_or(SHARP / 2.0)
}

fn push_file(out: &mut String, tag: &str, kind: &str, inside_link: bool) {
    if let Some(address) = attribute(tag, "src") {
        push_link(out, tag, &decoded(address), kind, inside_link);
    }
}

fn push_link(out: &mut String, tag: &str, address: &str, kind: &str, inside_link: bool) {
    let label = match attribute(tag, "alt").or(attribute(tag, "title")) {
        // In a value these may stand as they are, in a text not.
        Some(words) => format!("{kind}: {}", words.replace('<', "&lt;").replace('>', "&gt;")),
        None => kind.to_owned(),
    };
    match inside_link {
        true => out.push_str(&format!("<span class=\"picture\">{label}</span>")),
        false => {
            out.push_str("<a class=\"picture\" href=\"");
            push_escaped(out, address);
            out.push_str("\" rel=\"noopener noreferrer nofollow\">");
            out.push_str(&label);
            out.push_str("</a>");
        }
    }
}

fn push_picture(out: &mut String, tag: &str, address: &str) {
    let alt = attribute(tag, "alt").unwrap_or("");
    let size = ["width", "height"].map(|side| match attribute(tag, side) {
        Some(value) => format!(" {side}=\"{value}\""),
        None => String::new(),
    });
    out.push_str("<img src=\"");
    push_escaped(out, address);
    out.push_str(&format!("\" alt=\"{alt}\"{}{} loading=\"lazy\">", size[0], size[1]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_becomes_a_link_and_inside_a_link_its_words() {
        let html = "<p>a<img src=\"http://x/1.png?a&amp;b\" alt=\"A &lt;cat&gt;\">b</p>\
                    <a href=\"http://y/\"><img src=\"http://x/2.png\"></a>";
        assert_eq!(
            replaced(html, None, Pictures::Linked),
            "<p>a<a class=\"picture\" href=\"http://x/1.png?a&amp;b\" rel=\"noopener noreferrer nofollow\">\
             Picture: A &lt;cat&gt;</a>b</p><a href=\"http://y/\"><span class=\"picture\">Picture</span></a>"
        );
    }

    #[test]
    fn a_value_with_angle_brackets_does_not_end_its_tag() {
        let shown = replaced("<img alt=\"1 > 0 <b>\" src=\"http://x/\">!", None, Pictures::Linked);
        assert!(shown.ends_with(">Picture: 1 &gt; 0 &lt;b&gt;</a>!"), "{shown}");
    }

    #[test]
    fn films_and_sounds_become_links_and_their_fallback_stays() {
        let html = "<video controls=\"\" src=\"http://x/f.mp4\">No film</video>\
                    <audio><source src=\"http://x/s.ogg\"></audio>";
        let shown = replaced(html, None, Pictures::Linked);
        assert!(
            !shown.contains("<video") && !shown.contains("<audio") && !shown.contains("<source")
        );
        assert!(shown.contains("href=\"http://x/f.mp4\"") && shown.contains("No film"));
        assert!(shown.contains("href=\"http://x/s.ogg\""), "{shown}");
    }

    #[test]
    fn a_picture_can_be_loaded_from_elsewhere_and_one_without_address_goes() {
        let from = |address: &str| format!("image?u={}&k=1", address.len());
        let html = "<img src=\"http://x/1.png\" alt=\"A\" width=\"3\"><img alt=\"none\">";
        assert_eq!(
            replaced(html, None, Pictures::From(&from)),
            "<img src=\"image?u=14&amp;k=1\" alt=\"A\" width=\"3\" loading=\"lazy\">"
        );
    }

    #[test]
    fn the_picture_that_a_script_or_a_wide_screen_would_load_is_found() {
        let base = Url::parse("http://x/a/").unwrap();
        let shown = |html: &str| {
            let from = |address: &str| format!("[{address}]");
            let shown = replaced(html, Some(&base), Pictures::From(&from));
            let (_, rest) = shown.split_once("src=\"[").unwrap_or(("", ""));
            rest.split(']').next().unwrap().to_owned()
        };
        for (html, address) in [
            ("<img data-src=\"1.png\">", "http://x/a/1.png"),
            ("<img src=\"http://x/0.gif\" data-src=\"http://x/1.png\">", "http://x/1.png"),
            ("<img srcset=\"s.png 320w, m.png 1400w, l.png 2800w\">", "http://x/a/m.png"),
            ("<img srcset=\"s.png, l.png 2x\">", "http://x/a/l.png"),
            (
                "<img srcset=\"http://x/w=1,h=2/s.png 3x,http://x/t.png 400w\">",
                "http://x/w=1,h=2/s.png",
            ),
            ("<img srcset=\",,\" data-lazy-src=\"/2.png?a&amp;b\">", "http://x/2.png?a&amp;b"),
            (
                "<picture><source srcset=\"1.webp\"><source srcset=\"2.webp\"><img alt=\"\"></picture>",
                "http://x/a/1.webp",
            ),
            (
                "<picture><source srcset=\"1.webp\"><img src=\"http://x/3.png\"></picture>",
                "http://x/3.png",
            ),
            ("<img data-src=\"javascript:alert(1)\">", ""),
            ("<img srcset=\"data:image/png;base64,AAAA 1x\">", ""),
        ] {
            assert_eq!(shown(html), address, "{html}");
        }
    }

    #[test]
    fn nothing_of_a_picture_stays_that_would_load_from_elsewhere() {
        let html = "<picture><source srcset=\"http://x/1.webp\"><img src=\"http://x/2.png\" \
                    srcset=\"http://x/3.png 2x\" data-src=\"http://x/4.png\"></picture><source srcset=\"http://x/5\">";
        let from = |_: &str| "own".to_owned();
        assert_eq!(
            replaced(html, None, Pictures::From(&from)),
            "<img src=\"own\" alt=\"\" loading=\"lazy\">"
        );
    }
}
