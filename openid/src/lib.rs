//! OpenID Connect for a client: what is asked of a provider, and whether its answers can be believed.
//!
//! The authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636), and nothing else of it. Pure: whoever
//! calls makes the requests, and says what time it is.
//!
//! Never: a token believed that is not signed by a key of the provider, is not for this client, not for this login, or
//! over; a signature by a secret that both sides know, or none at all.
//!
//! # Modules, from the bottom up
//!
//! - `begun`: a login that has begun, and what only its browser knows
//! - `provider`: what a provider says of itself
//! - `keys`: the keys by which a provider signs
//! - `claims`: what a provider says of somebody
//! - `token`: the token that says who somebody is
//! - `request`: what a provider is asked

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
