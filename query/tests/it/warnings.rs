//! Filters that are allowed and surely not meant.

use pergola_query::syntax::Statement;
use pergola_query::{parse, warnings};

#[test]
fn filters_that_cannot_be_meant_are_warned_about() {
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
        ["no bracket names `$b`, so this source is kept whole"]
    );
    for (filter, expected) in [
        (
            "TITLE CONTAINS \"x\" AND NOT \"x\"",
            "no item can pass this: it contradicts what it is joined with",
        ),
        (
            "TITLE = \"x\" AND TITLE != \"x\"",
            "no item can pass this: it contradicts what it is joined with",
        ),
        (
            "(TITLE CONTAINS \"x\" OR NOT \"x\")",
            "every item passes this: it is the opposite of an alternative",
        ),
        (
            "TITLE = \"x\" AND \"y\"",
            "no item can pass this: TITLE would have to be two things at once",
        ),
        (
            "PUBLISHED < \"2026-01-01\" AND PUBLISHED > \"2026-01-01\"",
            "no item can pass this: the times it asks for do not meet",
        ),
    ] {
        assert_eq!(warned(&format!("{filter} AND {both}")), [expected], "{filter}");
    }
    assert_eq!(warned(&format!("CATEGORY = \"x\" AND \"y\" AND {both}")), Vec::<String>::new());
}
