//! Requests to a node that was opened in this process.

use std::pin::Pin;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use http::{Request, Uri};
use pergola_api::transport::{self, Pending, Response, Transport};
use pergola_node::access::ByFolder;
use tower::ServiceExt as _;

/// The router of the node.
pub(super) struct InProcess(pub(super) Router);

impl Transport for InProcess {
    fn send(&self, request: Request<Vec<u8>>) -> Pending<'_, Response> {
        Box::pin(async move {
            let mut request = request.map(Body::from);
            let path = request.uri().path_and_query().cloned();
            *request.uri_mut() = path.map(Uri::from).unwrap_or_default();
            // Whoever can open the data folder may do everything.
            request.extensions_mut().insert(ByFolder);
            match self.0.clone().oneshot(request).await {
                Ok(response) => {
                    let status = response.status();
                    Ok(Response { status, body: Box::new(Frames(response.into_body())) })
                }
                Err(never) => match never {},
            }
        })
    }
}

struct Frames(Body);

impl transport::Body for Frames {
    fn chunk(&mut self) -> Pending<'_, Option<Bytes>> {
        Box::pin(async move {
            loop {
                let frame = std::future::poll_fn(|task| Pin::new(&mut self.0).poll_frame(task));
                match frame.await.transpose()? {
                    None => return Ok(None),
                    Some(frame) => {
                        if let Ok(chunk) = frame.into_data() {
                            return Ok(Some(chunk));
                        }
                    }
                }
            }
        })
    }
}
