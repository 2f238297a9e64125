//! Pictures and films of a sanitised text, for pages that load nothing from other hosts.
//!
//! Reads what ammonia has written, which is regular: every attribute is `name="value"`, and every `<` outside of values begins a tag.

/// What becomes of pictures.
#[derive(Clone, Copy)]
pub enum Pictures<'a> {
    /// A link stands in the place of each.
    Linked,
    /// They are loaded from another address, which this makes from theirs.
    From(&'a dyn Fn(&str) -> String),
}

/// The text with each picture, film and sound replaced.
pub(super) fn replaced(html: &str, pictures: Pictures<'_>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    let mut links = 0_usize;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let end = at + length(&rest[at..]);
        let tag = &rest[at..end];
        rest = &rest[end..];
        match name(tag) {
            "a" if tag.starts_with("</") => links = links.saturating_sub(1),
            "a" => links += 1,
            "img" => {
                match pictures {
                    Pictures::Linked => push_link(&mut out, tag, "Picture", links > 0),
                    Pictures::From(from) => push_picture(&mut out, tag, from),
                }
                continue;
            }
            kind @ ("video" | "audio") if !tag.starts_with("</") => {
                let label = if kind == "video" { "Video" } else { "Audio" };
                push_link(&mut out, tag, label, links > 0);
                continue;
            }
            "source" => {
                push_link(&mut out, tag, "File", links > 0);
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

fn push_link(out: &mut String, tag: &str, kind: &str, inside_link: bool) {
    let Some(address) = attribute(tag, "src") else { return };
    let label = match attribute(tag, "alt").or(attribute(tag, "title")) {
        // In a value these may stand as they are, in a text not.
        Some(words) => format!("{kind}: {}", words.replace('<', "&lt;").replace('>', "&gt;")),
        None => kind.to_owned(),
    };
    match inside_link {
        true => out.push_str(&format!("<span class=\"picture\">{label}</span>")),
        false => out.push_str(&format!(
            "<a class=\"picture\" href=\"{address}\" rel=\"noopener noreferrer nofollow\">{label}</a>"
        )),
    }
}

fn push_picture(out: &mut String, tag: &str, from: &dyn Fn(&str) -> String) {
    let Some(address) = attribute(tag, "src") else { return };
    let address = from(&address.replace("&amp;", "&"));
    let alt = attribute(tag, "alt").unwrap_or("");
    let size = ["width", "height"].map(|side| match attribute(tag, side) {
        Some(value) => format!(" {side}=\"{value}\""),
        None => String::new(),
    });
    let address = address.replace('&', "&amp;").replace('"', "&quot;");
    out.push_str(&format!(
        "<img src=\"{address}\" alt=\"{alt}\"{}{} loading=\"lazy\">",
        size[0], size[1]
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_becomes_a_link_and_inside_a_link_its_words() {
        let html = "<p>a<img src=\"http://x/1.png?a&amp;b\" alt=\"A &lt;cat&gt;\">b</p>\
                    <a href=\"http://y/\"><img src=\"http://x/2.png\"></a>";
        assert_eq!(
            replaced(html, Pictures::Linked),
            "<p>a<a class=\"picture\" href=\"http://x/1.png?a&amp;b\" rel=\"noopener noreferrer nofollow\">\
             Picture: A &lt;cat&gt;</a>b</p><a href=\"http://y/\"><span class=\"picture\">Picture</span></a>"
        );
    }

    #[test]
    fn a_value_with_angle_brackets_does_not_end_its_tag() {
        let shown = replaced("<img alt=\"1 > 0 <b>\" src=\"http://x/\">!", Pictures::Linked);
        assert!(shown.ends_with(">Picture: 1 &gt; 0 &lt;b&gt;</a>!"), "{shown}");
    }

    #[test]
    fn films_and_sounds_become_links_and_their_fallback_stays() {
        let html = "<video controls=\"\" src=\"http://x/f.mp4\">No film</video>\
                    <audio><source src=\"http://x/s.ogg\"></audio>";
        let shown = replaced(html, Pictures::Linked);
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
            replaced(html, Pictures::From(&from)),
            "<img src=\"image?u=14&amp;k=1\" alt=\"A\" width=\"3\" loading=\"lazy\">"
        );
    }
}
