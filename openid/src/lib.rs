//! OpenID Connect for a client: what is asked of a provider, and whether its answers can be believed.
//!
//! Only the authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636). Pure: the caller makes the requests,
//! and says what time it is.
//!
//! Never: a token accepted that no key of the provider has signed, that is for another client or another login, or that has
//! expired; a signature by a shared secret, or none at all.
//!
//! # Modules, from the bottom up
//!
//! - `begun`: a login that has begun, and the secret of its browser
//! - `provider`: what a provider publishes about itself
//! - `keys`: the keys by which a provider signs
//! - `claims`: what a provider says about a person
//! - `token`: the ID token, and whether it is valid
//! - `request`: requests to a provider

mod begun;
mod claims;
mod keys;
mod provider;
mod request;
mod token;

pub use begun::Begun;
pub use claims::{BadClaims, Claims};
pub use keys::{BadKeys, KeySet, Unverified};
pub use provider::{BadProvider, Provider, configuration_of};
pub use request::{Client, Grant, NoGrant, TokenRequest};
pub use token::{BadToken, Expected, SKEW, verified};
