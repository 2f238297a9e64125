//! What an origin says.

use std::io::{self, Write};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::Request;

/// An answer, well behaved or not.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Body,
    conditional: bool,
    /// A header without which the answer is 401.
    wanted: Option<(String, String)>,
}

#[derive(Clone, Debug)]
enum Body {
    Whole(Vec<u8>),
    /// A whole body of which only the announced length is sent.
    Announced(u64),
    Endless,
    Dripping(Duration),
    Silence,
    Raw(Vec<u8>),
}

impl Reply {
    /// A status and nothing else.
    pub(crate) fn status(status: u16) -> Self {
        let (headers, body) = (Vec::new(), Body::Whole(Vec::new()));
        Self { status, headers, body, conditional: false, wanted: None }
    }

    /// 200 with a document.
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200).with(Body::Whole(body.into()))
    }

    /// A redirect.
    pub(crate) fn redirect(status: u16, to: &str) -> Self {
        Self::status(status).header("location", to)
    }

    /// 200 with a body that never ends, sent as fast as it is taken.
    pub(crate) fn endless() -> Self {
        Self::status(200).with(Body::Endless)
    }

    /// 200 with a body of which a byte comes every so often, for ever.
    pub(crate) fn dripping(every: Duration) -> Self {
        Self::status(200).with(Body::Dripping(every))
    }

    /// 200 that announces a body of so many bytes and sends none of it.
    pub(crate) fn announcing(length: u64) -> Self {
        Self::status(200).with(Body::Announced(length))
    }

    /// Takes the request and says nothing, ever.
    pub(crate) fn silence() -> Self {
        Self::status(200).with(Body::Silence)
    }

    /// These bytes instead of HTTP, then the end of the connection.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::status(200).with(Body::Raw(bytes.into()))
    }

    /// Adds a header; its value is sent byte for byte.
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Answers 304 with the same headers to whoever sends back its `etag` or `last-modified`.
    pub(crate) fn conditional(mut self) -> Self {
        self.conditional = true;
        self
    }

    /// Answers 401 to whoever does not send this header.
    pub(crate) fn only_with(mut self, header: &str, value: &str) -> Self {
        self.wanted = Some((header.to_owned(), value.to_owned()));
        self
    }

    /// Packs the body by `gzip`, `br` or `zstd` and says so.
    pub(crate) fn packed(mut self, encoding: &str) -> Self {
        if let Body::Whole(body) = &self.body {
            self.body = Body::Whole(pack(body, encoding));
        }
        self.header("content-encoding", encoding)
    }

    fn with(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// The reply as this request deserves it.
    pub(super) fn for_request(mut self, request: &Request) -> Self {
        if let Some((header, value)) = &self.wanted
            && request.text(header) != value
        {
            return Self::status(401);
        }
        let own = |name: &str| {
            let found = self.headers.iter().find(|(header, _)| header == name);
            found.map(|(_, value)| value.as_slice())
        };
        let same = |sent: &str, own: Option<&[u8]>| own.is_some() && request.header(sent) == own;
        if self.conditional
            && (same("if-none-match", own("etag"))
                || same("if-modified-since", own("last-modified")))
        {
            self.status = 304;
            self.body = Body::Whole(Vec::new());
        }
        self
    }

    pub(super) fn keeps_alive(&self) -> bool {
        matches!(self.body, Body::Whole(_))
    }

    pub(super) async fn send(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {} scripted\r\n", self.status).into_bytes();
        for (name, value) in &self.headers {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        }
        match &self.body {
            Body::Whole(body) => {
                if self.status != 304 {
                    head.extend_from_slice(
                        format!("content-length: {}\r\n", body.len()).as_bytes(),
                    );
                }
                head.extend_from_slice(b"\r\n");
                head.extend_from_slice(body);
                stream.write_all(&head).await
            }
            Body::Announced(length) => {
                head.extend_from_slice(format!("content-length: {length}\r\n\r\n").as_bytes());
                stream.write_all(&head).await?;
                std::future::pending().await
            }
            Body::Endless => {
                head.extend_from_slice(b"\r\n");
                stream.write_all(&head).await?;
                loop {
                    stream.write_all(&[b' '; 16 * 1024]).await?;
                }
            }
            Body::Dripping(every) => {
                head.extend_from_slice(b"\r\n");
                stream.write_all(&head).await?;
                loop {
                    stream.write_all(b" ").await?;
                    tokio::time::sleep(*every).await;
                }
            }
            Body::Silence => std::future::pending().await,
            Body::Raw(bytes) => stream.write_all(bytes).await,
        }
    }
}

fn pack(body: &[u8], encoding: &str) -> Vec<u8> {
    match encoding {
        "gzip" => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        "br" => {
            let mut packed = Vec::new();
            let mut encoder = brotli::CompressorWriter::new(&mut packed, 4_096, 5, 22);
            encoder.write_all(body).unwrap();
            drop(encoder);
            packed
        }
        "zstd" => zstd::encode_all(body, 3).unwrap(),
        other => panic!("this origin cannot pack by {other}"),
    }
}
