//! Mistakes that users make: a clear sentence, exit code 2, and nothing written.

use crate::{Folder, MESH, run};

/// Runs it, expects exit code 2 and nothing on standard output, and returns what it said.
fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?} said: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// What is said about this mesh, which must be refused without a trace.
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
fn an_unknown_keyword_is_answered_with_its_owner_and_the_nearest_word() {
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
fn a_feed_without_a_source_in_its_radius_is_named_with_the_nearest() {
    let said = refused_mesh("radius", MESH, &["--radius", "0.6"]);
    // `ash-clouds` shares 2 of 3 keywords with `weather`; `islands` 1 of 4 with `volcano-news`.
    assert!(said.contains("`islands`") && said.contains("`volcano-news` at 0.750"), "{said}");
    assert!(said.contains("raise --radius"), "{said}");
}

#[test]
fn a_name_that_is_there_twice_is_refused() {
    let twice = MESH.replace("\"ash-clouds\"", "\"everything\"");
    let said = refused_mesh("twice", &twice, &[]);
    assert!(said.contains("`everything` is the name of two feeds"), "{said}");
    let both = MESH.replace("\"ash-clouds\"", "\"weather\"");
    let said = refused_mesh("both", &both, &[]);
    assert!(said.contains("`weather` is the name of two things, a source and a feed"), "{said}");
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
fn reach_that_cannot_be_kept_is_said_with_what_to_do() {
    // Both feeds want something that the other lacks, and the source may have one reader.
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
fn a_broken_query_is_shown_with_the_place() {
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
fn numbers_that_make_no_sense_are_refused() {
    let said = refused(&["generate", "--sources", "0", "--feeds", "5"]);
    assert!(said.contains("--sources is 0"), "{said}");
    let said = refused(&[&SYNTHETIC[..], &["--coverage", "2"]].concat());
    assert!(said.contains("coverage is 2"), "{said}");
    let said = refused(&[&SYNTHETIC[..], &["--fan-out", "0"]].concat());
    assert!(said.contains("--fan-out is 0"), "{said}");
    let said = refused(&[&SYNTHETIC[..], &["--nodes", "31"]].concat());
    assert!(said.contains("--nodes is 31") && said.contains("30"), "{said}");
    let said = refused(&["stats", "--sources", "1", "--feeds", "5", "--looks-per-hour", "-1"]);
    assert!(said.contains("--looks-per-hour is -1"), "{said}");
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
