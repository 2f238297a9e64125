//! The page about all keys (`docs/configuration.md`).

use std::fmt::Write as _;

use crate::document::Section;
use crate::example::wrapped;
use crate::table::Key;
use crate::tables::TABLES;

const WIDTH: usize = 110;

const INTRODUCTION: &str = "\
# Configuration

<!-- Generated. Change the declarations in config/src and run `pergola config docs > docs/configuration.md`. -->

A node works without any configuration: every key has a default or may be left out.

- **File.** `--config FILE` or `PERGOLA_CONFIG` names a TOML file. Otherwise the node takes the first that
  exists: `./pergola.toml`, `~/.config/pergola/pergola.toml`, `/etc/pergola/pergola.toml`.
- **Set while it runs.** `pergola config set crawl.allow_private 192.168.1.0/24` sets a key that is marked with ↻,
  at once and for good. It is stored in `settings.toml` in the data folder and overrides the file, which is never
  written. `pergola config unset` forgets it. Other keys are refused, because they need a restart.
- **Environment.** Each key in the tables up to `[log]` is also a variable, which overrides both. The variable of
  `crawl.timeout` is `PERGOLA_CRAWL__TIMEOUT`. Lists have commas there. An empty variable counts as not set.
- **Secrets.** A key that holds a secret has a twin whose name ends in `_file`. It names a file that holds only
  the secret. Secrets are never printed.
- **Durations** are `\"250 ms\"`, `\"2 s\"`, `\"15 min\"`, `\"12 h\"` or `\"90 days\"`; a number without a unit is
  seconds. **Sizes** are `\"50 MB\"` or `\"10 MiB\"`; a number without a unit is bytes. **Paths** start from the
  folder of the file, or from the working directory if a variable sets them.
- **Keys.** Each key below has its default, or an example if it has none, then what it does, *what is allowed*,
  and its variable.
- **Reload.** On SIGHUP or `POST /api/v1/reload` a running node takes over the keys that are marked with ↻, and
  all of `[[reader]]`, `[[source]]` and `[[feed]]`. All other keys need a restart; the node names those that
  changed.

| command | what it does |
|---|---|
| `pergola config check` | finds every mistake, and what is allowed but probably not meant |
| `pergola config show` | prints what holds, and where each value was set |
| `pergola config set KEY VALUE` | sets a key while the node runs; `unset KEY` forgets it |
| `pergola config example` | prints a file with every key |
";

/// The page about all keys, in Markdown.
pub fn manual() -> String {
    let tables: String = TABLES.iter().map(table).collect();
    format!("{INTRODUCTION}{tables}")
}

fn table(section: &Section) -> String {
    let mut text = format!("\n## `{}`\n\n{}", section.header(), wrapped("", section.about, WIDTH));
    let mut group = None;
    text.push('\n');
    for key in &section.keys {
        if let Some(begun) = key.group.filter(|own| group != Some(*own)) {
            let _ = writeln!(text, "\n### `[{}.{}]`\n", section.name, begun.name);
            let _ = writeln!(text, "{}", wrapped("", begun.about, WIDTH));
        }
        group = key.group;
        text.push_str(&entry(section, key));
    }
    text
}

fn entry(section: &Section, key: &Key) -> String {
    let name = key.name.rsplit('.').next().unwrap_or(&key.name);
    let value = match (&key.default, &key.example) {
        (Some(default), _) => format!(" = `{default}`"),
        (None, Some(example)) => format!(" (not set; for example `{example}`)"),
        (None, None) => String::new(),
    };
    let reloads = if key.reloads { " ↻" } else { "" };
    let variable = section.variable(&key.name).map(|name| format!(" `{name}`"));
    let variable = variable.unwrap_or_default();
    let (help, allowed) = (&key.help, capitalised(&key.allowed));
    let text = format!("**`{name}`**{value}{reloads}: {help} *{allowed}.*{variable}");
    format!("- {}", wrapped("  ", &text, WIDTH).trim_start())
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
