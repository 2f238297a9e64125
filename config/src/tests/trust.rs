//! `[tls]`, `[peers]`, `[[reader]]`, and what hosts are shown.

use super::*;

const PRINT: &str = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4";

#[test]
fn a_certificate_and_its_key_secure_the_node_and_its_addresses() {
    let config = from_file("[tls]\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n");
    let tls = config.tls.unwrap();
    assert_eq!(tls.certificate, Path::new("cert.pem"));
    assert_eq!((tls.client_ca, tls.clients), (None, Clients::Optional));
    assert_eq!(config.node.public_url.as_str(), "https://127.0.0.1:8080/");
    assert_eq!(Config::default().tls, None);
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (text, said) in [
        ("[tls]\nkey = \"key.pem\"\n", "must be set together with `tls.certificate`"),
        ("[tls]\nclient_ca = \"ca.pem\"\n", "must be set together with `tls.certificate`"),
        (
            "[tls]\ncertificate = \"c\"\nkey = \"k\"\nclients = \"required\"\n",
            "must be \"optional\" without a `tls.client_ca` to know them by",
        ),
        ("[hosts.\"a.example\"]\nkey = \"k\"\n", "must be set together with `certificate`"),
        ("[hosts.\"a.example\"]\ntoken = \"käse\"\n", "must consist of letters, digits and signs"),
        ("[[reader]]\ntoken = \"one\"\n", "must have a `name`"),
        ("[[reader]]\nname = \"a b\"\ntoken = \"one\"\n", "must be letters, digits"),
        ("[[reader]]\nname = \"a\"\ncertificate = \"CN=a\"\n", "must be the SHA-256"),
        ("[[reader]]\nname = \"a\"\n[[reader]]\nname = \"a\"\n", "must not be used twice"),
        ("[api]\ntoken = \"one\"\n[[reader]]\nname = \"a\"\ntoken = \"one\"\n", "must be another"),
        ("[peers]\nmax_message = \"1 kB\"\n", "must be from 64 KiB to 16 MiB"),
    ] {
        let found = mistakes(text, &[]);
        assert!(found.iter().any(|mistake| mistake.contains(said)), "{text}: {found:?}");
        assert!(!found.concat().contains("käse"), "{found:?}");
    }
}

#[test]
fn a_fingerprint_is_read_as_openssl_prints_it() {
    let colons: Vec<String> = PRINT
        .as_bytes()
        .chunks(2)
        .map(|pair| String::from_utf8_lossy(pair).to_uppercase())
        .collect();
    let printed = format!("sha256 Fingerprint={}", colons.join(":"));
    let text = format!(
        "[[reader]]\nname = \"a\"\ncertificate = \"{PRINT}\"\n\
         [[reader]]\nname = \"b\"\ncertificate = [\"{}\"]\n",
        printed.replace("8F", "9F")
    );
    let readers = from_file(&text).readers;
    assert_eq!(readers[0].certificates[0].to_string(), PRINT);
    assert_eq!(readers[1].certificates[0].to_string(), PRINT.replace("8f", "9f"));
    assert_eq!(printed.parse::<Fingerprint>(), Ok(readers[0].certificates[0]));
}

#[test]
fn a_reader_may_take_what_anybody_may_unless_it_says_otherwise() {
    let config = from_file(
        "[peers]\nstreams = 7\nrequests_per_minute = 70\n\
         [[reader]]\nname = \"a\"\ntoken = \"one\"\nstreams = 1\nmax_message = \"64 KiB\"\n",
    );
    let limits = Limits { streams: 1, requests_per_minute: 70, max_message: 64 << 10 };
    assert_eq!(config.readers[0].limits, limits);
    assert_eq!(config.peers.limits.max_message, 4 << 20);
}

#[test]
fn credentials_are_for_exactly_one_host() {
    let config = from_file("[hosts.\"a.example\"]\ntoken = \"one\"\nca = \"ca.pem\"\n");
    assert!(config.rule_for("a.example").credentials.token.is_some());
    assert_eq!(config.rule_for("b.a.example").credentials, HostCredentials::default());
}

