//! What was probably meant by a misspelled word.

/// The nearest of the known words, if one is near enough.
pub(crate) fn nearest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let given = given.to_lowercase();
    let most = (given.chars().count() / 3).clamp(1, 3);
    known
        .map(|name| (strsim::damerau_levenshtein(&given, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
