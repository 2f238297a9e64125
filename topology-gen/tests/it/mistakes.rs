//! Mistakes of users: a clear message, exit code 2, and nothing written.

use crate::{Folder, MESH, run};

/// Runs it, expects exit code 2 and nothing on standard output, and returns the error message.
fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?} said: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// The error message for this mesh. Nothing may be written.
fn refused_mesh(name: &str, mesh: &str, rules: &[&str]) -> String {
    let folder = Folder::new(name);
    let mesh = folder.write("mesh.toml", mesh);
    let output = folder.at("graph");
    let said = refused(&[&["generate", &mesh, "--output", &output], rules].concat());
    assert_eq!(folder.names(), ["mesh.toml"]);
    said
}

const SYNTHETIC: [&str; 5] = ["generate", "--sources", "3", "--feeds", "30"];

#[test]
fn the_error_for_an_unknown_keyword_names_its_owner_and_the_nearest_word() {
    let mesh = format!(
        "dictionary = [\"volcano\", \"eruption\", \"ash\", \"iceland\", \"storm\"]\n{MESH}"
    );
    let said = refused_mesh("keyword", &mesh, &[]);
    assert!(said.contains("source `weather`") && said.contains("`wind`"), "{said}");
    let mesh = mesh.replace("\"wind\"]", "\"storms\"]");
    let said = refused_mesh("keyword", &mesh, &[]);
    assert!(said.contains("`storms`") && said.contains("did you mean `storm`?"), "{said}");
}

#[test]
fn the_error_for_a_feed_without_a_source_in_its_radius_names_the_nearest() {
    let said = refused_mesh("radius", MESH, &["--radius", "0.6"]);
    // `ash-clouds` shares 2 of 3 keywords with `weather`; `islands` 1 of 4 with `volcano-news`.
    assert!(said.contains("`islands`") && said.contains("`volcano-news` at 0.750"), "{said}");
    assert!(said.contains("raise --radius"), "{said}");
}

#[test]
fn a_duplicate_name_is_refused() {
    let twice = MESH.replace("\"ash-clouds\"", "\"everything\"");
    let said = refused_mesh("twice", &twice, &[]);
    assert!(said.contains("`everything` is the name of two feeds"), "{said}");
    let both = MESH.replace("\"ash-clouds\"", "\"weather\"");
    let said = refused_mesh("both", &both, &[]);
    assert!(said.contains("`weather` is the name of two things, a source and a feed"), "{said}");
}

#[test]
fn the_error_for_a_feed_on_an_unknown_node_names_the_nearest_node() {
    let mesh = MESH.replace("name = \"islands\"", "name = \"islands\"\nnode = \"herre\"");
    let said = refused_mesh("node", &format!("nodes = [\"here\", \"there\"]\n{mesh}"), &[]);
    assert!(said.contains("feed `islands` is hosted by `herre`"), "{said}");
    assert!(said.contains("not one of the nodes; did you mean `here`?"), "{said}");
    let said = refused_mesh("node", &format!("nodes = [\"herre\", \"herre\"]\n{mesh}"), &[]);
    assert!(said.contains("`herre` is the name of two nodes"), "{said}");
}

#[test]
fn a_radius_or_alpha_out_of_range_is_refused() {
    for radius in ["1.5", "-0.1", "NaN"] {
        let said = refused(&[&SYNTHETIC[..], &["--radius", radius]].concat());
        assert!(said.contains("radius") && said.contains("between 0 and 1"), "{said}");
    }
    for alpha in ["-1", "inf"] {
        let said = refused(&[&SYNTHETIC[..], &["--alpha", alpha]].concat());
        assert!(said.contains("α is") && said.contains("from 0 to 1000000"), "{said}");
    }
    let said = refused(&["plane", "--points", "10", "--alpha", "-4"]);
    assert!(said.contains("α is -4"), "{said}");
}

#[test]
fn the_error_for_reach_that_cannot_be_kept_gives_advice() {
    // Each feed wants something that the other lacks, and the source may have only one reader.
    let mesh = r#"
        sources = [{ name = "s", keywords = ["a", "b", "c"] }]
        feeds = [{ name = "x", keywords = ["a", "b"] }, { name = "y", keywords = ["b", "c"] }]
    "#;
    let said = refused_mesh("reach", mesh, &["--keep-reach", "--fan-out", "1"]);
    assert!(said.contains("feed `y`") && said.contains("source `s`"), "{said}");
    assert!(
        said.contains("keep back keywords") && said.contains("leave out --keep-reach"),
        "{said}"
    );
}

