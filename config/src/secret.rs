//! Secrets in the configuration.

pub use pergola_manners::secret::Secret;

use crate::codec::{Codec, MASK, text};

/// A secret of any characters, without the white space around it.
pub(crate) fn secret() -> Codec<Secret> {
    text().map(|text| Ok(Secret::new(text.trim())), |_| MASK.to_owned())
}

/// A secret that can be sent in a header.
pub(crate) fn sendable_secret() -> Codec<Secret> {
    let sendable = |secret: &Secret| {
        http::HeaderValue::from_str(secret.reveal()).is_ok_and(|value| value.to_str().is_ok())
    };
    let wrong = "must consist of letters, digits and signs of ASCII in one line";
    let check = move |secret| if sendable(&secret) { Ok(secret) } else { Err(wrong.to_owned()) };
    secret().map(check, Secret::clone).described("ASCII text in one line")
}
