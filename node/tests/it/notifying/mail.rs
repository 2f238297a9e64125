//! Digests, sent by a real mail server: `aiosmtpd` of PyPI.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use pergola_config::{Mail, MailSecurity};
use serde_json::json;

use super::{LIST, ask, newsstand, publish};
use crate::house::eventually;

/// A mail server that writes each message into a file of a folder, and its port to standard output.
const SERVER: &str = r#"
import sys, itertools, asyncio
from aiosmtpd.smtp import SMTP
class Box:
    numbers = itertools.count()
    async def handle_DATA(self, server, session, envelope):
        name = f"{sys.argv[1]}/{next(self.numbers)}"
        with open(name + ".part", "wb") as file:
            file.write(("To-Envelope: " + ",".join(envelope.rcpt_tos) + "\r\n").encode() + envelope.content)
        import os; os.rename(name + ".part", name + ".eml")
        return "250 taken"
async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Box(), hostname="mail.example"), "127.0.0.1", 0)
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

struct Server {
    process: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn python() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/bin/python3");
    if own.exists() { own } else { "python3".into() }
}

/// A server that puts messages into a folder; nothing if the test is to be skipped.
fn server(folder: &Path, test: &str) -> Option<Server> {
    let known = Command::new(python()).args(["-c", "import aiosmtpd"]).output();
    if !known.is_ok_and(|known| known.status.success()) {
        let why = "Python has no module `aiosmtpd`";
        assert!(std::env::var_os("PERGOLA_REQUIRE_ALL").is_none(), "{test} cannot run: {why}");
        eprintln!("skipped: {test}: {why}");
        return None;
    }
    let mut command = Command::new(python());
    command.args(["-c", SERVER]).arg(folder).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Some(Server { process, port: line.trim().parse().unwrap() })
}

fn messages(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|it| it == "eml")).collect();
    files.sort();
    files
}

async fn message(folder: &Path, number: usize) -> serde_json::Value {
    let file = eventually("a message", async || {
        messages(folder).get(number).cloned().ok_or("none yet".to_owned())
    })
    .await;
    let parsed = Command::new(python()).args(["-c", PARSE]).arg(file).output().unwrap();
    serde_json::from_slice(&parsed.stdout).unwrap()
}

fn header<'a>(message: &'a serde_json::Value, name: &str) -> Vec<&'a str> {
    let all = message["headers"].as_array().unwrap();
    all.iter().filter(|pair| pair[0] == name).map(|pair| pair[1].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_is_one_safe_message_of_all_new_entries() {
    let boxed = tempfile::tempdir().unwrap();
    let test = "a_digest_is_one_safe_message_of_all_new_entries";
    let Some(server) = server(boxed.path(), test) else { return };
    let (press, house) = newsstand(|config| {
        config.mail = Some(Mail {
            server: "127.0.0.1".to_owned(),
            port: server.port,
            security: MailSecurity::None,
            user: None,
            password: None,
            from: "Pergola <pergola@node.example>".to_owned(),
        });
    })
    .await;
    let body = json!({ "mail": { "address": "ada@reader.example", "every": "hour" } });
    let (status, added) = ask(&house, "POST", LIST, Some(body)).await;
    assert_eq!(status, 201, "{added}");
    let id = added["id"].as_str().unwrap();
    assert_eq!(ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await.0, 200);
    let test = message(boxed.path(), 0).await;
    assert_eq!(header(&test, "subject"), ["News: this is a test"]);
    let evil = "<script>alert(1)</script> & Bcc: eve@evil.example";
    publish(&press, &house, "First").await;
    publish(&press, &house, evil).await;
    // Usually one message; two if the hour ends between the items.
    let mut digest = message(boxed.path(), 1).await;
    let mut all = digest["parts"]["text/plain"].as_str().unwrap().to_owned();
    if !all.contains(evil) {
        digest = message(boxed.path(), 2).await;
        all.push_str(digest["parts"]["text/plain"].as_str().unwrap());
    }
    assert!(all.contains("* First") && all.contains(evil), "{all}");
    assert!(all.find("* First") < all.find(evil), "{all}");
    assert_eq!(header(&digest, "to-envelope"), ["ada@reader.example"]);
    assert_eq!(header(&digest, "to"), ["ada@reader.example"]);
    assert_eq!(header(&digest, "bcc"), [""; 0]);
    assert!(header(&digest, "subject")[0].starts_with("News: "));
    assert_eq!(header(&digest, "auto-submitted"), ["auto-generated"]);
    let ids = header(&digest, "message-id");
    assert!(
        ids[0].starts_with(&format!("<{id}-")) && ids[0].ends_with("@node.example>"),
        "{ids:?}"
    );
    let html = digest["parts"]["text/html"].as_str().unwrap();
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
}
