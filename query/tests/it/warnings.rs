//! Warnings about filters that are probably wrong.

use pergola_query::syntax::Statement;
use pergola_query::{parse, warnings};

#[test]
fn filters_that_are_probably_wrong_give_warnings() {
    let warned = |filter: &str| -> Vec<String> {
        let text = format!("CREATE FEED x AS RETURN a AS $a | b AS $b WHERE {filter}");
        let script = parse(&text).unwrap();
        let Statement::Create(feed) = &script.statements[0].value else { panic!("not a CREATE") };
        warnings(&feed.body).iter().map(ToString::to_string).collect()
    };
    let both = "$a[TITLE = \"x\"] AND $b[TITLE = \"y\"]";
    assert_eq!(warned(both), Vec::<String>::new());
    assert_eq!(
        warned("$a[TITLE = \"x\"]"),
        ["no bracket uses `$b`, so every item of this source passes"]
    );
    for (filter, expected) in [
        (
            "TITLE CONTAINS \"x\" AND NOT \"x\"",
            "no item can pass this filter: it contradicts another condition beside it",
        ),
        (
            "TITLE = \"x\" AND TITLE != \"x\"",
            "no item can pass this filter: it contradicts another condition beside it",
        ),
        (
            "(TITLE CONTAINS \"x\" OR NOT \"x\")",
            "every item passes this filter: it is the opposite of another alternative",
        ),
        (
            "TITLE = \"x\" AND \"y\"",
            "no item can pass this filter: TITLE cannot equal two values at once",
        ),
        (
            "PUBLISHED < \"2026-01-01\" AND PUBLISHED > \"2026-01-01\"",
            "no item can pass this filter: the times do not overlap",
        ),
    ] {
        assert_eq!(warned(&format!("{filter} AND {both}")), [expected], "{filter}");
    }
    let open = "TITLE = \"vol*\" AND TITLE = \"volcano\" AND TITLE = EXACT \"volcano\"";
    assert_eq!(warned(&format!("{open} AND {both}")), Vec::<String>::new());
    assert_eq!(warned(&format!("CATEGORY = \"x\" AND \"y\" AND {both}")), Vec::<String>::new());
}
