//! What is asked of a node means the same whether one is running or not.

use std::fs;

use super::sandbox::{RSS, Running, Sandbox, serve};

const QUERY: &str = r#"CREATE FEED Volcanoes AS RETURN "URL" WHERE ITEM CONTAINS "volcano""#;

#[test]
fn a_source_is_added_listed_shown_and_removed() {
    for sandbox in Sandbox::both() {
        let url = serve("application/rss+xml", RSS);
        let added = sandbox.ok(&["source", "add", &url]);
        assert!(added.starts_with("source 1: Island news\n"), "{added}");
        assert!(added.contains("2 new items; next refresh in "), "{added}");

        let listed = sandbox.ok(&["source", "list"]);
        assert!(listed.starts_with("ID  SOURCE "), "{listed}");
        assert!(listed.contains(" 1  Island news  well "), "{listed}");
        assert_eq!(sandbox.ok(&["source", "list", "--failing"]), "no source fails\n");
        let document = sandbox.json(&["source", "list"]);
        assert_eq!(document["sources"][0]["url"], url.as_str());

        let shown = sandbox.ok(&["source", "show", &url]);
        assert!(shown.contains("standing      well\n"), "{shown}");
        assert_eq!(sandbox.json(&["source", "show", "1"])["source"]["url"], url.as_str());
        assert!(shown.contains("\nwhy           "), "{shown}");
        assert!(shown.contains(" UTC: this node asks a source once in 60 min at most"), "{shown}");
        assert!(shown.contains("; crawl.floor changes that"), "{shown}");
        assert!(shown.contains("completeness  not known yet\n"), "{shown}");
        let refused = sandbox.fails(1, &["source", "refresh", "1"]);
        assert!(refused.contains("is not to be asked before"), "{refused}");
        assert!(refused.contains(": this node asks a source once in 60 min at most"), "{refused}");
        assert!(refused.contains("hint: --force asks anyway; the key `crawl.floor`"), "{refused}");
        let forced = sandbox.ok(&["source", "refresh", "1", "--force"]);
        assert!(forced.starts_with("unchanged: 0 new items"), "{forced}");

        let known = sandbox.ok(&["source", "add", &url]);
        assert_eq!(known, "already there as source 1: Island news\n");

        assert_eq!(sandbox.ok(&["source", "remove", "1"]), "removed source 1\n");
        assert!(sandbox.ok(&["source", "list"]).starts_with("no sources; "));
        assert!(sandbox.ok(&["source", "removed"]).contains(" 1  "));
        let restored = sandbox.ok(&["source", "restore", "1"]);
        assert_eq!(restored, "restored source 1: Island news\n");
        assert!(sandbox.ok(&["source", "removed"]).starts_with("no source was removed"));
        let refused = sandbox.fails(1, &["source", "restore", "1"]);
        assert!(refused.contains("pergola source removed"), "{refused}");
    }
}

#[test]
fn a_source_is_put_into_folders_and_a_feed_reads_them() {
    for sandbox in Sandbox::both() {
        let url = serve("application/rss+xml", RSS);
        sandbox.ok(&["source", "add", &url, "--folder", "Islands"]);
        let set = sandbox.ok(&["source", "set", "1", "--folder", "Islands/Hot", "--folder", "Sea"]);
        assert_eq!(set, "source 1: Island news: in Islands/Hot, Sea\n");
        assert!(sandbox.ok(&["source", "show", "1"]).contains("folder        Islands/Hot, Sea\n"));
        assert!(sandbox.ok(&["source", "list", "--folder", "Sea"]).contains("Islands/Hot, Sea"));
        let created = sandbox.ok(&["feed", "create", "CREATE FEED I AS RETURN FOLDER \"Islands\""]);
        assert_eq!(created, "created I with 2 items and 0 new sources\n");
        let refused =
            sandbox.fails(1, &["feed", "create", "CREATE FEED J AS RETURN FOLDER \"See\""]);
        assert!(refused.contains("did you mean FOLDER \"Sea\"?"), "{refused}");
        sandbox.ok(&["feed", "drop", "I"]);
        assert!(sandbox.ok(&["feed", "removed"]).contains("I "));
        let restored = sandbox.ok(&["feed", "restore", "I"]);
        assert_eq!(restored, "restored feed I, which has published 2 items\n");
        assert_eq!(
            sandbox.ok(&["source", "set", "1", "--no-folder"]),
            "source 1: Island news: public, without credentials, in no folder\n"
        );
        let refused = sandbox.fails(1, &["source", "set", "1"]);
        assert!(refused.contains("--no-folder"), "{refused}");
    }
}