#[test]
fn a_folder_that_is_not_empty_is_left_alone() {
    let folder = Folder::new("full");
    folder.write("precious.txt", "mine");
    let place = folder.path().to_str().unwrap();
    let said = refused(&[&SYNTHETIC[..], &["--output", place]].concat());
    assert!(said.contains("is not empty") && said.contains("does not exist yet"), "{said}");
    assert_eq!(folder.names(), ["precious.txt"]);
    let file = folder.at("precious.txt");
    let said = refused(&[&SYNTHETIC[..], &["--output", &file]].concat());
    assert!(said.contains("is not a folder"), "{said}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn the_error_for_a_broken_query_shows_it() {
    let mesh = MESH.replace("\"ash\" OR \"wind\"", "\"ash\" ORR \"wind\"");
    let said = refused_mesh("query", &mesh, &[]);
    assert!(said.contains("feed `ash-clouds`") && said.contains("ORR"), "{said}");
    let mesh = MESH.replace("ITEM CONTAINS \"ash\" OR \"wind\"", "CREATE FEED");
    assert!(refused_mesh("create", &mesh, &[]).contains("feed `ash-clouds`"));
}

#[test]
fn a_feed_that_wants_nothing_is_refused() {
    let mesh = MESH.replace("query = 'ITEM CONTAINS \"ash\" OR \"wind\"'", "");
    let said = refused_mesh("nothing", &mesh, &[]);
    assert!(said.contains("feed `ash-clouds` has neither keywords nor a query"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let said = refused(&["generate", "no-such-mesh.toml"]);
    assert!(said.contains("no-such-mesh.toml"), "{said}");
    let folder = Folder::new("formats");
    let said = refused(&["stats", &folder.write("mesh.yaml", "")]);
    assert!(said.contains(".toml or .json"), "{said}");
    let said = refused(&["stats", &folder.write("mesh.toml", "[[feed")]);
    assert!(said.contains("mesh.toml") && said.contains("line 1"), "{said}");
    let said = refused(&["stats", &folder.write("typo.json", r#"{"sorces": []}"#)]);
    assert!(said.contains("sorces") && said.contains("sources"), "{said}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let said = refused(&["generate", "--sources", "0", "--feeds", "5"]);
    assert!(said.contains("--sources is 0"), "{said}");
    let said = refused(&[&SYNTHETIC[..], &["--coverage", "2"]].concat());
    assert!(said.contains("coverage is 2"), "{said}");
    let said = refused(&[&SYNTHETIC[..], &["--fan-out", "0"]].concat());
    assert!(said.contains("--fan-out is 0"), "{said}");
    let said = refused(&[&SYNTHETIC[..], &["--nodes", "31"]].concat());
    assert!(said.contains("--nodes is 31") && said.contains("30"), "{said}");
    let said = refused(&["stats", "--sources", "1", "--feeds", "5", "--refreshes-per-hour", "-1"]);
    assert!(said.contains("--refreshes-per-hour is -1"), "{said}");
    let said = refused(&["plane", "--points", "0"]);
    assert!(said.contains("--points is 0"), "{said}");
    let said = refused(&["generate"]);
    assert!(said.contains("--sources") && said.contains("--feeds"), "{said}");
}

#[test]
fn a_picture_of_an_unknown_kind_is_refused_before_anything_is_wired() {
    let said = refused(&["draw", "--sources", "1", "--feeds", "5", "--plot", "mesh.gif"]);
    assert!(said.contains(".svg or .png"), "{said}");
    let said = refused(&["draw", "--sources", "1", "--feeds", "5"]);
    assert!(said.contains("--plot"), "{said}");
}

/// The error message for a bundle of this mesh. Nothing may be written.
fn refused_bundle(name: &str, mesh: &str, options: &[&str]) -> String {
    let folder = Folder::new(name);
    let mesh = folder.write("mesh.toml", mesh);
    let said = refused(&[&["bundle", &folder.at("bundle"), &mesh], options].concat());
    assert_eq!(folder.names(), ["mesh.toml"]);
    said
}

#[test]
fn a_bundle_that_cannot_run_is_refused() {
    let said = refused_bundle("address", MESH, &[]);
    assert!(
        said.contains("source `weather` has no `url`") && said.contains("--newsroom"),
        "{said}"
    );
    let bad = MESH.replace("https://volcanoes.example.org/rss\"\nkey", "volcanoes\"\nkey");
    let said = refused_bundle("url", &bad, &[]);
    assert!(said.contains("`volcanoes`, which is no http"), "{said}");
    let world = ["--newsroom"];
    let said = refused_bundle(
        "feed-name",
        &MESH.replace("\"islands\"", "\"9.islands\"\nnode = \"here\""),
        &world,
    );
    assert!(said.contains("feed `9.islands` cannot be published"), "{said}");
    let host = MESH.replace("name = \"islands\"", "name = \"islands\"\nnode = \"1\"");
    let said = refused_bundle("host", &host, &world);
    assert!(said.contains("node `1` cannot be a host's name"), "{said}");
    let newsroom = MESH.replace("name = \"islands\"", "name = \"islands\"\nnode = \"Newsroom\"");
    let said = refused_bundle("world", &newsroom, &world);
    assert!(said.contains("the host name of the newsroom"), "{said}");
    let same = MESH.replace("name = \"islands\"", "name = \"islands\"\nnode = \"Ash_Clouds\"");
    let said = refused_bundle("same", &same, &world);
    assert!(said.contains("both be the host `ash-clouds`"), "{said}");
    let said = refused_bundle(
        "rate",
        &MESH.replace("name = \"weather\"", "name = \"weather\"\nitems_per_day = -1"),
        &world,
    );
    assert!(said.contains("source `weather` publishes -1 items a day"), "{said}");
    let idle = format!("nodes = [\"a\", \"b\", \"c\", \"d\"]\n{MESH}");
    let said = refused_bundle("idle", &idle, &world);
    assert!(said.contains("hosts no feed"), "{said}");
    let alone = MESH.replace(
        "AS RETURN \"https://volcanoes.example.org/rss\"\nWHERE ITEM CONTAINS \"Iceland\" AND NOT \
         (TITLE CONTAINS \"football\");",
        "AS RETURN \"https://a.example\" AS $v WHERE $v[ITEM CONTAINS \"Iceland\"];",
    );
    let said = refused_bundle("alone", &alone, &world);
    assert!(said.contains("a condition for `$v` alone"), "{said}");
}

#[test]
fn invalid_options_of_a_bundle_are_refused() {
    let with =
        |options: &[&str]| refused_bundle("options", MESH, &[&["--newsroom"], options].concat());
    assert!(with(&["--speed", "60"]).contains("needs --local and --newsroom"));
    assert!(with(&["--speed", "0"]).contains("--speed is 0"));
    assert!(with(&["--refreshes-per-hour", "-1"]).contains("--refreshes-per-hour is -1"));
    assert!(with(&["--cooperate", "hints,push"]).contains("`push` is no way to cooperate"));
    let said = with(&["--publish", "island"]);
    assert!(said.contains("`island`") && said.contains("did you mean `islands`?"), "{said}");
    assert!(with(&["--port", "65535"]).contains("--port is 65535"));
    assert!(with(&["--kubernetes", "--namespace", "Not_Good"]).contains("cannot be a namespace"));
    assert!(with(&["--image", "two words"]).contains("--image"));
    assert!(with(&["--local", "--kubernetes"]).contains("--kubernetes"));
    // Errors of the wiring are the same as for `generate`.
    assert!(with(&["--radius", "0.6"]).contains("raise --radius"));
    assert!(with(&["--radius", "7"]).contains("between 0 and 1"));
    assert!(with(&["--nodes", "4"]).contains("--nodes is 4"));
}

#[test]
fn a_bundle_overwrites_nothing() {
    let folder = Folder::new("over");
    let mesh = folder.write("mesh.toml", MESH);
    let place = folder.path().to_str().unwrap();
    let said = refused(&["bundle", place, &mesh, "--newsroom"]);
    assert!(said.contains("is not empty"), "{said}");
    assert_eq!(folder.names(), ["mesh.toml"]);
}

#[test]
fn options_of_observe_that_cannot_work_are_refused() {
    let said = refused(&["observe", "ftp://example.org"]);
    assert!(said.contains("`ftp://example.org` is not the address of a node"), "{said}");
    let said = refused(&["observe", "http://127.0.0.1:1", "--timeout", "0"]);
    assert!(said.contains("--timeout is 0"), "{said}");
    let said = refused(&["observe", "http://127.0.0.1:1", "--timeout", "20"]);
    assert!(said.contains("no node has answered") && said.contains("http://127.0.0.1:1"), "{said}");
    let said = refused(&["observe", "http://127.0.0.1:1", "--secrets", "/nowhere"]);
    assert!(said.contains("/nowhere is not a folder"), "{said}");
    let said = refused(&["observe"]);
    assert!(said.contains("URL"), "{said}");
}
