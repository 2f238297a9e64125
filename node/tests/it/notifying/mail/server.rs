//! A real mail server, `aiosmtpd` of PyPI, and what it was sent.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use pergola_config::{Mail, MailSecurity, Secret};
use serde_json::Value;
use tempfile::TempDir;

use crate::house::eventually;
use crate::trust::papers::Papers;

/// The password that the node knows.
const PASSWORD: &str = "open sesame";

/// Writes each message into a file of a folder, and its port to standard output. The folder holds the papers and the
/// password that it wants; they are read for each connection.
const SERVER: &str = r#"
import asyncio, itertools, os, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult
folder, security = sys.argv[1:]
class Box:
    numbers = itertools.count()
    async def handle_DATA(self, server, session, envelope):
        name = f"{folder}/{next(self.numbers)}"
        with open(name + ".part", "wb") as file:
            file.write(("To-Envelope: " + ",".join(envelope.rcpt_tos) + "\r\n").encode() + envelope.content)
        os.rename(name + ".part", name + ".eml")
        return "250 taken"
def context():
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.load_cert_chain(f"{folder}/chain.pem", f"{folder}/key.pem")
    return made
def authenticator(server, session, envelope, mechanism, given):
    with open(f"{folder}/password", "rb") as file:
        known = file.read()
    return AuthResult(success=given.login == b"pergola" and given.password == known, handled=False)
def connection():
    wants = {"hostname": "mail.example"}
    if security != "none":
        wants.update(authenticator=authenticator, auth_required=True)
    if security == "starttls":
        wants.update(tls_context=context(), require_starttls=True)
    if security == "tls":
        wants.update(auth_require_tls=False)
    return SMTP(Box(), **wants)
async def main():
    loop = asyncio.get_running_loop()
    secured = {"ssl": context()} if security == "tls" else {}
    server = await loop.create_server(connection, "127.0.0.1", 0, **secured)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"#;

/// Prints the headers and the parts of a message as JSON.
const PARSE: &str = r#"
import sys, json, email, email.policy
message = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
parts = {part.get_content_type(): part.get_content() for part in message.walk() if not part.is_multipart()}
print(json.dumps({"headers": [[name.lower(), str(value)] for name, value in message.items()], "parts": parts}))
"#;

/// A mail server.
pub(super) struct Server {
    process: Child,
    port: u16,
    folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn python() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/bin/python3");
    if own.exists() { own } else { "python3".into() }
}

impl Server {
    /// A server that wants this security, and a login unless it wants none; nothing if the test is to be skipped.
    pub(super) fn start(
        security: MailSecurity,
        papers: Option<&Papers>,
        test: &str,
    ) -> Option<Self> {
        let known = Command::new(python()).args(["-c", "import aiosmtpd"]).output();
        if !known.is_ok_and(|known| known.status.success()) {
            let why = "Python has no module `aiosmtpd`";
            assert!(std::env::var_os("PERGOLA_REQUIRE_ALL").is_none(), "{test} cannot run: {why}");
            eprintln!("skipped: {test}: {why}");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("password"), PASSWORD).unwrap();
        if let Some(papers) = papers {
            show(folder.path(), papers);
        }
        let name = match security {
            MailSecurity::Tls => "tls",
            MailSecurity::StartTls => "starttls",
            MailSecurity::None => "none",
        };
        let mut command = Command::new(python());
        command.args(["-c", SERVER]).arg(folder.path()).arg(name).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Some(Self { process, port: line.trim().parse().unwrap(), folder })
    }

    /// What a node says that sends by this server.
    pub(super) fn settings(&self, security: MailSecurity) -> Mail {
        let logs_in = security != MailSecurity::None;
        Mail {
            server: "127.0.0.1".to_owned(),
            port: self.port,
            security,
            user: logs_in.then(|| "pergola".to_owned()),
            password: logs_in.then(|| Secret::new(PASSWORD)),
            from: "Pergola <pergola@node.example>".to_owned(),
        }
    }

    /// From now on it wants another password than the node has …
    pub(super) fn changes_its_password(&self) {
        std::fs::write(self.folder.path().join("password"), "another").unwrap();
    }

    /// … or the same again.
    pub(super) fn wants_the_right_password(&self) {
        std::fs::write(self.folder.path().join("password"), PASSWORD).unwrap();
    }

    /// It shows other papers from now on.
    pub(super) fn shows(&self, papers: &Papers) {
        show(self.folder.path(), papers);
    }

    /// The messages that it took.
    pub(super) fn taken(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<_> =
            files.filter(|file| file.extension().is_some_and(|it| it == "eml")).collect();
        files.sort();
        files
    }

    /// A message, once it is there.
    pub(super) async fn message(&self, number: usize) -> Value {
        let file = eventually("a message", async || {
            self.taken().get(number).cloned().ok_or("none yet".to_owned())
        })
        .await;
        let parsed = Command::new(python()).args(["-c", PARSE]).arg(file).output().unwrap();
        serde_json::from_slice(&parsed.stdout).unwrap()
    }
}

fn show(folder: &Path, papers: &Papers) {
    // The key last: between the two a connection fails, and is made again.
    std::fs::copy(&papers.chain, folder.join("chain.pem")).unwrap();
    std::fs::copy(&papers.key, folder.join("key.pem")).unwrap();
}