#[test]
fn what_leaves_a_door_open_is_warned() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key.pem");
    std::fs::write(&key, "").unwrap();
    let open = |mode| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let text = format!("[tls]\ncertificate = \"c\"\nkey = {:?}\n", key.display().to_string());
        warnings(&from_file(&text)).concat()
    };
    assert!(open(0o644).contains("everybody on this machine can read the key"));
    assert_eq!(open(0o600), "");
    let warnings = warnings(&from_file(&format!(
        "[node]\nlisten = \"0.0.0.0:80\"\npublic_url = \"http://a.example/\"\n\
         [[reader]]\nname = \"a\"\ntoken = \"short\"\n[[reader]]\nname = \"b\"\n\
         [[reader]]\nname = \"c\"\ncertificate = \"{PRINT}\"\n"
    )))
    .join("\n");
    for said in [
        "the token of the reader `a` is short enough to be guessed",
        "the token of the reader `a` crosses the network in the clear",
        "nobody can be the reader `b`",
        "the certificate of the reader `c` is never asked for",
        "without `api.token` every program that the node's user runs on this machine reads all feeds",
    ] {
        assert!(warnings.contains(said), "{said}: {warnings}");
    }
}

#[test]
fn a_node_behind_a_proxy_or_with_a_public_name_wants_a_token() {
    for (node, warned) in [
        ("public_url = \"https://feeds.example.org/\"", true),
        ("behind_proxy = true", true),
        ("public_url = \"http://localhost:8080/\"", false),
    ] {
        let said = warnings(&from_file(&format!("[node]\n{node}\n"))).concat();
        assert_eq!(
            said.contains("over the network it cannot be managed"),
            warned,
            "{node}: {said}"
        );
        let token = "[api]\ntoken = \"sixteen letters and more\"\n";
        let said = warnings(&from_file(&format!("[node]\n{node}\n{token}"))).concat();
        assert_eq!(said, "", "{node}");
    }
}

#[test]
fn a_feed_that_more_may_read_than_what_it_is_made_of_is_warned_of() {
    let told = |readers: &str| {
        let text = format!(
            "[api]\ntoken = \"sixteen letters and more\"\n\
             [[reader]]\nname = \"anna\"\ntoken = \"a token that is long enough\"\n\
             [[reader]]\nname = \"ben\"\ntoken = \"another that is long enough\"\n\
             [[feed]]\nquery = 'CREATE FEED Closed AS RETURN OPML \"all\";'\nreaders = [\"anna\"]\n\
             [[feed]]\nquery = 'CREATE FEED Wider AS RETURN FEED Closed;'\n{readers}\n"
        );
        warnings(&from_file(&text)).join("\n")
    };
    let warning = "feed Wider reads Closed, which is closed to others; give it the same readers";
    assert_eq!(told(""), warning);
    assert_eq!(told("readers = [\"anna\", \"ben\"]"), warning);
    assert_eq!(told("readers = [\"anna\"]"), "");
}

#[test]
fn readers_and_certificates_change_without_a_restart() {
    let old = from_file("[tls]\ncertificate = \"c\"\nkey = \"k\"\n");
    let new = from_file(
        "[tls]\ncertificate = \"d\"\nkey = \"k\"\n[peers]\nstreams = 1\n\
         [[reader]]\nname = \"a\"\ntoken = \"one\"\n",
    );
    let reload = old.reloadable_changes(&new);
    let expected = ["node.public_url", "node.contact"];
    assert!(reload.tls && reload.readers, "{reload:?}");
    assert_eq!(reload.restart, [""; 0], "{reload:?}");
    // To secure a port that is open in the clear, or the other way round, needs another one.
    let plain = Config::default().reloadable_changes(&new).restart;
    assert_eq!(plain, [&expected[..], &["tls"]].concat());
}
