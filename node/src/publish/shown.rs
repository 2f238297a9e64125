//! Pages as answers: their headers, and the files that they load.

use axum::body::Body;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use pergola_pages::public::feeds::Format;
use pergola_pages::{Markup, assets, frame};

use super::negotiate::Form;
use super::refusal::Refusal;
use pergola_api::Code;

/// Where the files are that pages load.
pub(super) const ASSETS: &str = "/assets/{file}";

/// A page as an answer that is made anew for everybody.
pub fn respond(status: StatusCode, page: &Markup) -> Response {
    let text = page.0.clone();
    let length = text.len();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_LENGTH, length.into());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    protect(headers);
    response
}

/// The headers that keep a page from doing anything but what it is for.
pub(crate) fn protect(headers: &mut HeaderMap) {
    for (name, value) in frame::HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// A file that pages load. Its address changes with it, so browsers may keep it.
pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = assets::find(&name) else {
        return Refusal::new(Code::NoSuchRoute, "no page loads a file of this name")
            .answer(&headers);
    };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(asset.media_type)),
        (CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, asset.text).into_response()
}

/// A form, as pages speak of it.
pub(crate) fn format(form: Form) -> Format {
    Format { title: form.title(), extension: form.extension(), media_type: form.media_type() }
}
