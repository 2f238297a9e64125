//! What can be wrong with the numbers a caller gives: one error for the whole crate, because every
//! case is the same sentence (which setting, which value, what is allowed).

/// A setting that makes no sense, with the value that was given and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{what} is {given}, but must be {allowed}")]
pub struct Invalid {
    /// The setting, as a user would call it.
    pub what: &'static str,
    /// The value that was given.
    pub given: String,
    /// What is allowed instead.
    pub allowed: &'static str,
}

impl Invalid {
    /// Accepts a finite number above zero.
    pub fn unless_positive(what: &'static str, value: f64) -> Result<f64, Self> {
        let ok = value.is_finite() && value > 0.0;
        Self::unless(ok, what, value, "a finite number above 0")
    }

    /// Accepts a finite number of at least zero.
    pub fn unless_not_negative(what: &'static str, value: f64) -> Result<f64, Self> {
        let ok = value.is_finite() && value >= 0.0;
        Self::unless(ok, what, value, "a finite number of at least 0")
    }

    /// Accepts a number between zero and one, both included.
    pub fn unless_share(what: &'static str, value: f64) -> Result<f64, Self> {
        Self::unless((0.0..=1.0).contains(&value), what, value, "between 0 and 1")
    }

    /// Accepts `value` if `ok`.
    pub fn unless<T: ToString>(
        ok: bool,
        what: &'static str,
        value: T,
        allowed: &'static str,
    ) -> Result<T, Self> {
        if ok { Ok(value) } else { Err(Self { what, given: value.to_string(), allowed }) }
    }
}
