//! What people see: every page, rendered from plain values.
//!
//! A page is a function from what it shows to HTML. Nothing here reads a store, asks a node or knows what time it is;
//! the caller collects what a page shows. Pages need no script: what `assets/` holds makes them live, and they
//! load nothing from another host. Links are relative, so a node can live under any prefix.
//!
//! Never: a script in a page, whoever wrote the item; markup of an item that was not sanitised; a request to
//! another host.
//!
//! # Modules, from the bottom up
//!
//! - `assets`: the stylesheet and the scripts, as they are served
//! - `words`: times, counts and spans, as people read them
//! - `figures`: shares, bytes and rates, and how long ago something was
//! - `chart`: small charts
//! - `forms`: the token that every form of a session carries
//! - `frame`: what every page has: head, navigation, and the headers that protect it
//! - `way`: the way of an item through the mesh
//! - `public`: the pages that anybody may see
//! - `inside`: the pages for those who read and manage

pub mod assets;
pub mod chart;
pub mod figures;
pub mod forms;
pub mod frame;
pub mod inside;
pub mod public;
mod way;
pub mod words;

pub use maud::{Markup, PreEscaped, html};
