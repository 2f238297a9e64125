//! Checks files of queries and prints them in canonical form.
//!
//! `cargo run -p pergola-query --example check -- FILE.fql…`; `-` means the standard input. Each file may
//! use the feeds of the files before it. The exit code is 2 if any file has an error.

use std::io::Read;
use std::process::ExitCode;

use pergola_query::syntax::Statement;
use pergola_query::{Catalogue, parse, warnings};

fn main() -> ExitCode {
    let mut catalogue = Catalogue::new();
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let shown = read(&path).and_then(|text| check(&path, &text, &mut catalogue));
        if let Err(message) = shown {
            eprintln!("{message}");
            failed = true;
        }
    }
    if failed { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

fn read(path: &str) -> Result<String, String> {
    let mut text = String::new();
    let read = match path {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        _ => std::fs::read_to_string(path).map(|read| text = read),
    };
    read.map(|()| text).map_err(|error| format!("error: cannot read {path}: {error}"))
}

fn check(path: &str, text: &str, catalogue: &mut Catalogue) -> Result<(), String> {
    let script = parse(text).map_err(|error| error.render(text, path))?;
    catalogue.run(&script).map_err(|error| error.render(text, path))?;
    for statement in &script.statements {
        if let Statement::Create(feed) = &statement.value {
            for warning in warnings(&feed.body) {
                eprintln!("{}", warning.render_warning(text, path));
            }
        }
    }
    print!("{script}");
    Ok(())
}
