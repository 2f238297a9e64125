//! `pergola feed notify`: who is sent the new entries of a feed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{self, Receiver};

use super::sandbox::{RSS, Sandbox, serve};

const NOTIFY: [&str; 3] = ["feed", "notify", "News"];

/// A webhook that takes everything: its address, and the heads and bodies that it was posted.
fn webhook() -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook?token=c2VjcmV0LXRva2Vu", listener.local_addr().unwrap());
    let (send, taken) = mpsc::channel();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let mut reader = BufReader::new(connection.try_clone().unwrap());
            let mut head = String::new();
            while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
            let mut lengths = head.lines().filter_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            });
            let mut body = vec![0; lengths.next().unwrap_or(0)];
            reader.read_exact(&mut body).unwrap();
            connection.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").unwrap();
            if send.send((head, String::from_utf8(body).unwrap())).is_err() {
                return;
            }
        }
    });
    (url, taken)
}

/// A running node with the feed `News`.
fn newsstand() -> Sandbox {
    let sandbox = Sandbox::running();
    let url = serve("application/rss+xml", RSS);
    sandbox.ok(&["feed", "create", &format!("CREATE FEED News AS RETURN \"{url}\"")]);
    sandbox
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&NOTIFY[..], more].concat()
}

#[test]
fn a_webhook_is_added_listed_tried_resumed_and_removed() {
    let sandbox = newsstand();
    let none = "no notifications; --webhook URL or --mail ADDRESS adds one\n";
    assert_eq!(sandbox.ok(&NOTIFY), none);
    let (url, taken) = webhook();
    let added = sandbox.ok(&with(&["--webhook", &url]));
    let id = added.split([' ', ':']).nth(1).unwrap();
    assert!(
        added.starts_with(&format!("added {id}: new entries go to http://127.0.0.1")),
        "{added}"
    );
    assert!(added.contains("which is not shown again:\n"), "{added}");
    let secret = added.trim_end().lines().last().unwrap();
    assert!(secret.len() >= 32 && !added.contains("c2VjcmV0"), "{added}");

    let listed = sandbox.ok(&NOTIFY);
    assert!(
        listed.contains(id) && listed.contains("/hook?token=") && listed.contains("fine"),
        "{listed}"
    );
    let document = sandbox.json(&NOTIFY);
    assert_eq!(document["notifications"][0]["id"], id);
    for shown in [listed, document.to_string()] {
        assert!(!shown.contains(secret) && !shown.contains("c2VjcmV0"), "{shown}");
    }

    let tested = sandbox.ok(&with(&["--test", id]));
    assert!(tested.ends_with(" took a test\n") && tested.contains("/hook"), "{tested}");
    let (head, body) = taken.recv().unwrap();
    assert!(head.starts_with("POST /hook?token=c2VjcmV0LXRva2Vu "), "{head}");
    assert!(head.to_ascii_lowercase().contains("\r\nx-pergola-signature: sha256="), "{head}");
    assert!(body.contains("\"event\":\"test\""), "{body}");

    assert_eq!(sandbox.ok(&with(&["--resume", id])), format!("{id} is tried again now\n"));
    assert_eq!(sandbox.ok(&with(&["--remove", id])), format!("removed {id}\n"));
    assert_eq!(sandbox.ok(&NOTIFY), none);
    for option in ["--test", "--resume", "--remove"] {
        let refused = sandbox.fails(1, &with(&[option, id]));
        assert!(refused.starts_with("error: ") && refused.contains(id), "{refused}");
    }
}

#[test]
fn a_secret_of_ones_own_comes_by_standard_input_and_is_never_shown() {
    let sandbox = newsstand();
    let (url, _taken) = webhook();
    let file = sandbox.path("secret.txt");
    let given = |secret: &str| {
        fs::write(&file, secret).unwrap();
        let mut command = sandbox.command(&with(&["--webhook", &url, "--secret-stdin"]));
        command.stdin(fs::File::open(&file).unwrap()).output().unwrap()
    };
    for (secret, why) in [("", "standard input has no secret"), ("too short", "has 9 characters")] {
        let refused = given(secret);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && said.contains(why), "{said}");
    }
    let added = given("a secret of many characters\n");
    let said = String::from_utf8([added.stdout, added.stderr].concat()).unwrap();
    assert!(added.status.success() && said.starts_with("added "), "{said}");
    assert!(!said.contains("a secret of many") && !said.contains("not shown again"), "{said}");
    assert!(!sandbox.json(&NOTIFY).to_string().contains("a secret of many"));
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    let sandbox = newsstand();
    let refusals = [
        (vec!["--webhook", "http://10.1.2.3/hook"], "allow_private"),
        (vec!["--webhook", "ftp://hook.example/"], "only http:// and https://"),
        (vec!["--mail", "ada@example.org", "--every", "week"], "set mail.server and mail.from"),
        (vec!["--mail", "ada"], "is not an e-mail address"),
    ];
    for (asked, why) in refusals {
        let refused = sandbox.fails(1, &with(&asked));
        assert!(refused.contains(why), "{asked:?}: {refused}");
    }
    let refused = sandbox.fails(1, &["feed", "notify", "Nothing"]);
    assert!(refused.contains("Nothing"), "{refused}");
    for together in
        [["--webhook", "http://a.example/", "--test", "x"], ["--remove", "x", "--resume", "y"]]
    {
        assert!(sandbox.fails(2, &with(&together)).contains("cannot be used with"));
    }
    assert_eq!(sandbox.json(&NOTIFY)["notifications"], serde_json::json!([]));
}
