//! Programs: our own, and others that may be missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::SystemTime;

/// A program of ours: its package, its name, and the folders of its crates.
struct Ours {
    package: &'static str,
    name: &'static str,
    crates: &'static [&'static str],
    built: OnceLock<PathBuf>,
}

static PERGOLA: Ours = Ours {
    package: "pergola",
    name: "pergola",
    crates: &[
        "accounts",
        "api",
        "config",
        "feed",
        "index",
        "manners",
        "newsroom",
        "node",
        "notify",
        "openid",
        "outside",
        "pages",
        "peers",
        "pergola",
        "port",
        "profile",
        "proto",
        "query",
        "reader-api",
        "refresh",
        "report",
        "site",
        "store",
        "takeout",
        "topology-gen",
        "wiring",
    ],
    built: OnceLock::new(),
};

static TOPOLOGY_GEN: Ours = Ours {
    package: "pergola-topology",
    name: "topology-gen",
    crates: &["proto", "query", "report", "topology-gen", "wiring"],
    built: OnceLock::new(),
};

static LAB: Ours = Ours {
    package: "pergola-lab",
    name: "pergola-lab",
    crates: &["lab", "newsroom", "query", "refresh", "report", "wiring"],
    built: OnceLock::new(),
};

/// The output of a program.
#[derive(Debug)]
pub(crate) struct Output {
    /// Its exit code; nothing if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program to its end, without blocking the servers of the test.
pub(crate) async fn run(mut command: Command) -> Output {
    let ended = tokio::task::spawn_blocking(move || command.stdin(Stdio::null()).output());
    let output = ended.await.unwrap().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Output { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// `pergola`, with an environment that configures nothing.
pub(crate) fn pergola() -> Command {
    PERGOLA.command()
}

/// The generator of meshes.
pub(crate) fn topology_gen() -> Command {
    TOPOLOGY_GEN.command()
}

/// The lab.
pub(crate) fn lab() -> Command {
    LAB.command()
}

/// Where the node's program is.
pub(crate) fn pergola_binary() -> &'static Path {
    PERGOLA.binary()
}

/// The folder of the whole project.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

impl Ours {
    fn command(&'static self) -> Command {
        let mut command = Command::new(self.binary());
        let ours = std::env::vars_os().map(|(name, _)| name);
        for name in ours.filter(|name| name.to_string_lossy().starts_with("PERGOLA_")) {
            command.env_remove(name);
        }
        command
    }

    /// The binary beside that of this test; built if it is missing or older than its sources.
    fn binary(&'static self) -> &'static Path {
        self.built.get_or_init(|| {
            let own = std::env::current_exe().unwrap();
            let profile = own.parent().and_then(Path::parent).unwrap();
            let binary = profile.join(self.name);
            let folders = self.crates.iter().map(|name| workspace().join(name));
            let sources = folders.flat_map(|of| ["src", "assets"].map(|name| of.join(name)));
            let newest = sources.filter(|of| of.is_dir()).map(|folder| newest(&folder)).max();
            if fs::metadata(&binary).and_then(|file| file.modified()).ok() < newest {
                let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
                cargo.args(["build", "--quiet", "-p", self.package, "--bin", self.name]);
                if profile.ends_with("release") {
                    cargo.arg("--release");
                }
                let built = cargo.current_dir(workspace()).status().unwrap();
                assert!(built.success(), "`{}` cannot be built", self.name);
            }
            binary
        })
    }
}

/// When something in a folder was last changed.
fn newest(folder: &Path) -> SystemTime {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let changed = entries.map(|entry| match entry.file_type().unwrap().is_dir() {
        true => newest(&entry.path()),
        false => entry.metadata().unwrap().modified().unwrap(),
    });
    changed.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Whether a program is missing; the test is then skipped. With `PERGOLA_REQUIRE_ALL` set it fails.
pub(crate) fn missing(program: &str, test: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return false;
    }
    skipped(test, &format!("`{program}` is not installed"));
    true
}

/// Reports that a test is skipped, and why. With `PERGOLA_REQUIRE_ALL` set it fails.
pub(crate) fn skipped(test: &str, why: &str) {
    assert!(std::env::var_os("PERGOLA_REQUIRE_ALL").is_none(), "{test} cannot run: {why}");
    eprintln!("skipped: {test}: {why}");
}

/// Where `.ci/run` puts Python with the modules that tests import, in the workspace.
const PYTHON: &str = "target/python/bin/python3";

/// Python with some modules: from `.ci/run`, or that of the system; `None` if the test is to be skipped.
pub(crate) async fn python(test: &str, modules: &[&str]) -> Option<PathBuf> {
    let own = workspace().join(PYTHON);
    let python = if own.is_file() {
        own
    } else if missing("python3", test) {
        return None;
    } else {
        "python3".into()
    };
    let modules = modules.join(", ");
    let mut command = Command::new(&python);
    command.args(["-c", &format!("import {modules}")]);
    if run(command).await.code != Some(0) {
        skipped(test, &format!("Python cannot import {modules}; `.ci/run` installs them"));
        return None;
    }
    Some(python)
}
