//! The files in `deploy/`: they match the program, and the tools that read them accept them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Home, Press, missing, pergola_binary, run, silent, topology_gen, workspace};

fn deploy() -> PathBuf {
    workspace().join("deploy")
}

fn read(path: &str) -> String {
    fs::read_to_string(deploy().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All names of our metrics in a text.
fn metrics_named(text: &str) -> BTreeSet<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !part(c));
    words.filter(|word| word.starts_with("pergola_")).map(str::to_owned).collect()
}

#[test]
fn every_example_that_others_can_reach_has_a_token() {
    for file in ["compose.yaml", "pergola.service"] {
        assert!(read(file).contains("PERGOLA_API__TOKEN_FILE"), "{file}");
    }
    assert!(read("compose.proxy.yaml").contains("PERGOLA_NODE__BEHIND_PROXY: \"true\""));
    let nodes = fs::read_dir(deploy().join("mesh/nodes")).unwrap();
    let mut seen = 0;
    for node in nodes.map(|node| node.unwrap().path()) {
        let text = fs::read_to_string(&node).unwrap();
        assert!(text.contains("token_file = "), "{}", node.display());
        seen += 1;
    }
    assert_eq!(seen, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_metric_of_the_dashboard_and_the_alerts_is_exported_by_a_node() {
    let dashboard: Value = serde_json::from_str(&read("monitoring/dashboard.json")).unwrap();
    let named = &metrics_named(&dashboard["panels"].to_string())
        | &metrics_named(&dashboard["templating"].to_string());
    assert!(named.len() > 20, "{named:?}");
    let named = &named | &metrics_named(&read("monitoring/alerts.yml"));
    // Some metrics exist only after a refresh, or after an item from another node.
    let press = Press::start([silent("news")]).await;
    press.publish("news", "Lava");
    let (first, second) = (Home::new(""), Home::new(""));
    let (near, far) = (first.start().await, second.start().await);
    near.create_feed(&format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"))).await;
    near.shows("News", "Lava").await;
    let from = near.url("/feeds/News");
    far.create_feed(&format!(r#"CREATE FEED News AS RETURN "{from}";"#)).await;
    far.shows("News", "Lava").await;
    press.publish("news", "More lava");
    far.shows("News", "More lava").await;
    let (_, text) = far.get("/metrics").await;
    let mut exported = BTreeSet::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let endings: &[&str] = match kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        exported.extend(endings.iter().map(|ending| format!("{name}{ending}")));
    }
    let unknown: Vec<&String> = named.difference(&exported).collect();
    assert!(unknown.is_empty(), "no node exports {unknown:?}; there are {exported:?}");
}

#[tokio::test]
async fn the_service_is_accepted_by_systemd_and_has_few_rights() {
    let test = "the_service_is_accepted_by_systemd_and_has_few_rights";
    if missing("systemd-analyze", test) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let unit = folder.path().join("pergola.service");
    let text = read("pergola.service");
    let installed = "/usr/local/bin/pergola";
    assert!(text.contains(&format!("ExecStart={installed} run\n")));
    // The binary is not installed here.
    fs::write(&unit, text.replace(installed, &pergola_binary().display().to_string())).unwrap();
    let mut verify = Command::new("systemd-analyze");
    verify.arg("verify").arg(&unit);
    let verified = run(verify).await;
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    let own: Vec<&str> =
        verified.stderr.lines().filter(|l| l.contains("pergola.service")).collect();
    assert!(own.is_empty(), "{own:?}");
    let mut security = Command::new("systemd-analyze");
    // From 0 (no rights) to 100 (all rights); a service with a network can reach 20.
    security.args(["security", "--offline=true", "--threshold=20"]).arg(&unit);
    let judged = run(security).await;
    assert_eq!(judged.code, Some(0), "{}{}", judged.stdout, judged.stderr);
}

#[tokio::test]
async fn compose_files_are_accepted_alone_and_with_their_overlays() {
    let test = "compose_files_are_accepted_alone_and_with_their_overlays";
    if missing("docker-compose", test) {
        return;
    }
    let overlays: [&[&str]; 4] = [
        &["compose.yaml"],
        &["compose.yaml", "compose.monitoring.yaml"],
        &["compose.yaml", "compose.proxy.yaml"],
        &["mesh/compose.yaml"],
    ];
    for files in overlays {
        let mut command = Command::new("docker-compose");
        for file in files {
            command.arg("--file").arg(deploy().join(file));
        }
        command.arg("config").env("PERGOLA_HOST", "feeds.example.org");
        let output = run(command).await;
        assert_eq!(output.code, Some(0), "{files:?}: {}", output.stderr);
        // The operator makes the secrets.
        let said = output.stderr.lines().filter(|line| !line.contains("undefined secret file"));
        assert_eq!(said.collect::<Vec<_>>(), [""; 0], "{files:?}");
        hardened(&output.stdout);
    }
    // Without a host name there is no certificate: it refuses to start, and says so.
    let mut command = Command::new("docker-compose");
    for file in overlays[2] {
        command.arg("--file").arg(deploy().join(file));
    }
    let output = run({
        command.arg("config").env_remove("PERGOLA_HOST");
        command
    })
    .await;
    assert_ne!(output.code, Some(0));
    assert!(output.stderr.contains("set PERGOLA_HOST"), "{}", output.stderr);
}

/// Checks that every service has few rights and a memory limit.
fn hardened(config: &str) {
    let services = config.split("\nservices:\n").nth(1).unwrap_or(config);
    let services = services.split("\nvolumes:\n").next().unwrap();
    let count = services.lines().filter(|line| is_service(line)).count();
    assert!(count > 0, "{config}");
    for needed in ["cap_drop:", "no-new-privileges:true", "mem_limit:", "restart: unless-stopped"] {
        assert_eq!(services.matches(needed).count(), count, "{needed} in\n{services}");
    }
}

/// The name of a service: two spaces, and nothing after it.
fn is_service(line: &str) -> bool {
    line.starts_with("  ") && !line.starts_with("   ") && line.ends_with(':')
}

#[tokio::test]
async fn the_example_of_a_mesh_is_what_its_own_command_writes() {
    let folder = TempDir::new().unwrap();
    let made = folder.path().join("mesh");
    let readme = read("mesh/README.md");
    let made_by = readme.lines().find(|line| line.starts_with("topology-gen bundle "));
    let made_by = made_by.expect("it says how it was made");
    let mut words = made_by.split_whitespace().skip(2);
    let mut command = topology_gen();
    command.arg("bundle").arg(&made).arg(deploy().join("mesh/mesh.toml"));
    // The folder and the mesh file have other paths here.
    let (_, _) = (words.next(), words.next());
    command.args(words);
    let output = run(command).await;
    assert_eq!(output.code, Some(0), "{made_by}: {}", output.stderr);
    let (kept, new) = (files(&deploy().join("mesh")), files(&made));
    let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&kept), names(&new), "make it again: {made_by}");
    for ((name, kept), (_, new)) in kept.iter().zip(&new) {
        assert!(kept == new, "deploy/mesh/{name} is out of step; make it again: {made_by}");
    }
}

/// All files of a bundle but the secrets, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().map(Result::unwrap) {
            let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
            match entry.file_type().unwrap().is_dir() {
                true if name != "secrets" => folders.push(entry.path()),
                true => {}
                false => all.push((name, fs::read(entry.path()).unwrap())),
            }
        }
    }
    all.sort();
    all
}
