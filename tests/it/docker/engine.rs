//! The Docker engine.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::harness::{missing, run, skipped};

/// Whether there is no engine, or it does not answer; the test is then skipped.
pub(super) async fn no_engine(test: &str) -> bool {
    if missing("docker", test) || missing("docker-compose", test) {
        return true;
    }
    let mut command = Command::new("docker");
    command.args(["version", "--format", "{{.Server.Version}}"]);
    let answer = run(command).await;
    if answer.code != Some(0) {
        skipped(test, &format!("the Docker engine does not answer: {}", answer.stderr.trim()));
        return true;
    }
    false
}

/// The output of `docker`, if it succeeds.
pub(super) async fn try_docker(args: &[&str]) -> Result<String, String> {
    let mut command = Command::new("docker");
    command.args(args);
    let output = run(command).await;
    match output.code {
        Some(0) => Ok(output.stdout.trim().to_owned()),
        _ => Err(format!("docker {}: {}{}", args.join(" "), output.stdout, output.stderr)),
    }
}

/// The output of `docker`, which must succeed.
pub(super) async fn docker(args: &[&str]) -> String {
    try_docker(args).await.unwrap_or_else(|error| panic!("{error}"))
}

/// A name that is unique on this engine.
pub(super) fn own_name(what: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("pergola-test-{what}-{}-{count}", std::process::id())
}
