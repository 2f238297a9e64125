//! What a node answers: a document, a stream of bytes, or a problem that becomes a failure.

use std::fmt::Write as _;
use std::pin::Pin;

use anyhow::Context as _;
use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use http::{Response, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use crate::cli::failure::Failure;
use crate::cli::settings::TOKEN_VARIABLE;

/// A document is not larger than this; only backups are, and those are streamed.
const MOST: usize = 256 << 20;

/// What a node answers.
pub(in crate::cli) struct Answer {
    status: StatusCode,
    body: Source,
}

enum Source {
    Network(Box<reqwest::Response>),
    Here(Body),
}

impl Answer {
    pub(super) fn network(response: reqwest::Response) -> Self {
        Self { status: response.status(), body: Source::Network(Box::new(response)) }
    }

    pub(super) fn here(response: Response<Body>) -> Self {
        Self { status: response.status(), body: Source::Here(response.into_body()) }
    }

    /// The answer if it is good, or the failure that its problem tells.
    pub(super) async fn or_problem(self) -> anyhow::Result<Self> {
        if self.status.is_success() {
            return Ok(self);
        }
        let status = self.status;
        let body = self.bytes().await?;
        let problem: Problem = serde_json::from_slice(&body).unwrap_or_default();
        Err(problem.failure(status).into())
    }

    /// The next piece, if there is one.
    pub(in crate::cli) async fn piece(&mut self) -> anyhow::Result<Option<Bytes>> {
        let cut_off = "the node's answer was cut off";
        match &mut self.body {
            Source::Network(response) => response.chunk().await.context(cut_off),
            Source::Here(body) => loop {
                let frame = std::future::poll_fn(|task| Pin::new(&mut *body).poll_frame(task));
                match frame.await.transpose().context(cut_off)? {
                    None => return Ok(None),
                    Some(frame) => {
                        if let Ok(piece) = frame.into_data() {
                            return Ok(Some(piece));
                        }
                    }
                }
            },
        }
    }

    /// All of it.
    pub(in crate::cli) async fn bytes(mut self) -> anyhow::Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece().await? {
            if all.len() + piece.len() > MOST {
                anyhow::bail!("the node's answer is larger than {} MiB", MOST >> 20);
            }
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }

    /// A document.
    pub(in crate::cli) async fn json(self) -> anyhow::Result<Value> {
        let bytes = self.bytes().await?;
        let other = "the answer is not one of pergola's; is something else listening there?";
        serde_json::from_slice(&bytes).context(other)
    }
}

/// What an answer tells when it is not what was asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Problem {
    title: Option<String>,
    detail: Option<String>,
    hint: Option<String>,
    feeds: Vec<Value>,
}

impl Problem {
    fn failure(self, status: StatusCode) -> Failure {
        let what = match (self.detail, self.title) {
            (Some(detail), _) => detail,
            (None, Some(title)) => title,
            (None, None) => format!("the node answered {status}"),
        };
        let mut hint = self.hint.map(typed).unwrap_or_default();
        if status == StatusCode::UNAUTHORIZED {
            hint = format!("give the node's api.token with --token or in {TOKEN_VARIABLE}");
        }
        if what.contains(&hint) {
            hint.clear();
        }
        let found: Vec<&str> = self.feeds.iter().filter_map(address).collect();
        if !found.is_empty() {
            let _ = write!(hint, "{}try {}", separator(&hint), found.join(" or "));
        }
        let failure = Failure::new(what);
        if hint.is_empty() { failure } else { failure.hint(hint) }
    }
}

/// A hint for somebody who types commands instead of sending requests.
fn typed(hint: String) -> String {
    const TYPED: [(&str, &str); 3] = [
        ("send \"refresh\": false", "use --no-refresh"),
        ("GET /api/v1/sources lists", "`pergola source list` shows"),
        ("GET /api/v1/feeds lists", "`pergola feed list` shows"),
    ];
    TYPED.iter().fold(hint, |hint, (sent, typed)| hint.replace(sent, typed))
}

fn separator(hint: &str) -> &'static str {
    if hint.is_empty() { "" } else { "; " }
}

/// The address of a feed that was found, alone or with its title.
fn address(found: &Value) -> Option<&str> {
    found.as_str().or_else(|| found.get("url")?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn told(status: StatusCode, body: &str) -> String {
        let mut response = Response::new(Body::from(body.to_owned()));
        *response.status_mut() = status;
        let problem = Answer::here(response).or_problem().await.err().unwrap();
        crate::cli::failure::told(&problem)
    }

    #[tokio::test]
    async fn a_refusal_names_the_option_and_the_variable_for_the_token() {
        let text = told(StatusCode::UNAUTHORIZED, r#"{"detail":"a token is needed"}"#).await;
        assert!(text.starts_with("error: a token is needed\nhint: "), "{text}");
        assert!(text.contains("--token") && text.contains("PERGOLA_API__TOKEN"), "{text}");
    }

    #[tokio::test]
    async fn feeds_found_on_a_page_are_offered() {
        let body = r#"{"detail":"no feed","feeds":["https://a.example/rss",{"url":"https://b.example/"}]}"#;
        let text = told(StatusCode::UNPROCESSABLE_ENTITY, body).await;
        assert!(text.contains("try https://a.example/rss or https://b.example/"), "{text}");
    }

    #[tokio::test]
    async fn an_answer_without_a_problem_is_told_by_its_status() {
        let text = told(StatusCode::BAD_GATEWAY, "<html>").await;
        assert_eq!(text, "error: the node answered 502 Bad Gateway\n");
    }
}
