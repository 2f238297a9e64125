//! A real proxy that says nothing of whom it asks for: nginx with nothing but `proxy_pass`.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Child, Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Client, Home, eventually, missing};

/// nginx, until it is dropped.
struct Nginx {
    _folder: TempDir,
    process: Child,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // By a signal that it obeys: killed, it would leave its workers behind. It may have ended by itself.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

/// A port that nobody uses now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Passes on what comes to a port, in its usual way or with `more`.
async fn nginx(to: &str, more: &str) -> (Nginx, Client) {
    let (folder, port) = (TempDir::new().unwrap(), free_port());
    let path = folder.path().display();
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let folders: String = kinds.map(|kind| format!("{kind}_temp_path {path}/{kind};\n")).concat();
    let settings = format!(
        "daemon off;\npid {path}/pid;\nerror_log {path}/log;\nevents {{}}\nhttp {{\naccess_log off;\n{folders}\
         server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {to}; {more} }} }}\n}}\n"
    );
    let file = folder.path().join("nginx.conf");
    fs::write(&file, settings).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-e").arg(folder.path().join("log")).arg("-c").arg(&file);
    let process = command.spawn().unwrap();
    let client = Client::new(([127, 0, 0, 1], port).into());
    let nginx = Nginx { _folder: folder, process };
    eventually("nginx", async || match client.try_get("/healthz").await {
        Ok((200, _)) => Ok(()),
        other => Err(format!("{other:?}")),
    })
    .await;
    (nginx, client)
}

/// What only the operator may do, tried by a stranger: the status and the problem of each.
async fn tried(stranger: &Client) -> Vec<(u16, String)> {
    let mut told = Vec::new();
    for path in ["config", "sources", "backup", "opml", "history", "feeds/Closed/readers"] {
        told.push(stranger.get(&format!("/api/v1/{path}")).await);
    }
    let query = json!({"query": "DROP FEED Closed;"});
    told.push(stranger.post("/api/v1/feeds", &query).await);
    told.push(stranger.post("/api/v1/budget", &json!({"refreshes_per_minute": 7})).await);
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_the_operator_behind_nginx_with_nothing_but_proxy_pass() {
    let test = "nobody_is_the_operator_behind_nginx_with_nothing_but_proxy_pass";
    if missing("nginx", test) {
        return;
    }
    let home = Home::new("[[reader]]\nname = \"alice\"\ntoken = \"a long token of alice\"\n");
    let node = home.start().await;
    let mut ways = vec![""];
    // Started by root, nginx works as another user; otherwise this is what the documentation says is not promised.
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        ways.push("proxy_http_version 1.1; proxy_set_header Connection \"\";");
    }
    let run = |args: &[&str]| home.command(args).output().unwrap();
    assert!(
        run(&["feed", "create", "CREATE FEED Closed AS RETURN OPML \"all\";"]).status.success()
    );
    assert!(run(&["feed", "readers", "Closed", "alice"]).status.success());
    for way in ways {
        let (_nginx, stranger) = nginx(&node.url(""), way).await;
        for (status, body) in tried(&stranger).await {
            assert_eq!(status, 403, "{way} {body}");
            let problem: Value = serde_json::from_str(&body).unwrap();
            let (detail, hint) = (problem["detail"].to_string(), problem["hint"].to_string());
            assert!(
                detail.contains("this node has no token") && detail.contains("proxy"),
                "{detail}"
            );
            assert!(hint.contains("api.token"), "{hint}");
        }
        for path in ["/feeds/Closed", "/api/v1/feeds/Closed", "/api/v1/feeds/Closed/items"] {
            assert_eq!(stranger.get(path).await.0, 404, "{way} {path}");
        }
        for path in ["/", "/opml", "/api/v1/feeds"] {
            let (status, body) = stranger.get(path).await;
            assert!(status == 200 && !body.contains("Closed"), "{way} {path}: {body}");
        }
    }
    // The commands here need no token, and the doctor has seen what happened.
    let listed = String::from_utf8(run(&["feed", "list"]).stdout).unwrap();
    assert!(listed.contains("Closed"), "{listed}");
    let examined = String::from_utf8(run(&["doctor"]).stdout).unwrap();
    assert!(
        examined.contains("came through a proxy") && examined.contains("api.token"),
        "{examined}"
    );
}
