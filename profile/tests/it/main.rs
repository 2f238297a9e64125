//! Profiles as their users see them: hand-computed cases and properties.

mod profiles;
mod searching;
