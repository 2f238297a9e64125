//! A backup as it is written: no more of it is in memory than a few pieces on their way.
//!
//! The writer waits while it is written, so that it is a picture of one moment. A client who hangs up,
//! or takes nothing for a while, ends it: the writer must never wait for ever.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use hyper::body::Frame;
use pergola_store::backup::write_backup;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::refusal::failed;
use crate::node::Node;
use crate::publish::Problem;

/// Bytes of a piece.
const PIECE: usize = 64 << 10;
/// Pieces on their way.
const PIECES: usize = 8;
/// How long a client may take nothing.
const PATIENCE: Duration = Duration::from_secs(20);

type Piece = Result<Bytes, io::Error>;

/// A consistent backup while the node runs.
#[utoipa::path(get, path = "/api/v1/backup", security(("token" = [])),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 503, body = Problem)))]
pub(super) async fn download(State(node): State<Arc<Node>>) -> Result<Response, Problem> {
    let (pieces, mut arriving) = mpsc::channel(PIECES);
    let mut sink = Sink { pieces, waiting: Vec::with_capacity(PIECE), runtime: Handle::current() };
    let written = tokio::spawn(async move {
        let write = move |archive: &pergola_store::archive::Archive| {
            match write_backup(&**archive.store(), &mut sink, |_| ()) {
                Ok(summary) => tracing::info!(rows = summary.rows, "backup written"),
                Err(error) => {
                    tracing::error!(%error, "a backup was not finished");
                    // The client sees that it is cut off; if it is gone, so be it.
                    let _ = sink.send(Err(io::Error::other(error.to_string())));
                }
            }
        };
        node.alone(write).await
    });
    // Only what begins well is answered well.
    let first = match arriving.recv().await {
        Some(Ok(first)) => first,
        Some(Err(error)) => return Err(failed(format!("no backup could be written: {error}"))),
        None => {
            return Err(match written.await {
                Ok(Err(stopping)) => stopping.into(),
                _ => failed("no backup could be written".to_owned()),
            });
        }
    };
    let headers = [
        (CONTENT_TYPE, "application/octet-stream"),
        (CONTENT_DISPOSITION, "attachment; filename=\"pergola.backup\""),
        (CACHE_CONTROL, "no-store"),
    ];
    let body = Body::new(Stream { first: Some(first), arriving });
    Ok((headers, body).into_response())
}

/// Where the writer's thread puts the backup.
struct Sink {
    pieces: mpsc::Sender<Piece>,
    waiting: Vec<u8>,
    runtime: Handle,
}

impl Sink {
    fn send(&mut self, piece: Piece) -> io::Result<()> {
        let sent = self.runtime.block_on(self.pieces.send_timeout(piece, PATIENCE));
        sent.map_err(|error| match error {
            mpsc::error::SendTimeoutError::Closed(_) => io::ErrorKind::BrokenPipe.into(),
            mpsc::error::SendTimeoutError::Timeout(_) => io::ErrorKind::TimedOut.into(),
        })
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (PIECE - self.waiting.len()).min(bytes.len());
        self.waiting.extend_from_slice(&bytes[..room]);
        if self.waiting.len() == PIECE {
            self.flush()?;
        }
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.waiting, Vec::with_capacity(PIECE));
        self.send(Ok(piece.into()))
    }
}

/// The pieces as the body of an answer.
struct Stream {
    first: Option<Bytes>,
    arriving: mpsc::Receiver<Piece>,
}

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.arriving.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
