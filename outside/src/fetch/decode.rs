//! Decompression, within limits.
//!
//! A body of a few kilobytes can decompress to gigabytes. The output is therefore counted while it is made,
//! against a total and against the size of the input.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use http::HeaderValue;
use url::Url;

use super::FetchError;
use super::error::shown;

/// RFC 9659: what a zstd stream on the web may ask for (8 MiB).
const ZSTD_WINDOW_LOG: u32 = 23;
/// More encodings on top of each other are refused.
const MOST_LAYERS: usize = 2;
const STEP: usize = 16 * 1024;

/// How far a body may decompress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// Bytes of the result at most.
    pub max_decoded: usize,
    /// How many times as long as the body the result may be …
    pub max_ratio: usize,
    /// … once it is longer than this.
    pub ratio_from: usize,
}

impl Default for DecodeLimits {
    fn default() -> Self {
        Self { max_decoded: 10 * 1024 * 1024, max_ratio: 100, ratio_from: 1024 * 1024 }
    }
}

/// Undoes the encodings that the header names, last one first.
pub(super) fn decode<'a>(
    body: &'a [u8],
    encodings: Option<&HeaderValue>,
    limits: &DecodeLimits,
    url: &Url,
) -> Result<Cow<'a, [u8]>, FetchError> {
    let protocol = |why: String| FetchError::Protocol { url: shown(url), why };
    let names = match encodings.map(HeaderValue::to_str) {
        None => "",
        Some(Ok(names)) => names,
        Some(Err(_)) => return Err(protocol("its content encoding is not text".to_owned())),
    };
    let layers = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let layers: Vec<&str> = layers.filter(|name| !name.eq_ignore_ascii_case("identity")).collect();
    if layers.len() > MOST_LAYERS {
        return Err(protocol(format!("its content encoding is `{names}`")));
    }
    let mut decoded = Cow::Borrowed(body);
    for name in layers.iter().rev().filter(|_| !body.is_empty()) {
        let unpacked = unpack(&decoded, name, body.len(), limits);
        decoded = Cow::Owned(unpacked.map_err(|wrong| match wrong {
            Wrong::TooLarge => FetchError::TooLarge { url: shown(url), most: limits.max_decoded },
            Wrong::Bomb => FetchError::Bomb { url: shown(url), ratio: limits.max_ratio },
            Wrong::Broken(error) => protocol(format!("its {name} body is broken: {error}")),
            Wrong::Unknown => protocol(format!("its content encoding is `{names}`")),
        })?);
    }
    if decoded.len() > limits.max_decoded {
        return Err(FetchError::TooLarge { url: shown(url), most: limits.max_decoded });
    }
    Ok(decoded)
}

enum Wrong {
    TooLarge,
    Bomb,
    Broken(io::Error),
    Unknown,
}

fn unpack(packed: &[u8], name: &str, wire: usize, limits: &DecodeLimits) -> Result<Vec<u8>, Wrong> {
    if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
        read(MultiGzDecoder::new(packed), wire, limits)
    } else if name.eq_ignore_ascii_case("br") {
        read(brotli::Decompressor::new(packed, STEP), wire, limits)
    } else if name.eq_ignore_ascii_case("zstd") {
        let mut decoder =
            zstd::stream::read::Decoder::with_buffer(packed).map_err(Wrong::Broken)?;
        decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(Wrong::Broken)?;
        read(decoder, wire, limits)
    } else if name.eq_ignore_ascii_case("deflate") {
        // The name means the zlib format, but some servers send raw deflate.
        if has_zlib_header(packed) {
            read(ZlibDecoder::new(packed), wire, limits)
        } else {
            read(DeflateDecoder::new(packed), wire, limits)
        }
    } else {
        Err(Wrong::Unknown)
    }
}

fn read(mut decoder: impl Read, wire: usize, limits: &DecodeLimits) -> Result<Vec<u8>, Wrong> {
    let mut out = Vec::with_capacity(wire.saturating_mul(4).min(limits.max_decoded).max(STEP));
    loop {
        let before = out.len();
        let step = (&mut decoder).take(STEP as u64).read_to_end(&mut out);
        step.map_err(Wrong::Broken)?;
        if out.len() == before {
            return Ok(out);
        }
        if out.len() > limits.ratio_from && out.len() / limits.max_ratio.max(1) > wire {
            return Err(Wrong::Bomb);
        }
        if out.len() > limits.max_decoded {
            return Err(Wrong::TooLarge);
        }
    }
}

