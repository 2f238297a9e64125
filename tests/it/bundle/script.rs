//! The script that starts a bundle: what it prints, and that it leaves nothing running.

use std::time::Duration;

use super::*;
use crate::harness::within;

async fn small() -> (TempDir, Bundle) {
    let folder = TempDir::new().unwrap();
    let bundle = Bundle::new(&two_nodes(folder.path()), &[]).await;
    (folder, bundle)
}

#[tokio::test(flavor = "multi_thread")]
async fn starting_twice_changes_nothing_and_stopping_twice_neither() {
    let (_folder, bundle) = small().await;
    bundle.does(&["start"]).await;
    let mut processes = bundle.processes();
    let said = bundle.does(&["start"]).await;
    assert_eq!(said.matches("ready (process").count(), 3, "{said}");
    let mut again = bundle.processes();
    processes.sort_unstable();
    again.sort_unstable();
    assert_eq!(processes, again);
    // A stale file with the id of another process does no harm.
    let mut stranger = Command::new("sleep").arg("600").spawn().unwrap();
    bundle.does(&["stop", "Storms"]).await;
    fs::write(bundle.path().join("run/Storms.pid"), format!("{}\n", stranger.id())).unwrap();
    assert_eq!(bundle.script(&["status"]).await.code, Some(1));
    bundle.does(&["stop"]).await;
    bundle.does(&["stop"]).await;
    assert!(stranger.try_wait().unwrap().is_none(), "a stranger was stopped");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert!(processes.iter().all(|&process| !runs(process)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_is_said_and_nothing_is_left_running() {
    let (_folder, bundle) = small().await;
    let taken = bundle.client("Storms").address();
    let _listener = TcpListener::bind(taken).unwrap();
    let output = bundle.script(&["start"]).await;
    assert_eq!(output.code, Some(1), "{output:?}");
    let port = format!("port {} is in use", taken.port());
    assert!(output.stderr.contains("Storms did not start"), "{}", output.stderr);
    assert!(output.stderr.contains(&port), "{}", output.stderr);
    assert!(bundle.processes().is_empty());
    assert!(bundle.newsroom().try_get("/").await.is_err(), "the newsroom still runs");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stops_everybody() {
    let (_folder, bundle) = small().await;
    let mut command = bundle.script_command(&["run"]);
    let mut script = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    within(Duration::from_secs(120), "everybody to be ready", async || {
        match bundle.script(&["status"]).await {
            output if output.code == Some(0) => Ok(()),
            output => Err(output.stdout),
        }
    })
    .await;
    let processes = bundle.processes();
    assert_eq!(processes.len(), 3);
    // It may not have printed yet that it waits.
    within(Duration::from_secs(60), "the script's end", async || {
        kill(script.id(), "-INT");
        script.try_wait().unwrap().map(drop).ok_or_else(|| "it still runs".to_owned())
    })
    .await;
    assert!(processes.iter().all(|&process| !runs(process)));
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_told() {
    let (_folder, bundle) = small().await;
    let output = bundle.script(&["start", "Strom"]).await;
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("nobody is called `Strom`"), "{}", output.stderr);
    assert!(output.stderr.contains("Storms"), "{}", output.stderr);
    let output = bundle.script(&["strat"]).await;
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("there is no command `strat`"), "{}", output.stderr);
    let mut command = bundle.script_command(&["start"]);
    command.env("PERGOLA", "/nowhere/pergola");
    let output = run(command).await;
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("set PERGOLA to where it is"), "{}", output.stderr);
    assert!(bundle.script(&["help"]).await.stdout.contains("Usage"));
}
