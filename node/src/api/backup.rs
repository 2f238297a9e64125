//! Sends a backup while it is written; only a few chunks of it are in memory.
//!
//! The writer commits nothing meanwhile, so the backup shows one moment. It ends when the client hangs up or
//! reads nothing for a while: the writer never waits for ever.

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
use crate::publish::Refusal;

/// Bytes of a chunk.
const CHUNK: usize = 64 << 10;
/// Chunks in memory.
const CHUNKS: usize = 8;
/// How long a client may read nothing.
const PATIENCE: Duration = Duration::from_secs(20);

type Chunk = Result<Bytes, io::Error>;

pub(super) async fn download(State(node): State<Arc<Node>>) -> Result<Response, Refusal> {
    let (chunks, mut arriving) = mpsc::channel(CHUNKS);
    let mut sink = Sink { chunks, waiting: Vec::with_capacity(CHUNK), runtime: Handle::current() };
    let written = tokio::spawn(async move {
        let write = move |archive: &pergola_store::archive::Archive| {
            match write_backup(&**archive.store(), &mut sink, |_| ()) {
                Ok(summary) => tracing::info!(rows = summary.rows, "backup written"),
                Err(error) => {
                    tracing::error!(%error, "a backup was not finished");
                    // The client sees that the backup is cut off, unless it is gone itself.
                    let _ = sink.send(Err(io::Error::other(error.to_string())));
                }
            }
        };
        node.alone(write).await
    });
    // The status depends on whether the first chunk arrives.
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

/// What the writer's thread writes the backup to.
struct Sink {
    chunks: mpsc::Sender<Chunk>,
    waiting: Vec<u8>,
    runtime: Handle,
}

impl Sink {
    fn send(&mut self, chunk: Chunk) -> io::Result<()> {
        let sent = self.runtime.block_on(self.chunks.send_timeout(chunk, PATIENCE));
        sent.map_err(|error| match error {
            mpsc::error::SendTimeoutError::Closed(_) => io::ErrorKind::BrokenPipe.into(),
            mpsc::error::SendTimeoutError::Timeout(_) => io::ErrorKind::TimedOut.into(),
        })
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (CHUNK - self.waiting.len()).min(bytes.len());
        self.waiting.extend_from_slice(&bytes[..room]);
        if self.waiting.len() == CHUNK {
            self.flush()?;
        }
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::replace(&mut self.waiting, Vec::with_capacity(CHUNK));
        self.send(Ok(chunk.into()))
    }
}

/// The chunks as the body of the response.
struct Stream {
    first: Option<Bytes>,
    arriving: mpsc::Receiver<Chunk>,
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
        self.arriving.poll_recv(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}
