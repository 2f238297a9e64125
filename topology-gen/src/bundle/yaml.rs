//! Writes JSON values as YAML for people: in block style, with quotes only where YAML could misread a text.

use std::fmt::Write as _;

use serde_json::Value;

/// A YAML document.
pub(super) fn document(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

fn block(value: &Value, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                let _ = write!(text, "{indent}{}:", scalar(key));
                member(value, depth, text);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for element in elements {
                let _ = write!(text, "{indent}-");
                // A mapping or list begins on the line of its dash.
                let mut inner = String::new();
                if is_block(element) {
                    block(element, depth + 1, &mut inner);
                    let _ = write!(text, " {}", inner.trim_start());
                } else {
                    member(element, depth, text);
                }
            }
        }
        single => {
            let _ = writeln!(text, "{indent}{}", flow(single));
        }
    }
}

/// Writes what follows a key or a dash.
fn member(value: &Value, depth: usize, text: &mut String) {
    match value {
        value if is_block(value) => {
            text.push('\n');
            block(value, depth + 1, text);
        }
        Value::String(lines) if is_literal(lines) => {
            text.push_str(" |\n");
            let indent = "  ".repeat(depth + 1);
            for line in lines.lines() {
                let _ = match line {
                    "" => writeln!(text),
                    line => writeln!(text, "{indent}{line}"),
                };
            }
        }
        single => {
            let _ = writeln!(text, " {}", flow(single));
        }
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(elements) => !elements.is_empty(),
        _ => false,
    }
}

/// Whether a text can be a literal block.
fn is_literal(text: &str) -> bool {
    let plain =
        |c: char| c == '\n' || (!c.is_control() && !"\u{85}\u{2028}\u{2029}\u{feff}".contains(c));
    text.ends_with('\n')
        && !text.ends_with("\n\n")
        && !text.starts_with([' ', '\n'])
        && text.chars().all(plain)
}

fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// A text on one line, with quotes if needed.
pub(super) fn scalar(text: &str) -> String {
    let first = |c: char| c.is_ascii_alphabetic() || c == '/';
    let rest = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null"
    );
    match text.starts_with(first) && text.chars().all(rest) && !word {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// A text in quotes. A JSON string is a YAML string, too.
pub(super) fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    // YAML would fold these line breaks, which JSON does not escape.
    json.replace('\u{85}', "\\N").replace('\u{2028}', "\\L").replace('\u{2029}', "\\P")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_plain_and_ambiguous_texts_are_quoted() {
        for plain in ["pergola", "apps/v1", "/data", "a-b_c.d", "Namespace"] {
            assert_eq!(scalar(plain), plain);
        }
        for ambiguous in [
            "",
            "1",
            "0644",
            "1e3",
            "yes",
            "Off",
            "NULL",
            "a: b",
            "a #b",
            "- a",
            "*a",
            "&a",
            "~",
            "é",
            " a",
            "2026-01-01",
            "{}",
            "!x",
            "%x",
            "@x",
            "`x`",
            "0x1f",
            ".5",
            "64Mi:",
            "a\tb",
            "a'b",
            "<<",
        ] {
            assert_eq!(
                scalar(ambiguous),
                format!("{ambiguous:?}").replace("\\'", "'"),
                "{ambiguous}"
            );
        }
        assert_eq!(scalar("say \"x\" \\ \n"), r#""say \"x\" \\ \n""#);
    }

    #[test]
    fn blocks_are_indented_and_lines_stay_lines() {
        let value = json!({
            "kind": "List",
            "none": [], "empty": {}, "port": 80, "yes": true,
            "items": [{ "name": "a", "list": ["x", "1"] }, "b", [1, 2]],
            "data": { "file.toml": "[node]\nname = \"a\"\n\nend\n" },
        });
        let text = document(&value);
        let expected = "\
data:
  file.toml: |
    [node]
    name = \"a\"

    end
empty: {}
items:
  - list:
      - x
      - \"1\"
    name: a
  - b
  - - 1
    - 2
kind: List
none: []
port: 80
\"yes\": true
";
        assert_eq!(text, expected);
    }
}
