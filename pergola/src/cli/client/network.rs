//! A node over the network.

use std::time::Duration;

use anyhow::Context as _;
use http::Request;
use rustls::ClientConfig;
use url::Url;

use super::Answer;
use crate::cli::failure::Failure;

const CONNECT: Duration = Duration::from_secs(5);
/// Longer than any answer is held back: a refresh of a slow source, a long wait for items.
const SILENCE: Duration = Duration::from_secs(150);

/// A connection to a node.
pub(in crate::cli) struct Network {
    client: reqwest::Client,
}

impl Network {
    pub(super) fn new(tls: ClientConfig) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .use_preconfigured_tls(tls)
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .context("the network client cannot be set up")?;
        Ok(Self { client })
    }

    pub(super) async fn ask(&self, request: Request<Vec<u8>>) -> anyhow::Result<Answer> {
        let request = reqwest::Request::try_from(request)?;
        let url = request.url().clone();
        let sent = self.client.execute(request).await;
        sent.map(Answer::network).map_err(|error| unreachable(error, &url))
    }

    /// What a node says of itself under a path outside of the API, and whether that is good.
    pub(in crate::cli) async fn probe(
        &self,
        base: &Url,
        path: &str,
        patience: Duration,
    ) -> anyhow::Result<(bool, String)> {
        let url = base.join(path)?;
        let sent = self.client.get(url.clone()).timeout(patience).send().await;
        let response = sent.map_err(|error| unreachable(error, &url))?;
        let good = response.status().is_success();
        let bytes = Answer::network(response).bytes().await?;
        Ok((good, String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn unreachable(error: reqwest::Error, url: &Url) -> anyhow::Error {
    let node = url.origin().ascii_serialization();
    let what = match error.is_timeout() {
        true => format!("the node at {node} does not answer in time"),
        false => format!("the node at {node} cannot be reached"),
    };
    let hint = match distrusted(&error) {
        true => "if its certificate is its own, name who signed it with --ca FILE",
        false => "is it running? `pergola run` starts one, --node says where it is",
    };
    anyhow::Error::new(error.without_url()).context(Failure::new(what).hint(hint))
}

/// Whether the two do not trust each other.
fn distrusted(error: &reqwest::Error) -> bool {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = next {
        if pergola_node::tls::cause(cause).is_some() {
            return true;
        }
        next = cause.source();
    }
    false
}
