//! The REST API of a node in the same process, as its operator calls it.

use std::pin::Pin;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use http::{Request, Uri};
use pergola_api::Client;
use pergola_api::transport::{self, Pending, Response, Transport};
use tower::ServiceExt as _;
use url::Url;

use pergola_port::access::ByFolder;

/// The routes of a node's API. Whoever has the node itself may do everything.
pub struct InProcess(Router);

impl InProcess {
    /// A client of the routes.
    pub fn client(router: Router) -> Client {
        let base = Url::parse("http://localhost/").expect("a constant address");
        Client::new(Self(router), base, None).expect("an address of a node, and no token")
    }
}

impl Transport for InProcess {
    fn send(&self, request: Request<Vec<u8>>) -> Pending<'_, Response> {
        Box::pin(async move {
            let mut request = request.map(Body::from);
            let path = request.uri().path_and_query().cloned();
            *request.uri_mut() = path.map(Uri::from).unwrap_or_default();
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
