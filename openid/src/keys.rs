//! The keys by which a provider signs (RFC 7517), and signatures by them (RFC 7518).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value;

/// Keys of one provider; more are not looked at.
const MOST: usize = 100;

/// The keys of a provider.
#[derive(Debug, Clone, Default)]
pub struct KeySet(Vec<Key>);

#[derive(Debug, Clone)]
struct Key {
    id: Option<String>,
    material: Material,
}

#[derive(Debug, Clone)]
enum Material {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// A point, uncompressed.
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// Why the keys of a provider are of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadKeys {
    #[error("the keys of the OpenID provider cannot be read: {0}")]
    Unreadable(String),
    #[error(
        "the OpenID provider has no key to sign with that is known here: RSA, P-256, P-384 or Ed25519"
    )]
    None,
}

/// Why a signature does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    #[error("it is signed by `{0}`, which is not accepted: RS256, PS256, ES256 or EdDSA are")]
    Algorithm(String),
    #[error("it is signed by a key that the provider does not publish")]
    UnknownKey,
    #[error("its signature is wrong")]
    Wrong,
}

#[derive(Deserialize)]
struct Published {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct PublishedKey {
    kty: String,
    #[serde(default, rename = "use")]
    purpose: Option<String>,
    kid: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// Reads the keys that a provider publishes. Those of kinds that are not known here are left out.
    pub fn read(document: &[u8]) -> Result<Self, BadKeys> {
        let published: Published = serde_json::from_slice(document)
            .map_err(|error| BadKeys::Unreadable(error.to_string()))?;
        let keys: Vec<Key> = published.keys.into_iter().take(MOST).filter_map(Key::read).collect();
        if keys.is_empty() { Err(BadKeys::None) } else { Ok(Self(keys)) }
    }

    /// Whether a text is signed by one of these keys.
    pub(crate) fn verify(
        &self,
        algorithm: &str,
        id: Option<&str>,
        text: &[u8],
        signature: &[u8],
    ) -> Result<(), Unverified> {
        let known = Algorithm::named(algorithm);
        let known = known.ok_or_else(|| Unverified::Algorithm(algorithm.to_owned()))?;
        let is_meant = |key: &&Key| id.is_none() || key.id.is_none() || key.id.as_deref() == id;
        let mut meant = self.0.iter().filter(is_meant).filter(|key| known.fits(&key.material));
        let first = meant.next().ok_or(Unverified::UnknownKey)?;
        let right = std::iter::once(first)
            .chain(meant)
            .any(|key| known.is_signed(&key.material, text, signature));
        if right { Ok(()) } else { Err(Unverified::Wrong) }
    }
}

impl Key {
    fn read(value: Value) -> Option<Self> {
        let key: PublishedKey = serde_json::from_value(value).ok()?;
        if key.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |text: &Option<String>| URL_SAFE_NO_PAD.decode(text.as_deref()?).ok();
        let point = || {
            let (x, y) = (bytes(&key.x)?, bytes(&key.y)?);
            Some([vec![4], x, y].concat())
        };
        let material = match (key.kty.as_str(), key.crv.as_deref()) {
            ("RSA", _) => {
                let modulus = bytes(&key.n)?.into_iter().skip_while(|byte| *byte == 0).collect();
                Material::Rsa { modulus, exponent: bytes(&key.e)? }
            }
            ("EC", Some("P-256")) => Material::P256(point()?),
            ("EC", Some("P-384")) => Material::P384(point()?),
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(&key.x)?),
            _ => return None,
        };
        Some(Self { id: key.kid, material })
    }
}

/// How something is signed. A secret that both sides know signs nothing here, and neither does nobody.
#[derive(Clone, Copy)]
enum Algorithm {
    Rsa(&'static RsaParameters),
    P256,
    P384,
    Ed25519,
}

impl Algorithm {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "RS256" => Self::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
            "RS384" => Self::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
            "RS512" => Self::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
            "PS256" => Self::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
            "PS384" => Self::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
            "PS512" => Self::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
            "ES256" => Self::P256,
            "ES384" => Self::P384,
            "EdDSA" | "Ed25519" => Self::Ed25519,
            _ => return None,
        })
    }

    fn fits(self, material: &Material) -> bool {
        matches!(
            (self, material),
            (Self::Rsa(_), Material::Rsa { .. })
                | (Self::P256, Material::P256(_))
                | (Self::P384, Material::P384(_))
                | (Self::Ed25519, Material::Ed25519(_))
        )
    }

    fn is_signed(self, material: &Material, text: &[u8], signed: &[u8]) -> bool {
        let by = |algorithm: &'static dyn signature::VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(text, signed).is_ok()
        };
        match (self, material) {
            (Self::Rsa(parameters), Material::Rsa { modulus, exponent }) => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(parameters, text, signed).is_ok()
            }
            (Self::P256, Material::P256(key)) => by(&signature::ECDSA_P256_SHA256_FIXED, key),
            (Self::P384, Material::P384(key)) => by(&signature::ECDSA_P384_SHA384_FIXED, key),
            (Self::Ed25519, Material::Ed25519(key)) => by(&signature::ED25519, key),
            _ => false,
        }
    }
}
