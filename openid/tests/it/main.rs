//! What a provider says is believed if everything about it is right, and not if one thing is wrong.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod requests;
mod tokens;
