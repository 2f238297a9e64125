//! Rust as text: comments and literals blanked, items that only tests use blanked, cut into tokens.
//!
//! Blanking keeps every line and every column, so an offset in the result is one in the file.

/// The code without comments and without the contents of literals.
pub(super) fn without_comments_and_literals(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => line_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => block_comment_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'\'' => char_end(text, at).unwrap_or(at),
            b'r' | b'b' | b'c' if !follows_word(bytes, at) => prefixed_end(text, at).unwrap_or(at),
            _ => at,
        };
        if end == at {
            at += 1;
            continue;
        }
        blank(&mut code, at, end);
        at = end;
    }
    String::from_utf8_lossy(&code).into_owned()
}

fn blank(code: &mut [u8], from: usize, to: usize) {
    code[from..to].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

fn follows_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// Block comments nest.
fn block_comment_end(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if bytes[at..].starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a character literal; nothing if the quote begins a lifetime.
fn char_end(text: &str, from: usize) -> Option<usize> {
    let mut chars = text[from + 1..].char_indices();
    match chars.next()? {
        (_, '\\') => {
            chars.next()?;
            chars.find(|(_, c)| *c == '\'').map(|(at, _)| from + 2 + at)
        }
        _ => match chars.next()? {
            (at, '\'') => Some(from + 2 + at),
            _ => None,
        },
    }
}

/// The end of a literal that begins with letters: `b"`, `r#"`, `br"`, `c"`, `b'`.
fn prefixed_end(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    let letters = rest.find(|c: char| !matches!(c, 'r' | 'b' | 'c')).filter(|&n| n <= 2)?;
    let prefix = &rest[..letters];
    let hashes = rest[letters..].bytes().take_while(|&byte| byte == b'#').count();
    let quote = letters + hashes;
    match rest.as_bytes().get(quote)? {
        b'"' if prefix.contains('r') => {
            let closing = format!("\"{}", "#".repeat(hashes));
            let end = rest[quote + 1..].find(&closing).map(|at| quote + 1 + at + closing.len());
            Some(from + end.unwrap_or(rest.len()))
        }
        b'"' if hashes == 0 => Some(string_end(text.as_bytes(), from + quote)),
        b'\'' if prefix == "b" => char_end(text, from + quote),
        _ => None,
    }
}

/// A word, `::`, or a single sign, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
}

impl Token<'_> {
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

pub(super) fn tokens(code: &str) -> Vec<Token<'_>> {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if part_of_word(first) {
            rest.find(|c| !part_of_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(Token { at, text: &rest[..length] });
        at += length;
    }
    tokens
}

/// The number of the bracket that closes the one at `open`; the last token if none does.
pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0;
    for (number, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return number;
        }
    }
    tokens.len() - 1
}

/// Code without what only tests use, and the modules in files of their own that only tests use.
pub(super) fn without_tests(code: &str) -> (String, Vec<String>) {
    let tokens = tokens(code);
    let mut blanked = code.as_bytes().to_vec();
    let mut test_modules = Vec::new();
    let mut number = 0;
    while number < tokens.len() {
        if !is_test_attribute(&tokens, number) {
            number += 1;
            continue;
        }
        let (item, end) = attributed_item(&tokens, number);
        if let [first, name, semicolon, ..] = &tokens[item..]
            && first.text == "mod"
            && semicolon.text == ";"
        {
            test_modules.push(name.text.to_owned());
        }
        let last = &tokens[end];
        blank(&mut blanked, tokens[number].at, last.at + last.text.len());
        number = end + 1;
    }
    (String::from_utf8_lossy(&blanked).into_owned(), test_modules)
}

/// Whether `#[test]`, `#[tokio::test]`, `#[cfg(test)]` or `#[cfg(all(test, …))]` begins here.
fn is_test_attribute(tokens: &[Token<'_>], number: usize) -> bool {
    let opens = tokens[number].text == "#" && tokens.get(number + 1).is_some_and(|t| t.text == "[");
    if !opens {
        return false;
    }
    let inside = &tokens[number + 2..closing(tokens, number + 1)];
    let texts: Vec<&str> = inside.iter().map(|token| token.text).collect();
    match texts.as_slice() {
        ["cfg", "(", "test", ")"] | ["cfg", "(", "all", "(", "test", ..] => true,
        ["cfg", ..] => false,
        // An attribute with arguments, such as `tokio::test(flavor = …)`, names itself before them.
        _ => texts.iter().take_while(|text| **text != "(").last() == Some(&"test"),
    }
}

/// The item that the attribute at `number` belongs to: its first token after visibility and other attributes,
/// and its last.
fn attributed_item(tokens: &[Token<'_>], number: usize) -> (usize, usize) {
    let mut item = number;
    while tokens.get(item).is_some_and(|token| token.text == "#") {
        item = closing(tokens, item + 1) + 1;
    }
    if tokens.get(item).is_some_and(|token| token.text == "pub") {
        item += 1;
        if tokens.get(item).is_some_and(|token| token.text == "(") {
            item = closing(tokens, item) + 1;
        }
    }
    let is_item = tokens.get(item).is_some_and(|token| {
        let items = "fn mod use impl struct const static type enum trait async unsafe extern let";
        items.split(' ').any(|word| word == token.text)
    });
    let mut end = item;
    while end < tokens.len() {
        match tokens[end].text {
            ";" => return (item, end),
            // A field or a match arm.
            "," if !is_item => return (item, end),
            "{" => return (item, closing(tokens, end)),
            "(" | "[" => end = closing(tokens, end),
            _ => {}
        }
        end += 1;
    }
    (item, tokens.len() - 1)
}

/// The line of an offset, counted from 1.
pub(super) fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1
}
