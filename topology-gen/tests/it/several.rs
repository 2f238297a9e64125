//! Several files as one mesh, as `pergola profiles` writes them.

use serde_json::Value;

use crate::{Folder, json, run};

const ALPHA: &str = r#"{
  "sources": [
    { "name": "wire", "url": "http://wire.example/rss", "keywords": ["lava", "ash", "crater"], "items_per_day": 4.5 },
    { "name": "chess", "url": "http://chess.example/rss", "keywords": ["chess", "opening"] }
  ],
  "feeds": [
    { "name": "News", "channel": "a1/News", "node": "alpha", "keywords": ["lava", "ash", "crater"] },
    { "name": "Games", "channel": "a1/Games", "node": "alpha", "keywords": ["chess", "opening"] }
  ]
}"#;

const BETA: &str = r#"{
  "sources": [
    { "name": "News-of-alpha", "url": "http://alpha.example/feeds/News", "channel": "a1/News",
      "keywords": ["lava", "ash"] },
    { "name": "elsewhere", "url": "http://wire.example/rss", "keywords": ["lava", "smoke"] }
  ],
  "feeds": [
    { "name": "News", "channel": "b2/News", "node": "beta", "keywords": ["lava", "ash"] }
  ]
}"#;

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn files_of_two_nodes_become_one_mesh_without_the_feeds_that_they_read_from_each_other() {
    let folder = Folder::new("several");
    let files = [folder.write("alpha.json", ALPHA), folder.write("beta.json", BETA)];
    let graph = json(&["generate", &files[0], &files[1]]);
    // Sources with the same URL are one source. The feed of alpha that beta reads is no source.
    assert_eq!(names(&graph["sources"]), ["wire", "chess"]);
    assert_eq!(
        graph["sources"][0]["keywords"],
        serde_json::json!(["lava", "ash", "crater", "smoke"])
    );
    assert_eq!(names(&graph["feeds"]), ["News", "Games", "News-2"]);
    assert_eq!(graph["feeds"][2]["node"], "beta");
    let edges = graph["edges"].as_array().unwrap().iter();
    let edges: Vec<[&str; 2]> =
        edges.map(|edge| ["from", "to"].map(|end| edge[end].as_str().unwrap())).collect();
    assert!(edges.contains(&["wire", "News"]) && edges.contains(&["chess", "Games"]), "{edges:?}");
    assert!(edges.contains(&["News", "News-2"]), "{edges:?}");
    // In beta's file alone it is one.
    let alone = json(&["generate", &files[1]]);
    assert_eq!(names(&alone["sources"]), ["News-of-alpha", "elsewhere"]);
}

#[test]
fn a_bundle_keeps_all_mesh_files_and_lists_them() {
    let folder = Folder::new("several-bundle");
    let files = [folder.write("alpha.json", ALPHA), folder.write("beta.json", BETA)];
    let bundle = folder.at("bundle");
    let output = run(&["bundle", &bundle, &files[0], &files[1], "--local", "--newsroom"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join("bundle").join(name)).unwrap();
    assert_eq!((read("mesh.json"), read("mesh-2.json")), (ALPHA.to_owned(), BETA.to_owned()));
    let readme = read("README.md");
    assert!(readme.contains("bundle FOLDER mesh.json mesh-2.json --local --newsroom"), "{readme}");
    assert!(readme.contains("follows from `mesh.json`, `mesh-2.json`"), "{readme}");
    assert!(read("nodes/beta.toml").contains("News-2"));
}

#[test]
fn errors_name_what_is_wrong_in_one_of_several_files() {
    let folder = Folder::new("several-wrong");
    let alpha = folder.write("alpha.json", ALPHA);
    let closed = BETA.replacen('{', r#"{ "dictionary": ["lava", "ash", "smog"],"#, 1);
    for (text, said) in [
        (closed.as_str(), "source `elsewhere` has the keyword `smoke`"),
        (&BETA.replace("\"News\"", "\"News-of-alpha\""), "name of two things"),
        (&BETA.replace("News-of-alpha", "News of alpha"), "cannot be a name"),
        ("{", "beta.json"),
    ] {
        // Without the channel it is an ordinary source.
        let text = text.replace("\"channel\": \"a1/News\",", "");
        let beta = folder.write("beta.json", &text);
        let output = run(&["generate", &alpha, &beta]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(said), "{said}: {told}");
    }
}
