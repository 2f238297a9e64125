//! The stream on which a peer notifies us of news in one feed.

use pergola_manners::link::Link;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_proto::v1::{WatchRequest, WatchResponse};
use tonic::{Code, Status, Streaming};
use url::Url;

use super::Peers;

/// Bytes of a notification.
const MESSAGE_BYTES: usize = 64 << 10;

/// An open stream.
pub struct Notifications(Streaming<WatchResponse>);

/// Why a stream has ended, or was not opened.
#[derive(Debug)]
pub struct Ended {
    pub reason: EndReason,
    /// What the peer said.
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The peer has no such service, or has too many readers already.
    Refused,
    /// The peer has no such feed.
    NoSuchFeed,
    /// Anything else, such as a lost connection.
    Lost,
}

impl Peers {
    /// Opens the stream for the feed of a link.
    pub async fn watch(&self, link: &Link, now: f64) -> Result<Notifications, Ended> {
        let url = Url::parse(&link.url).map_err(|error| Status::not_found(error.to_string()))?;
        let channel =
            self.connection(&url, now).map_err(|error| Status::unavailable(error.to_string()))?;
        let mut client = SyndicationClient::new(channel).max_decoding_message_size(MESSAGE_BYTES);
        let request = WatchRequest { feed: link.feed.clone(), cursor: link.cursor.clone() };
        Ok(Notifications(client.watch(request).await?.into_inner()))
    }
}

impl Notifications {
    /// Waits for news; returns the cursor of the newest entry.
    pub async fn next(&mut self) -> Result<String, Ended> {
        let news = self.0.message().await?;
        Ok(news.ok_or_else(|| Status::unavailable("the stream has ended"))?.head)
    }
}

impl From<Status> for Ended {
    fn from(status: Status) -> Self {
        let reason = match status.code() {
            Code::Unimplemented | Code::ResourceExhausted => EndReason::Refused,
            Code::NotFound => EndReason::NoSuchFeed,
            _ => EndReason::Lost,
        };
        Self { reason, message: status.message().to_owned() }
    }
}
