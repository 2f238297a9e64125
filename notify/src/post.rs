//! Sends to a webhook: through the same guard as fetching, without following redirects.

use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use pergola_feed::address::masked;
use pergola_outside::fetch::{Call, Fetcher};
use pergola_outside::mandate::Mandate;
use url::Url;

use crate::course::Failed;
use crate::signature;

/// A webhook that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Posts a body; what it is, its name and its signature stand in the headers.
pub(crate) async fn post(
    fetcher: &Fetcher,
    url: &str,
    secret: &str,
    (event, delivery): (&str, &str),
    body: Vec<u8>,
) -> Result<(), Failed> {
    let url = Url::parse(url).map_err(|error| Failed::because(error.to_string()))?;
    let mut headers = HeaderMap::with_capacity(5);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in [
        ("x-pergola-event", event),
        ("x-pergola-delivery", delivery),
        ("x-pergola-signature", &signature::sign(secret.as_bytes(), &body)),
    ] {
        let value =
            HeaderValue::try_from(value).map_err(|wrong| Failed::because(wrong.to_string()))?;
        headers.insert(HeaderName::from_static(name), value);
    }
    let call = Call {
        mandate: Mandate::of(&url),
        url,
        method: Method::POST,
        headers,
        body: body.into(),
        timeout: PATIENCE,
        answer_bytes: 0,
    };
    let answer =
        fetcher.call(call).await.map_err(|error| Failed::because(error.failure().words))?;
    if answer.is_fine() {
        return Ok(());
    }
    let why = match (answer.status, &answer.location) {
        (410, _) => "it answered 410: it is gone for good".to_owned(),
        (status @ 300..=399, Some(to)) => {
            let to = masked(to.as_str());
            format!(
                "it answered {status} and leads to {to}, which is not followed: give the address it leads to"
            )
        }
        (status, _) => format!("it answered {status}, not 200 to 299"),
    };
    Err(Failed { why, retry_after: answer.retry_after, gone: answer.status == 410 })
}
