//! `[[feed]]`.

use super::*;

const FEED: &str = "[[feed]]\nquery = 'CREATE FEED A AS RETURN \"https://a.example/rss\"'\n";

#[test]
fn a_feed_is_read_from_its_query() {
    let config = from_file(FEED);
    let [feed] = &config.declared[..] else { panic!("{:?}", config.declared) };
    assert_eq!(feed.name, "A");
    assert_eq!(feed.body.sources.len(), 1);
    assert_eq!(feed.origin, "pergola.toml:1, feed[1]");
}

#[test]
fn feeds_are_read_from_a_file_beside_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let statements = "CREATE FEED A AS RETURN \"https://a.example/rss\";\n\
                      CREATE FEED B AS RETURN FEED A WHERE ITEM CONTAINS \"volcano\";\n";
    std::fs::write(folder.path().join("feeds.fql"), statements).unwrap();
    let path = folder.path().join("pergola.toml");
    std::fs::write(&path, "[[feed]]\nfile = \"feeds.fql\"\n").unwrap();
    let config = Config::load(Some(&path), []).unwrap();
    let names: Vec<&str> = config.declared.iter().map(|feed| feed.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);

    std::fs::write(folder.path().join("feeds.fql"), "CREATE FEED A AS\nRETURN nothing").unwrap();
    let error = Config::load(Some(&path), []).unwrap_err().to_string();
    let file = folder.path().join("feeds.fql").display().to_string();
    assert!(error.contains(&format!("--> {file}:2:8")), "{error}");
    assert!(error.contains("^^^^^^^"), "{error}");
}

#[test]
fn an_error_in_a_query_is_shown_with_a_caret() {
    let found = mistakes("[[feed]]\nquery = 'CREATE FEED A AS RETURN nothing'\n", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("--> pergola.toml:1, feed[1]:1:25"), "{}", found[0]);
    assert!(found[0].contains("CREATE FEED A AS RETURN nothing"), "{}", found[0]);
    assert!(found[0].contains("^^^^^^^"), "{}", found[0]);
}

#[test]
fn two_feeds_of_one_name_are_refused() {
    assert_eq!(
        mistakes(&format!("{FEED}{FEED}"), &[]),
        ["[feed[2]] (pergola.toml:3): must not create `A` again: \
             pergola.toml:1, feed[1] already does"]
    );
}

#[test]
fn a_feed_that_reads_one_that_is_not_there_is_refused() {
    let found = mistakes("[[feed]]\nquery = 'CREATE FEED A AS RETURN FEED B'\n", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("feed[1]:1:25"), "{}", found[0]);
}

#[test]
fn a_feed_table_has_a_query_or_a_file() {
    assert_eq!(
        mistakes("[[feed]]\n", &[]),
        ["[feed[1]] (pergola.toml:1): must have a `query` or a `file`"]
    );
    assert_eq!(
        mistakes("[[feed]]\nquery = \"x\"\nfile = \"y\"\n", &[]),
        ["`feed[1].file` = \"y\" (pergola.toml:3): must not be set together with `query`"]
    );
    let found = mistakes("[[feed]]\nfile = \"/nowhere/feeds.fql\"\n", &[]);
    let expected = "`feed[1].file` = \"/nowhere/feeds.fql\" (pergola.toml:2): \
                    must be a file that can be read: ";
    assert!(found[0].starts_with(expected), "{found:?}");
}

#[test]
fn a_configuration_only_creates() {
    assert_eq!(
        mistakes("[[feed]]\nquery = 'DROP FEED A'\n", &[]),
        ["[feed[1]] (pergola.toml:1): must only hold CREATE FEED statements"]
    );
}

#[test]
fn more_feeds_than_allowed_are_refused() {
    let text = format!("[feeds]\nmost = 1\n{FEED}{}", FEED.replace("FEED A", "FEED B"));
    assert_eq!(
        mistakes(&text, &[]),
        ["`feeds.most` = 1 (pergola.toml:2): must be at least the 2 of [[feed]]"]
    );
}
