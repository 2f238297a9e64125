//! The clients for a node: over the network, and by the socket in its data folder.

use std::time::Duration;

use anyhow::Context as _;
use http::Request;
use pergola_api::transport::{Pending, Response, Transport};
use pergola_outside::surroundings::WayToSocket;
use reqwest::ClientBuilder;
use rustls::ClientConfig;

const CONNECT: Duration = Duration::from_secs(5);
/// Longer than a node takes for any answer: a refresh of a slow source, a long wait for items.
const SILENCE: Duration = Duration::from_secs(150);

pub(super) fn client(tls: ClientConfig) -> anyhow::Result<reqwest::Client> {
    build(tls, |builder| builder)
}

/// A client by the socket in a data folder.
pub(super) struct BySocket {
    client: reqwest::Client,
    /// Connections may be made as long as this lives.
    _way: WayToSocket,
}

impl BySocket {
    pub(super) fn new(way: WayToSocket, tls: ClientConfig) -> anyhow::Result<Self> {
        let client = build(tls, |builder| builder.unix_socket(way.path()))?;
        Ok(Self { client, _way: way })
    }
}

impl Transport for BySocket {
    fn send(&self, request: Request<Vec<u8>>) -> Pending<'_, Response> {
        self.client.send(request)
    }
}

fn build(
    tls: ClientConfig,
    more: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> anyhow::Result<reqwest::Client> {
    let builder = reqwest::Client::builder()
        .use_preconfigured_tls(tls)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none());
    more(builder).build().context("the network client cannot be set up")
}
