//! Parts of a benchmark in processes of their own: the same program once more, told its role by the
//! environment, which answers each line on its input with a line of JSON.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

/// The variable that tells a process its role.
const VARIABLE: &str = "PERGOLA_BENCH_ROLE";

/// The role of this process, if it has one.
pub fn mine() -> Option<String> {
    std::env::var(VARIABLE).ok()
}

/// A process with a role.
pub struct Part {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Part {
    /// Starts this program again with the same arguments and a role.
    pub fn start(role: &str) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env(VARIABLE, role)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("the part `{role}` of the benchmark could not be started"))?;
        let input = process.stdin.take().context("a pipe was asked for")?;
        let output = BufReader::new(process.stdout.take().context("a pipe was asked for")?);
        Ok(Self { process, input, output })
    }

    /// Says a line and waits for the answer.
    pub fn ask<T: DeserializeOwned>(&mut self, line: &str) -> Result<T> {
        writeln!(self.input, "{line}")?;
        let mut answer = String::new();
        if self.output.read_line(&mut answer)? == 0 {
            bail!("a part of the benchmark has ended instead of answering `{line}`");
        }
        serde_json::from_str(&answer).with_context(|| format!("an odd answer: {answer}"))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Answers lines on the standard input until it ends.
pub async fn answer(mut reply: impl AsyncFnMut(&str) -> Result<serde_json::Value>) -> Result<()> {
    loop {
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).map(|length| (length, line))
        });
        let (length, line) = line.await??;
        if length == 0 {
            return Ok(());
        }
        let answer = reply(line.trim()).await?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
}
