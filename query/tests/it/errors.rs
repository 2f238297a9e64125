//! Messages.

use pergola_query::syntax::parse;

fn message(text: &str) -> String {
    parse(text).unwrap_err().render(text, "query")
}

#[test]
fn show() {
    for t in [
        "CREATE FED x",
        "CREATE FEED x AS RETURN \"http://a\" WERE ITEM CONTAINS \"a\"",
        "CREATE FEED x AS RETURN \"http://a\" WHERE ITEM CONTIANS \"a\"",
        "CREATE FEED x AS\nRETURN \"http://a\"\n\tWHERE ITEM CONTAINS \"a\" OR TITEL CONTAINS \"b\"",
        "CREATE FEED 冰岛 AS\nRETURN \"http://a\" WHERE ITEM CONTAINS \"冰岛\" ORR \"火山\"",
        "CREATE FEED x AS RETURN \"http://a\" WHERE (ITEM CONTAINS \"a\" OR \"b\" WINDOW 3",
        "CREATE FEED x AS RETURN \"http://a\" WHERE ITEM CONTAINS \"a",
        "CREATE FEED where AS RETURN",
        "CREATE",
        "",
        "CREATE FEED x AS RETURN \"http://a\" AS $a WHERE $a[TITLE = \"x\"] OR TITLE = \"y\"",
        "CREATE FEED x AS RETURN \"http://a\" WINDOW 0",
        "CREATE FEED x AS RETURN \"http://a\" KEEP 90 DAXS",
        "DROP FEED x y",
    ] {
        if let Err(e) = parse(t) {
            eprintln!("{}\n", e.render(t, "query"));
        }
    }
    let _ = message;
}
