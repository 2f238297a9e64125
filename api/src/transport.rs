//! How a request reaches a node and how the answer comes back.

use std::error::Error;
use std::pin::Pin;

use bytes::Bytes;
use http::{Request, StatusCode};

/// Why a request did not reach the node, or its answer did not arrive.
pub type TransportError = Box<dyn Error + Send + Sync>;

/// A future that can be stored.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, TransportError>> + Send + 'a>>;

/// Sends requests to a node.
pub trait Transport: Send + Sync {
    /// Sends a request and returns when the answer begins.
    fn send(&self, request: Request<Vec<u8>>) -> Pending<'_, Response>;
}

/// The beginning of an answer.
pub struct Response {
    /// Its status.
    pub status: StatusCode,
    /// Its body, still to be read.
    pub body: Box<dyn Body>,
}

/// The body of an answer, chunk by chunk.
pub trait Body: Send {
    /// The next chunk; nothing at the end.
    fn chunk(&mut self) -> Pending<'_, Option<Bytes>>;
}

/// Over the network.
#[cfg(feature = "network")]
mod network {
    use super::{Body, Bytes, Pending, Request, Response, Transport};

    impl Transport for reqwest::Client {
        fn send(&self, request: Request<Vec<u8>>) -> Pending<'_, Response> {
            Box::pin(async move {
                let request = reqwest::Request::try_from(request)?;
                let answer = self.execute(request).await.map_err(reqwest::Error::without_url)?;
                Ok(Response { status: answer.status(), body: Box::new(answer) })
            })
        }
    }

    impl Body for reqwest::Response {
        fn chunk(&mut self) -> Pending<'_, Option<Bytes>> {
            Box::pin(async move { Ok(reqwest::Response::chunk(self).await?) })
        }
    }
}
