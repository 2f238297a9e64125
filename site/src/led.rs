//! Where a page leads next: only to paths of this node.

use url::form_urlencoded;

/// Leads from a path to the node's own address: `./` from `/read`, `../../` from `/read/item/7`.
pub(crate) fn root(path: &str) -> String {
    match path.matches('/').count() {
        0 | 1 => "./".to_owned(),
        deep => "../".repeat(deep - 1),
    }
}

/// A path of this node, without the slash at its beginning; the first page if it leads elsewhere.
pub(crate) fn local(path: &str) -> &str {
    let own = path.strip_prefix('/').unwrap_or(path);
    let strange = |c: char| c == '\\' || c.is_control() || c.is_whitespace();
    let before = own.split(['?', '#']).next().unwrap_or_default();
    let elsewhere = own.starts_with('/')
        || own.contains(strange)
        || !own.is_ascii()
        || before.contains(':')
        || before.split('/').any(|part| part == "..");
    if elsewhere { "" } else { own }
}

/// Fields as they stand behind the `?` of an address.
pub(crate) fn query<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_to_another_site() {
        for own in ["read", "read?feed=7&after=a-b", "settings/account", "", "read#item-7"] {
            assert_eq!(local(own), own);
            assert_eq!(local(&format!("/{own}")), own);
        }
        for wrong in [
            "//evil.example",
            "///evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "/\\evil.example",
            "\\\\evil.example",
            "../other",
            "a/../../b",
            "read\r\nset-cookie: a=b",
            " //evil.example",
            "re\tad",
        ] {
            assert_eq!(local(wrong), "", "{wrong}");
        }
    }

    #[test]
    fn the_way_to_the_root_depends_on_the_depth() {
        assert_eq!([root("/"), root("/read"), root("/read/item/7")], ["./", "./", "../../"]);
    }
}
