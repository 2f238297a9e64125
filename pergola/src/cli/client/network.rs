//! The network client for a node.

use std::time::Duration;

use anyhow::Context as _;
use rustls::ClientConfig;

const CONNECT: Duration = Duration::from_secs(5);
/// Longer than a node takes for any answer: a refresh of a slow source, a long wait for items.
const SILENCE: Duration = Duration::from_secs(150);

pub(super) fn client(tls: ClientConfig) -> anyhow::Result<reqwest::Client> {
    reqwest::Client::builder()
        .use_preconfigured_tls(tls)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .context("the network client cannot be set up")
}
