//! Parsing reverses printing.

use pergola_query::syntax::parse;
use proptest::prelude::*;

use crate::generate;
use crate::language::{SEED_SHORT_FORM, SEED_WITH_BRACKETS};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn parsing_a_printed_script_gives_the_same_tree(script in generate::script()) {
        let text = script.to_string();
        let read = parse(&text).map_err(|e| TestCaseError::fail(e.render(&text, "printed")))?;
        prop_assert_eq!(&read, &script, "{}", text);
        prop_assert_eq!(read.to_string(), text);
    }
}

#[test]
fn the_examples_print_in_canonical_form() {
    let printed = |text| parse(text).unwrap().to_string();
    assert_eq!(
        printed("create feed f as return g where item contains 'vol*' or exact 'Café'"),
        "CREATE FEED f AS\nRETURN FEED g\nWHERE ITEM CONTAINS \"vol*\" OR ITEM CONTAINS EXACT \"Café\";\n"
    );
    assert_eq!(
        printed(SEED_WITH_BRACKETS),
        r#"CREATE FEED IceVolEruFeed AS
RETURN "http://feeds.guardian.co.uk/theguardian/rss" AS $guardian |
       "http://www.boston.com/bigpicture/index.xml" AS $picture
WHERE $guardian[ITEM CONTAINS "iceland" OR ITEM CONTAINS "volcano" OR ITEM CONTAINS "eruption"] AND
      $picture[CATEGORY = "iceland" OR CATEGORY = "volcano" OR CATEGORY = "eruption"];
"#
    );
    assert_eq!(
        printed(SEED_SHORT_FORM),
        r#"CREATE FEED IcelandVolcanoEruption AS
RETURN "http://feeds.guardian.co.uk/theguardian/rss" |
       "http://www.boston.com/bigpicture/index.xml"
WHERE ITEM CONTAINS "iceland" OR ITEM CONTAINS "volcano" OR ITEM CONTAINS "eruption";
"#
    );
}
