//! The configuration of a node: read from a file, from what was set while it ran and from the environment, checked
//! once, then trusted.
//!
//! Each key is declared once, in the function `declare` of its table. Everything else follows from the
//! declarations: what a file and the environment may say, what `pergola config show` prints, what needs a
//! restart, the example file and the manual. A node never starts with a configuration of which it did not
//! understand a part, and it never prints a secret.
//!
//! # Modules, from the bottom up
//! - `origin`: where a value was set
//! - `mistake`: what can be wrong, and how it is said
//! - `setting`: what was set, before anything is checked
//! - `codec`: the types of keys: how a value is read, written and described
//! - `units`: durations and sizes
//! - `secret`: values that are never printed
//! - `table`: the declaration of one table
//! - `document`: the declaration of the whole file
//! - `node`, `store`, `budget`, `schedule`, `crawl`, `feeds`, `reading`, `websub`, `mail`, `api`, `tls`, `openid`,
//!   `peers`, `clock`, `log`: the tables that exist once
//! - `hosts`, `readers`, `sources`, `declared_feed`: the tables of which there can be many
//! - `config`: the whole configuration
//! - `tables`: all tables and keys by their names
//! - `file`, `stored`, `environment`: what a file, `pergola config set` and variables set
//! - `place`: where the data is if nothing says so
//! - `load`: from all of these to a configuration
//! - `show`: the configuration as a file
//! - `reload`: what a new configuration changes in a running node
//! - `warnings`: what is allowed but probably not meant
//! - `example`, `manual`: the example file and the page about all keys

mod api;
mod budget;
mod clock;
mod codec;
mod config;
mod crawl;
mod declared_feed;
mod document;
mod environment;
mod example;
mod feeds;
mod file;
mod hosts;
mod load;
mod log;
mod mail;
mod manual;
mod mistake;
mod node;
mod openid;
mod origin;
mod peers;
mod place;
mod readers;
mod reading;
mod reload;
mod schedule;
mod secret;
mod setting;
mod show;
mod sources;
mod store;
mod stored;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod tls;
mod units;
mod warnings;
mod websub;

pub use api::Api;
pub use budget::Budget;
pub use clock::Clock;
pub use config::Config;
pub use crawl::Crawl;
pub use declared_feed::DeclaredFeed;
pub use environment::environment;
pub use example::example;
pub use feeds::Feeds;
pub use hosts::{HostCredentials, HostRule, Hosts};
pub use load::find_file;
pub use log::{Log, LogFormat};
pub use mail::{Mail, MailSecurity};
pub use manual::manual;
pub use mistake::{ConfigError, Mistake};
pub use node::Node;
pub use openid::OpenId;
pub use origin::Origin;
pub use peers::{Limits, Peers};
pub use pergola_manners::budget::BudgetRule;
pub use pergola_manners::networks::PrivateException;
pub use readers::{Fingerprint, Reader};
pub use reading::{Pictures, Reading};
pub use reload::Reload;
pub use schedule::{Choice, Schedule};
pub use secret::Secret;
pub use show::DeclaredKey;
pub use sources::Source;
pub use store::Store;
pub use stored::{NotSettable, Stored};
pub use tls::{Clients, Tls};
pub use warnings::Warning;
pub use websub::WebSub;
