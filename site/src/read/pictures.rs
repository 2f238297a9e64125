//! The pictures of items that somebody reads.

use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use pergola_api::Code;
use pergola_config::Pictures;
use pergola_outside::fetch::Picture;
use pergola_store::archive::SourceId;
use serde::Deserialize;
use url::Url;

use crate::answer::Failure;
use crate::site::Site;
use crate::visitor::Reader;

/// Where pictures are, from the node's own address.
const PLACE: &str = "read/picture?";

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    source: u32,
    address: String,
    proof: String,
}

/// Makes addresses of pictures, if the node shows them.
pub(super) fn addresses(site: &Site) -> Option<impl Fn(u32, &str) -> String> {
    let shown = site.node.config().reading.pictures == Pictures::Proxy;
    let pictures = site.pictures.clone();
    (shown && pictures.can_sign()).then_some(move |source, address: &str| {
        format!("{PLACE}{}", pictures.query(source, address))
    })
}

/// A picture, for somebody who reads here.
pub(super) async fn show(
    State(site): State<Site>,
    _: Reader,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    if site.node.config().reading.pictures != Pictures::Proxy {
        let detail = "this node shows no pictures: `reading.pictures` says so";
        return Err(Failure::new(Code::NoSuchRoute, detail));
    }
    let Asked { source, address, proof } = asked;
    if !site.pictures.is_own(source, &address, &proof) {
        let detail = "no page of this node shows this picture; load the page again";
        return Err(Failure::new(Code::NotAllowed, detail));
    }
    let missing = |why: String| {
        Failure::new(Code::NoSuchRoute, format!("the picture cannot be shown: {why}"))
    };
    let url = Url::parse(&address).map_err(|error| missing(error.to_string()))?;
    let source = SourceId(source);
    let mandate = site.ask(move |node| Ok(node.mandate_of(source))).await?;
    let found = site.pictures.get(&site.node, (source, mandate), url).await;
    Ok(answer(found.map_err(|error| missing(error.to_string()))?))
}

/// A browser that opens it by itself runs nothing in it and takes it for nothing else.
fn answer(picture: Picture) -> Response {
    let headers = [
        (CONTENT_TYPE, picture.media_type),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "private, max-age=86400, immutable"),
    ];
    (headers.map(|(name, value)| (name, HeaderValue::from_static(value))), picture.bytes)
        .into_response()
}