#[test]
fn what_is_no_feed_is_not_kept_unless_that_is_asked_for() {
    for sandbox in Sandbox::both() {
        let url = serve("text/html", "<html><title>Nothing</title><p>to read</p></html>");
        let refused = sandbox.fails(1, &["source", "add", &url]);
        assert!(refused.starts_with("error: ") && refused.contains("\nhint: "), "{refused}");
        assert!(refused.contains("--no-refresh"), "{refused}");
        assert!(sandbox.ok(&["source", "list"]).starts_with("no sources; "));
        let added = sandbox.json(&["source", "add", &url, "--no-refresh", "--title", "Later"]);
        assert_eq!(added["source"]["title"], "Later");
        assert_eq!(added["report"], serde_json::Value::Null);
    }
}

#[test]
fn a_feed_is_created_explained_shown_and_dropped() {
    for sandbox in Sandbox::both() {
        let url = serve("application/rss+xml", RSS);
        sandbox.ok(&["source", "add", &url]);
        let file = sandbox.path("volcanoes.fql");
        fs::write(&file, QUERY.replace("URL", &url)).unwrap();
        let planned = sandbox.ok(&["feed", "explain", "-f", &file]);
        assert!(planned.contains("Volcanoes"), "{planned}");

        let created = sandbox.ok(&["feed", "create", "-f", &file]);
        assert_eq!(created, "created Volcanoes with 1 item and 0 new sources\n");
        assert!(sandbox.ok(&["feed", "explain", "Volcanoes"]).contains("Volcanoes"));
        let listed = sandbox.ok(&["feed", "list"]);
        assert!(
            listed.lines().nth(1).unwrap().starts_with("Volcanoes        1      1  "),
            "{listed}"
        );
        let shown = sandbox.ok(&["feed", "show", "Volcanoes"]);
        assert!(shown.contains(&url) && shown.contains("SHARE"), "{shown}");

        let refused = sandbox.fails(1, &["source", "remove", "1"]);
        assert!(refused.contains("is read by Volcanoes"), "{refused}");
        sandbox.ok(&["feed", "drop", "Volcanoes"]);
        assert!(sandbox.ok(&["feed", "list"]).starts_with("no feeds; "));
    }
}

#[test]
fn tail_shows_what_is_there_and_goes_on_only_while_a_node_runs() {
    for sandbox in Sandbox::both() {
        let url = serve("application/rss+xml", RSS);
        sandbox.ok(&["source", "add", &url]);
        sandbox.ok(&["feed", "create", &QUERY.replace("URL", &url)]);
        let command = sandbox.command(&["feed", "tail", "Volcanoes", "--since", "0", "--json"]);
        let tail = Running::talking(command);
        let line: serde_json::Value = serde_json::from_str(&tail.wait_for("{")).unwrap();
        assert_eq!(line["title"], "Volcano wakes");
        if sandbox.is_running() {
            tail.signal("-INT");
        }
        assert_eq!(tail.end(), Some(0));
        if !sandbox.is_running() {
            let text = sandbox.ok(&["feed", "tail", "Volcanoes"]);
            assert!(text.ends_with("Z  Volcano wakes  http://example.org/1\n"), "{text}");
        }
    }
}

