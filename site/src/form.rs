//! What a form sends, and where its answer leads.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use pergola_api::{ClientError, Code, Problem};

use crate::answer::Failure;

/// The fields of a form. A name may be there several times, as boxes that are checked are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let sent = Bytes::from_request(request, state).await;
        let sent = sent.map_err(|error| Failure::new(Code::TooLarge, error.body_text()))?;
        let fields = url::form_urlencoded::parse(&sent);
        Ok(Self(fields.map(|(name, value)| (name.into_owned(), lines(&value))).collect()))
    }
}

impl Fields {
    /// The value of a field; empty if it was not sent.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    /// Every value of a field.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        let same = self.0.iter().filter(|(field, _)| field == name);
        same.map(|(_, value)| value.clone()).collect()
    }

    /// Whether a box is checked.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }

    /// Which button was pressed, if it has a name: what Enter presses is the first one, so the last counts.
    pub(crate) fn button(&self) -> &str {
        self.0.iter().rev().find(|(field, _)| field == "do").map_or("", |(_, value)| value)
    }
}

/// Browsers send the ends of lines as two characters.
pub(crate) fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Leads to another page after a form has done what it was sent for.
pub(crate) fn led_to(page: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, page.to_owned())]).into_response()
}

/// Why the node refused something, to be told in the form; any other trouble is a page of its own.
pub(crate) fn refusal(error: ClientError) -> Result<Problem, Failure> {
    match error {
        ClientError::Refused(problem) => Ok(*problem),
        other => Err(other.into()),
    }
}
