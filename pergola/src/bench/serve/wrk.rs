//! `wrk`, which asks as fast as it is answered, and a single question to see that the answer is right.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};

use super::{Question, Settings};

/// Whether there is a `wrk`.
pub(super) fn is_installed() -> bool {
    // It prints its version and ends with a code of failure; that it ran is enough.
    let quiet = |stream: &mut Command| stream.stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet(Command::new("wrk").arg("-v")).is_ok()
}

/// Requests per second over one measurement.
pub(super) fn requests_per_second(settings: &Settings, question: &Question) -> anyhow::Result<f64> {
    let mut command = Command::new("wrk");
    command.arg("-t2").arg(format!("-c{}", settings.connections.max(2)));
    command.arg(format!("-d{}s", settings.seconds.max(1)));
    for header in &question.headers {
        command.arg("-H").arg(header);
    }
    let output = command.arg(&question.url).output().context("cannot run wrk")?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("wrk failed: {text}{}", String::from_utf8_lossy(&output.stderr));
    }
    rate(&text)
}

/// The figure in what `wrk` prints, unless some answers were errors.
fn rate(text: &str) -> anyhow::Result<f64> {
    let line = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name));
    if let Some(errors) = line("Non-2xx or 3xx responses:") {
        bail!("{} answers were errors", errors.trim());
    }
    if let Some(errors) = line("Socket errors:") {
        bail!("connections failed: {}", errors.trim());
    }
    let rate = line("Requests/sec:").and_then(|rate| rate.trim().parse().ok());
    rate.with_context(|| format!("wrk printed no figure: {text}"))
}

/// An answer, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) status: u16,
    /// Bytes of the body.
    pub(super) body: usize,
    /// The entity tag, or nothing.
    pub(super) tag: String,
}

/// Asks once.
pub(super) fn ask_once(question: &Question) -> anyhow::Result<Sent> {
    let address = question.url.strip_prefix("http://").and_then(|rest| rest.split_once('/'));
    let (host, path) = address.context("the address of a server is http://host:port/path")?;
    let mut stream = TcpStream::connect(host).with_context(|| format!("cannot reach {host}"))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    for header in &question.headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    stream.write_all(format!("{request}\r\n").as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    sent(&answer).with_context(|| format!("{} answers something that is no HTTP", question.url))
}

fn sent(answer: &[u8]) -> Option<Sent> {
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n")?;
    let text = std::str::from_utf8(&answer[..head]).ok()?;
    let status = text.split(' ').nth(1)?.parse().ok()?;
    let mut headers = text.lines().filter_map(|line| line.split_once(':'));
    let tag = headers.find(|(name, _)| name.eq_ignore_ascii_case("etag"));
    let tag = tag.map_or(String::new(), |(_, tag)| tag.trim().to_owned());
    Some(Sent { status, body: answer.len() - head - 4, tag })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read_unless_answers_were_errors() {
        let good =
            "  100 requests in 1.00s, 2.00MB read\nRequests/sec:  12345.67\nTransfer/sec: 2MB\n";
        assert_eq!(rate(good).unwrap(), 12345.67);
        let bad = format!("  Non-2xx or 3xx responses: 7\n{good}");
        assert!(rate(&bad).unwrap_err().to_string().contains('7'));
        let broken = format!("  Socket errors: connect 0, read 9, write 0, timeout 0\n{good}");
        assert!(rate(&broken).unwrap_err().to_string().contains("read 9"));
        assert!(rate("unable to connect").is_err());
    }

    #[test]
    fn an_answer_is_read_as_far_as_it_matters() {
        let answer = b"HTTP/1.1 200 OK\r\nETag: \"a:b\"\r\nContent-Length: 3\r\n\r\nabc";
        let expected = Sent { status: 200, body: 3, tag: "\"a:b\"".into() };
        assert_eq!(sent(answer), Some(expected));
        assert_eq!(sent(b"nonsense"), None);
    }
}