#[test]
fn a_list_of_sources_goes_in_and_comes_out() {
    for sandbox in Sandbox::both() {
        let file = sandbox.path("in.opml");
        let outline = |url: &str| format!(r#"<outline text="A" xmlUrl="{url}"/>"#);
        let urls = ["https://example.org/a", "https://example.org/b", "gopher://example.org/"];
        let outlines: String = urls.into_iter().map(outline).collect();
        fs::write(&file, format!(r#"<opml version="2.0"><body>{outlines}</body></opml>"#)).unwrap();
        let output = sandbox.command(&["import", &file, "--feed", "Everything"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "something was not imported");
        let imported = String::from_utf8(output.stdout).unwrap();
        let report = "2 new sources, 0 known already, 0 without an address, 0 duplicates, 0 folders\n\
                      skipped gopher://example.org/, \"A\": ";
        assert!(imported.starts_with(report), "{imported}");
        let failed = String::from_utf8(output.stderr).unwrap();
        assert!(failed.starts_with("error: 1 entry was not imported\nhint: "), "{failed}");
        assert_eq!(sandbox.json(&["feed", "show", "Everything"])["sources"], 2);

        let exported = sandbox.ok(&["export"]);
        assert!(exported.contains("https://example.org/a"), "{exported}");
        let out = sandbox.path("out.opml");
        sandbox.ok(&["export", &out]);
        assert_eq!(fs::read_to_string(&out).unwrap(), exported);
        assert_eq!(sandbox.json(&["import", &out])["known"], 2);
    }
}

#[test]
fn the_status_says_whether_a_node_runs() {
    for sandbox in Sandbox::both() {
        let status = sandbox.json(&["status"]);
        assert_eq!(status["running"], sandbox.is_running());
        assert_eq!(status["budget_per_minute"], 30.0);
        let text = sandbox.ok(&["status"]);
        let bare = "no node is running here; reading data directly";
        let state = if sandbox.is_running() { "running for" } else { bare };
        assert!(text.contains(state) && text.contains("30.0 refreshes a minute"), "{text}");
        assert!(!text.contains('\x1b'), "{text}");
    }
}

#[test]
fn a_query_with_a_mistake_shows_where_it_is() {
    for sandbox in Sandbox::both() {
        let refused =
            sandbox.fails(1, &["feed", "create", "CREATE FEED Fire AS RETRUN \"http://a/\""]);
        assert!(refused.starts_with("error: "), "{refused}");
        assert!(refused.contains("RETRUN") && refused.contains('^'), "{refused}");
    }
}

#[test]
fn a_feed_that_is_not_there_leads_to_the_nearest() {
    for sandbox in Sandbox::both() {
        sandbox.ok(&["feed", "create", &QUERY.replace("URL", "https://example.org/rss")]);
        let refused = sandbox.fails(1, &["feed", "show", "Volcanos"]);
        assert!(refused.contains("did you mean `Volcanoes`?"), "{refused}");
        let refused = sandbox.fails(1, &["source", "show", "99"]);
        assert!(refused.contains("pergola source list"), "{refused}");
        for (kind, name) in [("source", "99"), ("feed", "Volcanos")] {
            let refused = sandbox.fails(1, &[kind, "restore", name]);
            assert!(refused.contains(&format!("`pergola {kind} removed`")), "{refused}");
        }
        assert_eq!(
            sandbox.ok(&["source", "list", "--folder", "Tech"]),
            "no source matches; `pergola source list` shows all\n"
        );
        let refused = sandbox.fails(1, &["feed", "notify", "Volcanoes", "--remove", "0a"]);
        assert!(refused.contains("`pergola feed notify NAME`"), "{refused}");
        let refused = sandbox.fails(1, &["user", "role", "ada", "admin"]);
        assert!(refused.contains("pergola user list"), "{refused}");
        let refused = sandbox.fails(1, &["config", "unset", "nothing"]);
        assert!(refused.contains("pergola config show"), "{refused}");
    }
}

#[test]
fn a_table_fits_the_terminal() {
    let sandbox = Sandbox::begun();
    let url = "https://example.org/a/rather/long/address/of/a/feed/that/nobody/would/type.xml";
    sandbox.ok(&["source", "add", url, "--no-refresh"]);
    let output = sandbox.command(&["source", "list"]).env("COLUMNS", "70").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(listed.contains('…'), "{listed}");
    assert!(listed.lines().all(|line| line.chars().count() <= 70), "{listed}");
}

#[test]
fn a_source_whose_items_come_back_is_shown_with_the_nodes_of_the_circle() {
    for sandbox in Sandbox::both() {
        let here = sandbox.json(&["status"])["id"].as_str().unwrap().to_owned();
        let item = format!(
            r#"{{"id": "urn:item:1", "content_text": "x", "_pergola": {{"hops": ["{here}", "far"]}}}}"#
        );
        let feed = format!(
            r#"{{"version": "https://jsonfeed.org/version/1.1", "title": "x", "items": [{item}]}}"#
        );
        let url = serve("application/feed+json", feed);
        assert_eq!(sandbox.json(&["source", "add", &url])["report"]["new_items"], 0);
        let circle = format!("{here} → far → {here}");
        let shown = sandbox.ok(&["source", "show", "1"]);
        assert!(shown.contains(&format!("loop          {circle}\n")), "{shown}");
        let notices = sandbox.json(&["status"])["notices"].to_string();
        assert!(notices.contains(&circle), "{notices}");
        if !sandbox.is_running() {
            let examined = sandbox.command(&["doctor"]).output().unwrap();
            let examined = String::from_utf8(examined.stdout).unwrap();
            let warning = format!("items of {url} come back to this node: {circle}");
            assert!(examined.contains(&warning), "{examined}");
        }
    }
}
