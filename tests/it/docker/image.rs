//! The image that `deploy/Dockerfile` makes of a static binary, and the rights of its containers.
//!
//! The first stage, which compiles, needs an image of the Rust project and a network. Here the binary is
//! compiled outside by the same script, and the image is built from the text of the second stage.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::engine::{docker, no_engine, own_name, try_docker};
use crate::harness::{Client, run, within, workspace};

/// The beginning of the second stage.
const MARK: &str = "\n# The image itself.";
/// The user of the containers, as in the Dockerfile.
const USER: &str = "65532:65532";
/// The largest size of the image.
const MOST_BYTES: u64 = 36_000_000;

/// An image with a name of its own; removed when dropped.
pub(super) struct Image {
    pub(super) name: String,
}

impl Image {
    pub(super) async fn build() -> Self {
        let context = TempDir::new().unwrap();
        let root = context.path().join("image/root/bin");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(context.path().join("image/own/data")).unwrap();
        std::fs::copy(static_binary().await, root.join("pergola")).unwrap();
        std::fs::write(context.path().join("Dockerfile"), last_stage()).unwrap();
        let image = Self { name: own_name("image") };
        let mut command = Command::new("docker");
        // The classic builder needs no plugin.
        command.env("DOCKER_BUILDKIT", "0").args(["build", "--tag", &image.name]);
        command.arg(context.path());
        let output = run(command).await;
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        image
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // It may not have been built.
        let _ = Command::new("docker").args(["image", "rm", "--force", &self.name]).output();
    }
}

/// The second stage of the Dockerfile, which copies from the context instead of from the first stage.
fn last_stage() -> String {
    let path = workspace().join("deploy/Dockerfile");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, image) = text.split_once(MARK).expect("the Dockerfile has lost its mark");
    assert!(before.contains("FROM rust:") && before.contains(" AS build\n"), "{before}");
    assert_eq!(image.matches("\nFROM scratch\n").count(), 1, "{image}");
    let taken = image.replace("--from=build ", "");
    assert!(!taken.contains("--from"), "{taken}");
    format!("#{taken}")
}

/// The binary, compiled as in the Dockerfile, once for all tests.
async fn static_binary() -> &'static Path {
    static BUILT: OnceCell<PathBuf> = OnceCell::const_new();
    BUILT
        .get_or_init(async || {
            let own = std::env::current_exe().unwrap();
            let target = own.ancestors().nth(3).unwrap().join("static");
            let binary = target.join("pergola");
            let mut command = Command::new(workspace().join("deploy/static-binary"));
            command.arg(&binary).env("CARGO_TARGET_DIR", &target);
            let built = run(command).await;
            assert_eq!(built.code, Some(0), "the static binary cannot be built: {}", built.stderr);
            binary
        })
        .await
}

/// A container; removed when dropped.
struct Container(String);

impl Drop for Container {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = Command::new("docker").args(["logs", &self.0]).output().unwrap();
            eprintln!("its log: {}", String::from_utf8_lossy(&log.stderr));
        }
        let _ = Command::new("docker").args(["rm", "--force", "--volumes", &self.0]).output();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_image_is_small_and_a_node_in_it_needs_no_rights_and_no_writable_root() {
    let test = "the_image_is_small_and_a_node_in_it_needs_no_rights_and_no_writable_root";
    if no_engine(test).await {
        return;
    }
    let image = Image::build().await;
    let about = docker(&["image", "inspect", &image.name]).await;
    let about: Value = serde_json::from_str(&about).unwrap();
    let size = about[0]["Size"].as_u64().unwrap();
    eprintln!("the image has {:.1} MB", size as f64 / 1e6);
    assert!(size <= MOST_BYTES, "the image has {size} bytes; {MOST_BYTES} are allowed");
    assert_eq!(about[0]["Config"]["User"], USER);

    let name = own_name("node");
    let container = Container(name.clone());
    let hardened = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
    let mut args = vec!["run", "--detach", "--name", &name, "--publish", "127.0.0.1::8080"];
    args.extend(hardened);
    args.extend(["--health-interval", "1s", "--memory", "64m", &image.name]);
    docker(&args).await;
    healthy(&name).await;
    let published = docker(&["port", &name, "8080/tcp"]).await;
    let client = Client::new(published.lines().next().unwrap().parse().unwrap());
    let (status, page) = client.get("/").await;
    assert_eq!(status, 200, "{page}");
    // Commands run in the container and find the node.
    let status = docker(&["exec", &name, "pergola", "status", "--json"]).await;
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["running"], true, "{status}");
    // There is no token, so that nobody can change anything from outside.
    let query = serde_json::json!({ "query": r#"CREATE FEED F AS RETURN "http://example.org/";"# });
    let (refused, why) = client.post("/api/v1/feeds", &query).await;
    assert!(matches!(refused, 401 | 403), "{refused}: {why}");

    // The data survives: a new container uses the same volume.
    let volume = r#"{{range .Mounts}}{{if eq .Destination "/data"}}{{.Name}}{{end}}{{end}}"#;
    let volume = docker(&["inspect", "--format", volume, &name]).await;
    let id = status["id"].as_str().unwrap().to_owned();
    docker(&["stop", "--time", "30", &name]).await;
    let exit = docker(&["inspect", "--format", "{{.State.ExitCode}}", &name]).await;
    assert_eq!(exit, "0", "the node did not end well");
    let again = own_name("again");
    let second = Container(again.clone());
    let mount = format!("{volume}:/data");
    docker(&["run", "--detach", "--name", &again, "--volume", &mount, &image.name]).await;
    within(Duration::from_secs(60), "the same node in a new container", async || {
        let status = try_docker(&["exec", &again, "pergola", "status", "--json"]).await?;
        let status: Value = serde_json::from_str(&status).map_err(|error| error.to_string())?;
        if status["id"] == id { Ok(()) } else { Err(status.to_string()) }
    })
    .await;
    drop(second);
    drop(container);
}

/// Waits until the engine finds a container healthy.
async fn healthy(name: &str) {
    within(Duration::from_secs(60), "a healthy container", async || {
        let state = try_docker(&["inspect", "--format", "{{json .State}}", name]).await?;
        let state: Value = serde_json::from_str(&state).map_err(|error| error.to_string())?;
        match state["Health"]["Status"] == "healthy" {
            true => Ok(()),
            false => Err(state.to_string()),
        }
    })
    .await;
}
