//! Notifications: the new entries of a feed are posted to webhooks and sent in e-mail digests.
//!
//! What is due, what a delivery says and when it is tried again are pure functions; time is an argument. The
//! [`Notifier`] is the task around them. It keeps in the store how far each notification has come.
//!
//! Never: an entry left out because a delivery failed; a delivery sent before its bounds are durable, so that
//! it has the same id when it is sent again; a secret in a message or an answer; a redirect followed.
//!
//! # Modules, from the bottom up
//!
//! - `signature`: signatures of what is sent
//! - `course`: what is due when, and what follows from a delivery
//! - `stand`: what a notifier needs of its node
//! - `payload`: what a webhook is sent
//! - `digest`: what an e-mail says
//! - `target`: where notifications may go
//! - `post`: sends to a webhook
//! - `smtp`: sends an e-mail
//! - `shown`: notifications as others see them
//! - `notifier`: delivers, and can be told what to deliver

mod course;
mod digest;
mod notifier;
mod payload;
mod post;
mod shown;
pub mod signature;
mod smtp;
mod stand;
mod target;

pub use notifier::{Notifier, NotifyError, Tools};
pub use smtp::Mailer;
pub use stand::{FeedNow, Stand};
