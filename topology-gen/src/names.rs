//! Suggestions for a wrong name, and an unused name in place of one that is taken.

/// The end of an error message about a wrong name: suggests the most similar right one, if any is similar.
pub(crate) fn did_you_mean<'a>(wrong: &str, right: impl IntoIterator<Item = &'a str>) -> String {
    match pergola_query::nearest(wrong, right) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

/// The name itself if it is not taken, else the first of `name-2`, `name-3`, … that is not.
pub(crate) fn unused(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&name) {
        return name;
    }
    let mut number = 2_u64;
    loop {
        let next = format!("{name}-{number}");
        if !is_taken(&next) {
            return next;
        }
        number += 1;
    }
}
