//! A form as it was sent: its token, and what was typed.

use std::borrow::Cow;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use http::header::CONTENT_TYPE;
use pergola_api::Code;
use pergola_pages::forms::FIELD;
use pergola_pages::inside::login::Typed;
use url::form_urlencoded;

use crate::answer::Failure;

/// Carries the token of requests that are no forms.
const HEADER: &str = "x-form-token";
/// Bytes of a form; a list may be uploaded by one.
pub(crate) const MOST: usize = 17 << 20;
/// Bytes at the beginning of an upload that hold the token.
const BEGINNING: usize = 1024;
/// Bytes of what was typed that are shown again.
const SHOWN: usize = 64 << 10;

/// A form, read from a request.
pub(crate) struct Sent {
    bytes: Bytes,
    kind: String,
    header: Option<String>,
}

impl Sent {
    /// Reads the form of a request, at most so many bytes; the request can still be answered as if nobody had.
    pub(crate) async fn read(request: Request, most: usize) -> Result<(Self, Request), Failure> {
        let (parts, body) = request.into_parts();
        let text = |name: &str| {
            let value = parts.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let (kind, header) = (text(CONTENT_TYPE.as_str()).unwrap_or_default(), text(HEADER));
        let bytes = to_bytes(body, most).await.map_err(|_| {
            // The rest is room for what stands around a file in a form.
            let allowed = (most >> 20) - 1;
            let detail = format!(
                "the form is too large, or was cut off: {allowed} MiB are allowed. Split a longer list into \
                 several files, and import one after the other"
            );
            Failure::new(Code::TooLarge, detail)
        })?;
        let request = Request::from_parts(parts, Body::from(bytes.clone()));
        Ok((Self { bytes, kind, header }, request))
    }

    /// The token that came with it.
    pub(crate) fn token(&self) -> Option<String> {
        if let Some(header) = &self.header {
            return Some(header.clone());
        }
        if self.kind.starts_with("multipart/form-data") {
            return first_part(&self.bytes);
        }
        let mut fields = form_urlencoded::parse(&self.bytes);
        fields.find(|(name, _)| name == FIELD).map(|(_, value)| value.into_owned())
    }

    /// What was typed, to be sent again; without secrets.
    pub(crate) fn typed(&self) -> Typed {
        if !self.kind.starts_with("application/x-www-form-urlencoded") {
            return Typed::File;
        }
        if self.bytes.len() > SHOWN {
            return Typed::TooLong;
        }
        let fields = form_urlencoded::parse(&self.bytes).filter(|(name, _)| name != FIELD);
        let field = |(name, value): (Cow<'_, str>, Cow<'_, str>)| {
            let is_secret = name.contains("password");
            (name.into_owned(), (!is_secret).then(|| value.into_owned()))
        };
        Typed::Fields(fields.map(field).collect())
    }
}

/// The token is the first field of a form, so it stands at the beginning of an upload.
fn first_part(bytes: &[u8]) -> Option<String> {
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(BEGINNING)]);
    let mut lines = beginning.split("\r\n");
    let (boundary, about) = (lines.next()?, lines.next()?);
    let is_token = about.to_ascii_lowercase().starts_with("content-disposition: form-data")
        && about.contains(&format!("name=\"{FIELD}\""));
    (boundary.starts_with("--") && is_token && lines.next()?.is_empty()).then_some(())?;
    lines.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(kind: &str, text: &str) -> Sent {
        Sent { bytes: Bytes::from(text.to_owned()), kind: kind.to_owned(), header: None }
    }

    #[test]
    fn the_token_is_found_in_forms_and_uploads() {
        let form = sent("application/x-www-form-urlencoded", "a=1&form_token=ab%20c");
        assert_eq!(form.token().as_deref(), Some("ab c"));
        let upload =
            "--x\r\nContent-Disposition: form-data; name=\"form_token\"\r\n\r\nabc\r\n--x--";
        let kind = "multipart/form-data; boundary=x";
        assert_eq!(sent(kind, upload).token().as_deref(), Some("abc"));
        for wrong in ["", "--x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nabc\r\n"]
        {
            assert_eq!(sent(kind, wrong).token(), None, "{wrong}");
        }
        assert_eq!(sent("text/plain", "").token(), None);
    }

    #[test]
    fn what_was_typed_is_shown_again_without_secrets() {
        let form = "form_token=a&name=Ada&password=hunter2&new_password=x&note=&title=%3Cb%3E";
        let typed = sent("application/x-www-form-urlencoded", form).typed();
        let expected = [
            ("name", Some("Ada")),
            ("password", None),
            ("new_password", None),
            ("note", Some("")),
            ("title", Some("<b>")),
        ];
        let own = |(name, value): (&str, Option<&str>)| (name.into(), value.map(str::to_owned));
        assert_eq!(typed, Typed::Fields(expected.map(own).into()));
        assert_eq!(sent("multipart/form-data; boundary=x", "--x").typed(), Typed::File);
        let long = sent("application/x-www-form-urlencoded", &"a".repeat(SHOWN + 1));
        assert_eq!(long.typed(), Typed::TooLong);
    }
}
