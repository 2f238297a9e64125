//! Names of folders: one inside another as `Tech/Rust`.

/// Bytes of a name, and folders inside each other, at most.
const BYTES: usize = 256;
const DEPTH: usize = 16;

/// The name of a folder in its normal form: without blanks around its parts and without empty parts. Nothing is
/// left of a name that has no parts; what is too long is cut off.
pub fn folder_name<T: AsRef<str>>(parts: impl IntoIterator<Item = T>) -> Option<String> {
    let mut name = String::new();
    let mut depth = 0;
    for part in parts {
        for part in part.as_ref().split('/').map(str::trim).filter(|part| !part.is_empty()) {
            if depth == DEPTH || name.len() + part.len() >= BYTES {
                return Some(name).filter(|name| !name.is_empty());
            }
            if depth > 0 {
                name.push('/');
            }
            name.push_str(part);
            depth += 1;
        }
    }
    Some(name).filter(|name| !name.is_empty())
}

/// Whether a folder is another one, or inside it.
pub fn is_inside(folder: &str, outer: &str) -> bool {
    let rest = folder.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_normal_form() {
        for (given, normal) in [
            ("Tech", Some("Tech")),
            (" Tech / Rust ", Some("Tech/Rust")),
            ("/Tech//Rust/", Some("Tech/Rust")),
            (" / ", None),
            ("", None),
        ] {
            assert_eq!(folder_name([given]).as_deref(), normal, "{given:?}");
        }
        assert_eq!(folder_name(["News", "Towns/Rome"]).as_deref(), Some("News/Towns/Rome"));
        let deep = folder_name(vec!["x"; 100]).unwrap();
        assert_eq!(deep.split('/').count(), DEPTH);
        assert_eq!(folder_name(["x".repeat(BYTES)]), None);
    }

    #[test]
    fn a_folder_includes_those_inside_it() {
        assert!(is_inside("Tech", "Tech") && is_inside("Tech/Rust", "Tech"));
        assert!(!is_inside("Technology", "Tech") && !is_inside("Tech", "Tech/Rust"));
    }
}
