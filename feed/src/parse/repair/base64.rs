//! Base64, which Atom uses for content that is not text.

use ::base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// However publishers end it.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// Decodes base64 of either alphabet to text; `None` if it is not base64 or not text.
pub(super) fn decode(text: &str) -> Option<String> {
    let digits = text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=');
    let digits = digits.map(|byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    });
    let bytes = LENIENT.decode(digits.collect::<Vec<_>>()).ok()?;
    String::from_utf8(bytes).ok().filter(|text| text.chars().all(crate::markup::chars::allowed))
}
