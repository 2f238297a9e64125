//! Runs the blocks of a page in one shell, in a home folder of its own, with a node of its own.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::page::{Block, Page};
use super::site::Site;
use crate::harness::{lab, pergola, pergola_binary, python, topology_gen, within, workspace};

/// How long the commands of a page may take together.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the site on this machine needs: it is private, and courtesy would only take time.
const CONFIGURATION: &str = r#"[node]
listen = "127.0.0.1:0"
[schedule]
cycle = "100 ms"
[budget]
refreshes_per_minute = 6000
[crawl]
timeout = "5 s"
[hosts."127.0.0.1"]
private = true
spacing = 0
"#;

/// What a session left.
pub(super) struct Ended {
    /// `PAGE: line N: exit code C`, and what was printed.
    pub(super) failures: String,
    /// A command that was not run as it stands, with the reason.
    pub(super) only_checked: Vec<(String, String)>,
}

/// Runs the blocks of a page.
pub(super) async fn play(page: &Page) -> Ended {
    let (folder, site) = (TempDir::new().unwrap(), Site::start().await);
    let home = folder.path();
    fs::create_dir_all(home.join(".config/pergola")).unwrap();
    fs::write(home.join(".config/pergola/pergola.toml"), CONFIGURATION).unwrap();
    fs::write(home.join("page.sh"), script(page, home)).unwrap();
    let mut shell = Shell(command(page, home, &site).await.spawn().unwrap());
    let status = within(PATIENCE, &format!("the commands of {}", page.path), async || {
        shell.0.try_wait().unwrap().ok_or_else(|| read(&home.join("printed")))
    })
    .await;
    let mut failures = read(&home.join("failures"));
    if !status.success() {
        // It ended before the page did.
        writeln!(failures, "{}: the shell ended with {status}", page.path).unwrap();
    }
    if !failures.is_empty() {
        write!(failures, "--- printed:\n{}", read(&home.join("printed"))).unwrap();
    }
    let failures = failures.replace(&home.join("page.sh").display().to_string(), &page.path);
    let noted = read(&home.join("only-checked"));
    let noted = noted.lines().filter_map(|line| line.split_once('\t'));
    let only_checked = noted.map(|(why, what)| (why.to_owned(), what.to_owned())).collect();
    Ended { failures, only_checked }
}

/// The shell and everything that it started; killed on drop.
struct Shell(Child);

impl Drop for Shell {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        // All of it may have ended already.
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.0.wait();
    }
}

async fn command(page: &Page, home: &Path, site: &Site) -> Command {
    // Builds them if need be.
    let (_, _, _) = (pergola(), topology_gen(), lab());
    let name = page.path.replace('/', "-");
    let before = workspace().join("tests/documents/before").join(name.replace(".md", ".sh"));
    let printed = fs::File::create(home.join("printed")).unwrap();
    let mut command = Command::new("bash");
    command.arg(workspace().join("tests/documents/session.sh"));
    command.arg(home.join("page.sh")).arg(before).current_dir(home);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("PERGOLA_") || text.starts_with("XDG_") {
            command.env_remove(&name);
        }
    }
    command.env("HOME", home).env("SITE", site.url()).env("WORKSPACE", workspace());
    command.env("BIN", pergola_binary().parent().unwrap()).env("PYTHON", interpreter().await);
    command.env("COLUMNS", "").stdin(Stdio::null()).stdout(printed.try_clone().unwrap());
    command.stderr(printed).process_group(0);
    command
}

/// Python with the gRPC library if there is one, for the pages that use it.
async fn interpreter() -> PathBuf {
    let own = workspace().join("target/python/bin/python3");
    if own.is_file() {
        own
    } else {
        python("the pages", &["json"]).await.unwrap_or("python3".into())
    }
}

/// The page as a script: shell blocks at their lines, and a check in the first line of other blocks.
fn script(page: &Page, home: &Path) -> String {
    let mut lines = vec![String::new(); page.text.lines().count()];
    for block in &page.blocks {
        if let Some(check) = check(block, home) {
            lines[block.line - 1] = check;
        }
        if block.info == "sh" {
            for (offset, line) in block.text.lines().enumerate() {
                line.clone_into(&mut lines[block.line + offset]);
            }
        }
    }
    lines.join("\n") + "\n"
}

/// The command that checks a block where the files are that the page has made.
fn check(block: &Block, home: &Path) -> Option<String> {
    let (function, ending) = match block.info.as_str() {
        "toml" => ("check_configuration", "toml"),
        "toml mesh" => ("check_mesh", "toml"),
        "json mesh" => ("check_mesh", "json"),
        "python" => ("check_python", "py"),
        _ => return None,
    };
    let file = format!("block-{}.{ending}", block.line);
    fs::write(home.join(&file), &block.text).unwrap();
    Some(format!("{function} {file}"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
