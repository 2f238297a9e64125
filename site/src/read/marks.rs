//! Marks: read, unread, starred.

use axum::Form;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use http::header::ACCEPT;
use http::{HeaderMap, StatusCode};
use pergola_api::Code;
use pergola_store::archive::ItemNumber;
use serde::Deserialize;

use super::chosen::{self, Named, number};
use crate::answer::Failure;
use crate::led;
use crate::site::Site;
use crate::visitor::Reader;

#[derive(Debug, Deserialize)]
pub(super) struct Marks {
    star: Option<String>,
    read: Option<String>,
    #[serde(default)]
    back: String,
    /// Where the item is open, if it was.
    open: Option<String>,
}

/// Marks an item; a script is told that it is done, and everybody else led back.
pub(super) async fn mark(
    State(site): State<Site>,
    reader: Reader,
    Path(named): Path<String>,
    headers: HeaderMap,
    Form(Marks { star, read, back, open }): Form<Marks>,
) -> Result<Response, Failure> {
    let item = [ItemNumber(number(&named)?)];
    if let Some(star) = star {
        site.node.mark_starred(reader.user, &item, star == "1").await?;
    }
    if let Some(read) = &read {
        site.node.mark_read(reader.user, &item, read == "1").await?;
    }
    // A star leaves an open item open. One that is marked unread would be read again by that.
    let back = open.filter(|_| read.is_none()).unwrap_or(back);
    let by_script = headers.get(ACCEPT).is_some_and(|accept| accept == "application/json");
    Ok(match by_script {
        true => StatusCode::NO_CONTENT.into_response(),
        false => Redirect::to(&format!("../../../{}", led::local(&back))).into_response(),
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct Whole {
    #[serde(flatten)]
    named: Named,
    until: String,
    #[serde(default)]
    back: String,
}

/// Marks a stream as read, up to what its page has shown.
pub(super) async fn mark_all(
    State(site): State<Site>,
    reader: Reader,
    Form(Whole { named, until, back }): Form<Whole>,
) -> Result<Response, Failure> {
    let until = until.parse::<f64>().ok().filter(|until| until.is_finite());
    let wrong = || Failure::new(Code::BadRequest, "the form does not say until when");
    let until = until.ok_or_else(wrong)?;
    let stream = chosen::stream(&named.chosen()?);
    site.node.mark_all_read(reader.user, &stream, until).await?;
    let back = match led::local(&back) {
        "" => "read?all=",
        back => back,
    };
    Ok(Redirect::to(&format!("../{back}&note=marked")).into_response())
}
