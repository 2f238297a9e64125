//! The example file: every key with its default, or with an example, and with its help.

use std::fmt::Write as _;

use crate::document::{Form, Section};
use crate::table::Key;
use crate::tables::TABLES;

const WIDTH: usize = 100;

const INTRODUCTION: [&str; 3] = [
    "The configuration of a Pergola node. Every key is here. A key with a default has that value; the \
     others are commented out.",
    "Each key in the tables up to [log] is also an environment variable, which overrides the file: \
     crawl.timeout is PERGOLA_CRAWL__TIMEOUT. Lists have commas there. An empty variable counts as not \
     set.",
    "Durations are \"250 ms\", \"2 s\", \"15 min\", \"12 h\" or \"90 days\"; a number without a unit is \
     seconds. Sizes are \"50 MB\" or \"10 MiB\"; a number without a unit is bytes. Paths start from the \
     folder of this file.",
];

/// The example file. The configuration that it is means the same as none.
pub fn example() -> String {
    let introduction = INTRODUCTION.map(|paragraph| wrapped("# ", paragraph, WIDTH));
    let tables = TABLES.iter().map(table);
    format!("{}{}", introduction.join("#\n"), tables.collect::<String>())
}

fn table(section: &Section) -> String {
    let mark = if section.form == Form::Once { "" } else { "#" };
    let header = format!("{mark}{}\n", section.header());
    let mut text = format!("\n{}{header}", wrapped("# ", section.about, WIDTH));
    let mut group = None;
    for key in &section.keys {
        if key.excludes && section.form == Form::List {
            text.push_str(&header);
        }
        if let Some(begun) = key.group.filter(|own| group != Some(*own)) {
            text.push_str(&wrapped("# ", begun.about, WIDTH));
            let _ = writeln!(text, "{mark}[{}.{}]", section.name, begun.name);
        }
        group = key.group;
        text.push_str(&wrapped("# ", &key.help, WIDTH));
        text.push_str(&line(section, key));
    }
    text
}

/// A key and its value. It is commented out if it has no default, or if its default does not hold here.
fn line(section: &Section, key: &Key) -> String {
    let name = key.name.rsplit('.').next().unwrap_or(&key.name);
    let value = key.default.as_ref().or(key.example.as_ref());
    let value = value.map(ToString::to_string).unwrap_or_default();
    let holds = section.form == Form::Once && key.default.is_some() && !key.excludes;
    let mark = if holds { "" } else { "#" };
    format!("{mark}{name} = {value}\n")
}

/// Text in lines of at most `width` characters, each of which begins with `prefix`.
pub(crate) fn wrapped(prefix: &str, text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = prefix.to_owned();
    for word in text.split_whitespace() {
        let begun = line.len() > prefix.len();
        if begun && line.chars().count() + 1 + word.chars().count() > width {
            lines.push_str(&line);
            lines.push('\n');
            prefix.clone_into(&mut line);
        } else if begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}
