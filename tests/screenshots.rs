//! `cargo run -p pergola-tests --bin screenshots -- DIR`: pictures of every page, and those of the README.
//!
//! The pages are shown by an end-to-end test, which this runs: so what is photographed is also checked.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What has to be there, and how Debian calls it.
const NEEDED: [(&str, &str); 2] = [("chromium", "chromium"), ("chromedriver", "chromium-driver")];

fn main() -> ExitCode {
    let mut given = std::env::args_os().skip(1);
    let (Some(folder), None) = (given.next(), given.next()) else {
        eprintln!(
            "give a folder for the pictures: cargo run -p pergola-tests --bin screenshots -- DIR"
        );
        return ExitCode::from(2);
    };
    for (program, package) in NEEDED {
        if !is_there(program) {
            eprintln!(
                "`{program}` is missing, a real browser shows the pages: apt-get install {package}"
            );
            return ExitCode::FAILURE;
        }
    }
    match take(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a program is in one of the folders of `PATH`.
fn is_there(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn take(folder: &Path) -> Result<(), String> {
    let shown = folder.display();
    let of_folder = |error| format!("{shown} cannot be used: {error}");
    std::fs::create_dir_all(folder).map_err(of_folder)?;
    let folder: PathBuf = folder.canonicalize().map_err(of_folder)?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["test", "--workspace", "--test", "end-to-end", "screenshots"]);
    cargo.env("PERGOLA_SCREENSHOTS", &folder).env("PERGOLA_REQUIRE_ALL", "1");
    // `cargo run` has said what is run. Build scripts that look at that would be built anew.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let status = cargo.status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !status.success() {
        return Err("a page could not be shown as it should be; the test above says which".into());
    }
    println!("The pictures are in {shown}; those of the README in {shown}/docs.");
    Ok(())
}
