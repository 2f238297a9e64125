//! Changes of a source: its title and folders, whether it is paused, what it is shown to let the node in, and who may know it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What to change of a source; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSourceRequest {
    /// Its title from now on; null takes the one that the source gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    #[schema(value_type = Option<String>)]
    pub title: Option<Option<String>>,
    /// How much one of its items counts, compared with items of other sources; above 0, up to 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<f32>,
    /// Whether to pause it: nothing is asked of it until this is taken back. What its hub pushes still arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Whether to publish its address nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<bool>,
    /// What the source is shown from now on; null forgets what it was shown before.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    #[schema(value_type = Option<GivenCredentials>)]
    pub credentials: Option<Option<GivenCredentials>>,
    /// The folders that it is in from now on; an empty list takes it out of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folders: Option<Vec<String>>,
}

/// A value that was said, be it null.
fn said<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// What a source is shown to let the node in. It is sent to the origin of the source's URL only, over TLS or
/// within a private network, and never told again.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum GivenCredentials {
    /// A user and a password (RFC 7617).
    Password {
        /// The name of the user.
        user: String,
        /// The password.
        #[serde(default)]
        password: String,
    },
    /// A header.
    Header {
        /// Its name, such as `X-Token`.
        header: String,
        /// Its value.
        value: String,
    },
}

impl std::fmt::Debug for GivenCredentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Password { .. } => "Password(********)",
            Self::Header { .. } => "Header(********)",
        })
    }
}

/// That a source is shown something to let the node in. What it is, is not told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldCredentials {
    /// Which kind it is.
    pub kind: CredentialsKind,
    /// The only origin that it is sent to, such as `https://example.org`.
    pub origin: String,
}

/// What a source is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CredentialsKind {
    /// A user and a password.
    Password,
    /// A header.
    Header,
}

impl CredentialsKind {
    /// The word that stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Header => "header",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_read_and_never_printed() {
        let json = r#"{"credentials": {"user": "bob", "password": "sesame"}}"#;
        let change: ChangeSourceRequest = serde_json::from_str(json).unwrap();
        let given = GivenCredentials::Password { user: "bob".into(), password: "sesame".into() };
        assert_eq!(change.credentials, Some(Some(given)));
        assert!(!format!("{change:?}").contains("sesame"), "{change:?}");
        let json = r#"{"credentials": {"header": "X-Token", "value": "sesame"}}"#;
        let change: ChangeSourceRequest = serde_json::from_str(json).unwrap();
        assert!(matches!(change.credentials, Some(Some(GivenCredentials::Header { .. }))));
        assert!(!format!("{change:?}").contains("sesame"), "{change:?}");
    }

    #[test]
    fn nothing_said_changes_nothing_and_null_forgets() {
        for (json, credentials) in [("{}", None), (r#"{"credentials":null}"#, Some(None))] {
            let change: ChangeSourceRequest = serde_json::from_str(json).unwrap();
            assert_eq!(
                change,
                ChangeSourceRequest { credentials, ..ChangeSourceRequest::default() }
            );
            assert_eq!(serde_json::to_string(&change).unwrap(), json);
        }
    }
}
