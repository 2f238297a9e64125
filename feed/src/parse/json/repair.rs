//! Repairs mistakes in JSON that need no guessing: an extra comma, a raw line break or a wrong escape
//! in a string, half a surrogate pair.

/// `text` without those mistakes, otherwise unchanged.
pub(super) fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut chars = text.char_indices().peekable();
    let mut in_string = false;
    while let Some((at, c)) = chars.next() {
        match (in_string, c) {
            (false, ',') if closes(&text[at + 1..]) => {}
            (false, '"') => {
                in_string = true;
                out.push(c);
            }
            (false, _) if c.is_control() && !c.is_whitespace() => {}
            (true, '"') => {
                in_string = false;
                out.push(c);
            }
            (true, '\\') => {
                let (kept, skip) = escape(&text[at..]);
                out.push_str(kept);
                for _ in 0..skip {
                    chars.next();
                }
            }
            (true, '\0'..='\u{1f}') => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out
}

/// Whether only white space comes before a closing bracket.
fn closes(rest: &str) -> bool {
    rest.trim_start().starts_with(['}', ']'])
}

/// The correct form of the escape at the start of `text`, and how many more characters it takes.
fn escape(text: &str) -> (&str, usize) {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => (&text[..2], 1),
        Some(b'u') => match unit(text) {
            Some(0xD800..=0xDBFF) => match text.get(6..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => (&text[..12], 11),
                _ => ("\\ufffd", 5),
            },
            Some(0xDC00..=0xDFFF) => ("\\ufffd", 5),
            Some(_) => (&text[..6], 5),
            None => ("\\\\", 0),
        },
        Some(b'\'') => ("'", 1),
        _ => ("\\\\", 0),
    }
}

/// The code unit of `\u00e9`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
