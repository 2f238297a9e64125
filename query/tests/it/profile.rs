//! The words that a feed asks for.

use pergola_query::{Catalogue, parse, profile};

fn words_of(filter: &str) -> Vec<String> {
    let text = format!("CREATE FEED F AS RETURN \"http://a.example/\" AS $a {filter};");
    let mut catalogue = Catalogue::new();
    catalogue.run(&parse(&text).unwrap()).unwrap();
    profile(catalogue.get("F").unwrap()).into_iter().collect()
}

#[test]
fn the_words_asked_for_come_folded_in_order_and_once() {
    let words = words_of(r#"WHERE ITEM CONTAINS "Volcano" OR "ash  Cloud" OR TITLE = "VOLCANO""#);
    assert_eq!(words, ["ash cloud", "volcano"]);
}

#[test]
fn accents_and_the_star_of_a_beginning_are_left_out() {
    let words = words_of(r#"WHERE ITEM CONTAINS "Volcán*" OR EXACT "café" OR "le café noir*""#);
    assert_eq!(words, ["cafe", "le cafe noir", "volcan"]);
}

#[test]
fn brackets_count_and_lists_of_values_too() {
    let words = words_of(r#"WHERE $a[CATEGORY IN ("Iceland", "Lava")] AND TITLE CONTAINS "news""#);
    assert_eq!(words, ["iceland", "lava", "news"]);
}

#[test]
fn excluded_words_do_not_count_in_any_form() {
    let words = words_of(
        r#"WHERE ITEM CONTAINS "a" AND NOT ITEM CONTAINS "b" AND TITLE != "c"
           AND NOT (TITLE != "d" OR ITEM CONTAINS "e")"#,
    );
    assert_eq!(words, ["a", "d"]);
}

#[test]
fn patterns_dates_and_addresses_are_not_words() {
    let words = words_of(
        r#"WHERE TITLE MATCHES "vol.*" AND PUBLISHED WITHIN 7 DAYS AND LINK CONTAINS "example"
           AND SOURCE = "http://a.example/""#,
    );
    assert_eq!(words, Vec::<String>::new());
    assert_eq!(words_of(""), Vec::<String>::new());
}
