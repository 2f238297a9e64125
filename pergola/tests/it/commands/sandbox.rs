//! A folder of its own for each test, with a node at work in it or without; and something to crawl.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything takes, so that a test that waits in vain ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the configuration of every test says.
pub(crate) const CONFIG: &str = "[crawl]\nallow_private = [\"127.0.0.1\"]\n";

/// Two items, one of them about a volcano.
pub(crate) const RSS: &str = r#"<rss version="2.0"><channel><title>Island news</title>
<link>http://example.org/</link>
<item><guid>1</guid><title>Volcano wakes</title><link>http://example.org/1</link></item>
<item><guid>2</guid><title>Sea is calm</title><link>http://example.org/2</link></item>
</channel></rss>"#;

/// A folder in which `pergola` is called.
pub(crate) struct Sandbox {
    pub(crate) folder: TempDir,
    node: Option<Running>,
}

impl Sandbox {
    /// Without a node.
    pub(crate) fn bare() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("pergola.toml"), CONFIG).unwrap();
        Self { folder, node: None }
    }

    /// Without a node, but with data in which there is nothing yet.
    pub(crate) fn begun() -> Self {
        let sandbox = Self::bare();
        drop(pergola_store::open(&sandbox.data(), None, 1 << 20).unwrap());
        sandbox
    }

    /// With a node at work.
    pub(crate) fn running() -> Self {
        let mut sandbox = Self::bare();
        sandbox.node = Some(sandbox.run(&[]));
        sandbox
    }

    /// Without a node, and with one.
    pub(crate) fn both() -> [Self; 2] {
        [Self::begun(), Self::running()]
    }

    pub(crate) fn is_running(&self) -> bool {
        self.node.is_some()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// `pergola` with these arguments, and nothing of the tester's environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pergola"));
        command.env_clear().env("HOME", self.folder.path()).current_dir(self.folder.path());
        command.args(["--data", "data"]).args(args).stdin(Stdio::null());
        command
    }

    fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// What is said to a command that succeeds.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.output(args);
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.success(), "{args:?}: {stderr}");
        assert_eq!(stderr, "", "{args:?}");
        String::from_utf8(stdout).unwrap()
    }

    /// What is said to a program.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{args:?}: {text}"))
    }

    /// What is said of a command that fails with this code.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.output(args);
        let stderr = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}: {stderr}");
        assert_eq!(stdout, b"", "{args:?}");
        stderr
    }

    /// A node at work here, once it is ready.
    pub(crate) fn run(&self, variables: &[(&str, &str)]) -> Running {
        let port_file = self.path("port");
        let mut command =
            self.command(&["run", "--listen", "127.0.0.1:0", "--port-file", &port_file]);
        command.envs(variables.iter().copied());
        let node = Running::start(command);
        node.wait_for("node ready");
        node
    }
}

/// A process that goes on, and the lines that it writes.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    /// Starts a command and reads its standard error.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        Self { child, lines: lines_of(stderr) }
    }

    /// Starts a command and reads its standard output.
    pub(crate) fn talking(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        Self { child, lines: lines_of(stdout) }
    }

    /// The next line with this in it.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => seen.push(line),
                Err(_) => panic!("no line with {text:?} among {seen:#?}"),
            }
        }
    }

    /// Ends it, and returns the lines that nobody has waited for.
    pub(crate) fn last_words(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.lines.recv().ok()).collect()
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// The code that it ends with; nothing if it was killed.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines_of(pipe: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
    });
    lines
}

/// Serves one document to everybody who asks; says where.
pub(crate) fn serve(media_type: &'static str, document: impl Into<String>) -> String {
    serve_to("", media_type, document)
}

/// Serves one document to everybody whose request has this in its head; says where.
pub(crate) fn serve_to(
    wanted: &'static str,
    media_type: &'static str,
    document: impl Into<String>,
) -> String {
    let document = document.into();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let mut asked = Vec::new();
            let mut byte = [0];
            while !asked.ends_with(b"\r\n\r\n") && connection.read(&mut byte).is_ok_and(|n| n > 0) {
                asked.push(byte[0]);
            }
            let length = document.len();
            let let_in = String::from_utf8_lossy(&asked).contains(wanted);
            let status = if let_in { "200 OK" } else { "401 Unauthorized" };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\
                 connection: close\r\n\r\n"
            );
            // Whoever asked may be gone.
            let _ = connection.write_all(head.as_bytes());
            let _ = connection.write_all(document.as_bytes());
        }
    });
    format!("http://{address}/rss")
}
