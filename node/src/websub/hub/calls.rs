//! The three calls that the hub makes: verifying, denying and delivering.

use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use pergola_feed::address::Shown;
use pergola_store::archive::Subscription;
use url::Url;

use super::delivery::Ending;
use super::request::Mode;
use crate::publish::{Form, NoHandout, Shelf};
use pergola_notify::signature;
use pergola_outside::fetch::{Call, Fetcher};
use pergola_outside::mandate::Mandate;
use pergola_outside::surroundings::Randomness;

/// A subscriber that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read: more than a challenge has, so that a longer answer is noticed.
const ANSWER_BYTES: usize = 256;

/// Asks a callback to confirm a request. `Err` says why it is not confirmed.
pub(super) async fn verify(
    fetcher: &Fetcher,
    randomness: &Randomness,
    callback: &Url,
    mode: Mode,
    topic: &str,
    lease: f64,
) -> Result<(), String> {
    let challenge = randomness.hex(32).ok_or("this machine has no randomness")?;
    let mut url = callback.clone();
    {
        let mut query = url.query_pairs_mut();
        query.append_pair("hub.mode", mode.name());
        query.append_pair("hub.topic", topic);
        query.append_pair("hub.challenge", &challenge);
        if mode == Mode::Subscribe {
            query.append_pair("hub.lease_seconds", &format!("{lease:.0}"));
        }
    }
    let mandate = Mandate::of(callback);
    let answer = fetcher.call(get(url, mandate)).await.map_err(|error| error.to_string())?;
    if !answer.is_fine() {
        return Err(format!("the callback answered {}", answer.status));
    }
    if *answer.body != *challenge.as_bytes() {
        return Err("the callback did not answer with the challenge".to_owned());
    }
    Ok(())
}

/// Tells a callback that its subscription is denied. Its answer does not matter.
pub(super) async fn deny(
    fetcher: &Fetcher,
    callback: &Url,
    topic: &str,
    reason: &str,
) -> Result<(), String> {
    let mut url = callback.clone();
    url.query_pairs_mut()
        .append_pair("hub.mode", "denied")
        .append_pair("hub.topic", topic)
        .append_pair("hub.reason", reason);
    let mandate = Mandate::of(callback);
    fetcher.call(get(url, mandate)).await.map(drop).map_err(|error| error.to_string())
}

/// Sends a subscriber the newest document of its topic.
pub(super) async fn deliver(fetcher: &Fetcher, shelf: &Shelf, to: &Subscription) -> Ending {
    let failed = Ending::Failed { retry_after: None };
    let Ok(callback) = Url::parse(&to.callback) else { return Ending::Gone };
    let form = Form::FEEDS.get(usize::from(to.form)).copied().unwrap_or(Form::Atom);
    let handout = match shelf.handout(to.feed, form).await {
        Ok(handout) => handout,
        Err(NoHandout::Gone | NoHandout::NotNow) => return failed,
    };
    let mut headers = HeaderMap::with_capacity(4);
    headers.insert(CONTENT_TYPE, handout.content_type);
    let hub = shelf.imprint().hub_address().unwrap_or_default();
    let links = format!("<{hub}>; rel=\"hub\", <{}>; rel=\"self\"", to.topic);
    if let Ok(links) = HeaderValue::try_from(links) {
        headers.insert(header::LINK, links);
    }
    if let Some(secret) = &to.secret {
        let Ok(value) = HeaderValue::try_from(signature::sign(secret, &handout.body)) else {
            return failed;
        };
        headers.insert(HeaderName::from_static(signature::HEADER), value);
    }
    let call = Call {
        mandate: Mandate::of(&callback),
        url: callback,
        method: Method::POST,
        headers,
        body: handout.body,
        timeout: PATIENCE,
        answer_bytes: 0,
    };
    match fetcher.call(call).await {
        Ok(answer) if answer.is_fine() => Ending::Delivered(handout.edition),
        Ok(answer) if answer.status == 410 => Ending::Gone,
        Ok(answer) => {
            let callback = Shown(&to.callback);
            tracing::debug!(%callback, status = answer.status, "not delivered");
            Ending::Failed { retry_after: answer.retry_after }
        }
        Err(error) => {
            tracing::debug!(callback = %Shown(&to.callback), %error, "not delivered");
            failed
        }
    }
}

fn get(url: Url, mandate: Mandate) -> Call {
    Call {
        mandate,
        url,
        method: Method::GET,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        timeout: PATIENCE,
        answer_bytes: ANSWER_BYTES,
    }
}
