use super::*;

#[test]
fn the_number_of_a_source_in_a_notice_is_a_link() {
    let told = |notice: &str| linked(notice).into_string();
    assert_eq!(
        told("items of source 12 come back"),
        "items of source <a href=\"./sources/12\">12</a> come back"
    );
    assert_eq!(told("source 3"), "source <a href=\"./sources/3\">3</a>");
    assert_eq!(told("the source is <full>"), "the source is &lt;full&gt;");
    assert_eq!(told("a source of 7"), "a source of 7");
}
