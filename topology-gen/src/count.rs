//! Counts as text.

/// `1 feed`, `2 feeds`, `10,000 feeds`.
pub(crate) fn many(count: usize, what: &str) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len() > 4 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let plural = if count == 1 { "" } else { "s" };
    format!("{grouped} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular_and_long_numbers_are_grouped() {
        let counts = [0, 1, 9999, 10_000, 1_234_567].map(|count| many(count, "feed"));
        assert_eq!(counts, ["0 feeds", "1 feed", "9999 feeds", "10,000 feeds", "1,234,567 feeds"]);
    }
}
