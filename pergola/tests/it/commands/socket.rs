//! The socket in the data folder: commands need no token there, and nobody else may use it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::sandbox::{CONFIG, Running, Sandbox};

const TOKEN: (&str, &str) = ("PERGOLA_API__TOKEN", "sixteen letters and more");

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The address of the node at work in a sandbox.
fn address(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path("port")).unwrap().trim().to_owned()
}

#[test]
fn commands_use_the_socket_without_a_token_and_the_port_with_one() {
    let sandbox = Sandbox::bare();
    let node = sandbox.run(&[TOKEN]);
    let socket = sandbox.data().join("node.sock");
    assert_eq!((mode(&sandbox.data()), mode(&socket)), (0o700, 0o600));
    assert_eq!(sandbox.json(&["source", "list"])["sources"].as_array().unwrap().len(), 0);
    sandbox.ok(&["config", "set", "budget.refreshes_per_minute", "7"]);
    let url = format!("http://{}/", address(&sandbox));
    let refused = sandbox.fails(1, &["source", "list", "--node", &url]);
    assert!(refused.contains("--token"), "{refused}");
    sandbox.ok(&["source", "list", "--node", &url, "--token", TOKEN.1]);
    node.signal("-TERM");
    assert_eq!(node.end(), Some(0));
    assert!(!socket.exists(), "a node that stops leaves none");
}

#[test]
fn what_a_killed_node_left_disturbs_nobody() {
    let sandbox = Sandbox::bare();
    let node = sandbox.run(&[TOKEN]);
    let socket = sandbox.data().join("node.sock");
    node.last_words();
    assert!(socket.exists(), "it was killed");
    assert_eq!(sandbox.json(&["source", "list"])["sources"].as_array().unwrap().len(), 0);
    let _node = sandbox.run(&[TOKEN]);
    assert!(sandbox.json(&["status"])["running"].as_bool().unwrap());
    sandbox.ok(&["config", "set", "budget.refreshes_per_minute", "7"]);
}

#[test]
fn a_data_folder_with_a_long_path_works_as_any_other() {
    let sandbox = Sandbox::bare();
    let data = sandbox.path(&format!("{}/{}", "a-long-name".repeat(10), "another".repeat(10)));
    let port_file = sandbox.path("port");
    let pergola = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pergola"));
        command.env_clear().env("HOME", sandbox.folder.path()).current_dir(sandbox.folder.path());
        command.args(["--data", &data]).args(args);
        command
    };
    let mut run = pergola(&["run", "--listen", "127.0.0.1:0", "--port-file", &port_file]);
    run.env(TOKEN.0, TOKEN.1);
    let node = Running::start(run);
    node.wait_for("node ready");
    let output = pergola(&["source", "list"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(Path::new(&data).join("node.sock").exists());
}

#[test]
fn a_proxy_is_refused_and_the_doctor_says_what_to_do() {
    let sandbox = Sandbox::running();
    let mut stream = TcpStream::connect(address(&sandbox)).unwrap();
    stream
        .write_all(
            b"GET /api/v1/sources HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n\
              Connection: close\r\n\r\n",
        )
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert!(answer.contains("a proxy has passed this request on"), "{answer}");
    let output = sandbox.command(&["doctor"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("came through a proxy") && said.contains("api.token"), "{said}");
    assert_eq!(output.status.code(), Some(1), "something needs attention");
}

#[test]
fn a_public_name_without_a_token_is_a_warning() {
    let sandbox = Sandbox::bare();
    let public = "[node]\npublic_url = \"https://feeds.example.org/\"\n";
    fs::write(sandbox.path("pergola.toml"), format!("{CONFIG}{public}")).unwrap();
    let output = sandbox.command(&["doctor"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("https://feeds.example.org/ and has no `api.token`"), "{said}");
    let _node = sandbox.run(&[]);
    sandbox.ok(&["source", "list"]);
    let url = format!("http://{}/", address(&sandbox));
    let refused = sandbox.fails(1, &["source", "list", "--node", &url]);
    assert!(refused.contains("trusts nobody for coming from this machine"), "{refused}");
}