fn has_zlib_header(packed: &[u8]) -> bool {
    match packed {
        [method, flags, ..] => {
            method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    fn decoded(body: &[u8], encodings: &str, limits: DecodeLimits) -> Result<Vec<u8>, FetchError> {
        let header = HeaderValue::from_str(encodings).unwrap();
        let url = Url::parse("http://a.example/feed").unwrap();
        decode(body, Some(&header), &limits, &url).map(Cow::into_owned)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn deflate_is_read_with_and_without_its_header() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"<rss/>").unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(b"<rss/>").unwrap();
        let limits = DecodeLimits::default();
        assert_eq!(decoded(&zlib.finish().unwrap(), "deflate", limits).unwrap(), b"<rss/>");
        assert_eq!(decoded(&raw.finish().unwrap(), "Deflate", limits).unwrap(), b"<rss/>");
    }

    #[test]
    fn layers_are_undone_last_one_first() {
        let zstd = zstd::encode_all(&gzip(b"<rss/>")[..], 1).unwrap();
        let limits = DecodeLimits::default();
        assert_eq!(decoded(&zstd, "gzip, identity, zstd", limits).unwrap(), b"<rss/>");
        assert!(decoded(&zstd, "gzip, gzip, gzip", limits).is_err());
    }

    #[test]
    fn what_is_broken_or_unknown_is_an_error_with_its_name() {
        let limits = DecodeLimits::default();
        for (body, encoding) in [(&b"<rss/>"[..], "gzip"), (b"x", "br"), (b"x", "zstd")] {
            let error = decoded(body, encoding, limits).unwrap_err();
            assert!(error.to_string().contains(&format!("its {encoding} body")), "{error}");
        }
        assert!(decoded(b"x", "snappy", limits).unwrap_err().to_string().contains("snappy"));
        let truncated = &gzip(&[b'x'; 5_000])[..20];
        assert!(decoded(truncated, "gzip", limits).is_err());
    }

    #[test]
    fn an_empty_body_needs_no_decoding() {
        assert_eq!(decoded(b"", "gzip", DecodeLimits::default()).unwrap(), b"");
    }

    #[test]
    fn rule_7_size_and_ratio_are_capped() {
        let limits = DecodeLimits { max_decoded: 100_000, max_ratio: 10, ratio_from: 50_000 };
        let zeros = |length: usize| gzip(&vec![0; length]);
        assert_eq!(decoded(&zeros(50_000), "gzip", limits).unwrap().len(), 50_000);
        let bomb = decoded(&zeros(90_000), "gzip", limits).unwrap_err();
        assert!(matches!(bomb, FetchError::Bomb { ratio: 10, .. }), "{bomb}");
        let noise: Vec<u8> = (0..200_000u32).map(|n| (n.wrapping_mul(n) >> 7) as u8).collect();
        let large = decoded(&gzip(&noise), "gzip", limits).unwrap_err();
        assert!(matches!(large, FetchError::TooLarge { most: 100_000, .. }), "{large}");
        let plain = decoded(&vec![0; 100_001], "identity", limits).unwrap_err();
        assert!(matches!(plain, FetchError::TooLarge { .. }), "{plain}");
    }

    proptest! {
        #[test]
        fn whatever_comes_is_decoded_or_refused_within_the_limits(
            mut body in prop::collection::vec(any::<u8>(), 0..400),
            encoding in prop::sample::select(vec!["gzip", "br", "zstd", "deflate", "gzip, br"]),
            flip in any::<prop::sample::Index>(),
            honest in any::<bool>(),
        ) {
            if honest && encoding == "gzip" {
                body = gzip(&body);
                let place = flip.index(body.len());
                body[place] ^= 0x10;
            }
            let limits = DecodeLimits { max_decoded: 10_000, ..DecodeLimits::default() };
            if let Ok(decoded) = decoded(&body, encoding, limits) {
                prop_assert!(decoded.len() <= 10_000);
            }
        }
    }
}
