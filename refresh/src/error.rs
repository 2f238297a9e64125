//! The error for an invalid setting. One type is enough for the whole crate: which setting, which value,
//! and what is allowed.

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{what} is {given}, but must be {allowed}")]
pub struct Invalid {
    /// The setting, in the words of a user.
    pub what: &'static str,
    pub given: String,
    pub allowed: &'static str,
}

impl Invalid {
    pub fn unless_positive(what: &'static str, value: f64) -> Result<f64, Self> {
        let ok = value.is_finite() && value > 0.0;
        Self::unless(ok, what, value, "a finite number above 0")
    }

    pub fn unless_not_negative(what: &'static str, value: f64) -> Result<f64, Self> {
        let ok = value.is_finite() && value >= 0.0;
        Self::unless(ok, what, value, "a finite number of at least 0")
    }

    /// Accepts a number from 0 to 1.
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
