//! A request to a hub: to push a source's news, or to stop.

use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method};
use pergola_store::archive::SourceId;
use url::{Url, form_urlencoded};

use pergola_outside::fetch::{Call, Fetcher};
use pergola_outside::mandate::Mandate;

/// A hub that takes longer has failed. Some hubs verify before they answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of its answer that are read.
const ANSWER_BYTES: usize = 500;
/// Redirects to another hub, at most.
const REFERRALS: usize = 3;

/// The last part of our callback's address.
pub(super) type Token = String;

/// A request to be sent to a hub.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HubRequest {
    pub(super) token: Token,
    pub(super) source: SourceId,
    pub(super) hub: String,
    pub(super) topic: String,
    pub(super) subscribe: bool,
    pub(super) secret: String,
    pub(super) lease: f64,
}

/// Sends a request, within what its source may reach. `Err` says why the hub did not accept it.
pub(super) async fn ask(
    fetcher: &Fetcher,
    ask: &HubRequest,
    callback: &Url,
    mandate: Mandate,
) -> Result<(), String> {
    let form = form(ask, callback);
    let mut hub = Url::parse(&ask.hub).map_err(|error| error.to_string())?;
    let mut mandate = mandate.after(&hub);
    for _ in 0..=REFERRALS {
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let call = Call {
            url: hub.clone(),
            method: Method::POST,
            headers: HeaderMap::from_iter([(CONTENT_TYPE, kind)]),
            body: form.clone(),
            mandate: mandate.clone(),
            timeout: PATIENCE,
            answer_bytes: ANSWER_BYTES,
        };
        let answer = fetcher.call(call).await.map_err(|error| error.to_string())?;
        if answer.is_fine() {
            return Ok(());
        }
        match answer.location {
            Some(other) if matches!(answer.status, 307 | 308) => {
                mandate = mandate.after(&other);
                hub = other;
            }
            _ => {
                let said = String::from_utf8_lossy(&answer.body);
                let said: String = said.chars().filter(|letter| !letter.is_control()).collect();
                return Err(format!("the hub answered {} {}", answer.status, said.trim()));
            }
        }
    }
    Err(format!("the hub redirects to another one more than {REFERRALS} times"))
}

fn form(ask: &HubRequest, callback: &Url) -> Bytes {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("hub.mode", if ask.subscribe { "subscribe" } else { "unsubscribe" });
    form.append_pair("hub.topic", &ask.topic);
    form.append_pair("hub.callback", callback.as_str());
    if ask.subscribe {
        form.append_pair("hub.secret", &ask.secret);
        form.append_pair("hub.lease_seconds", &format!("{:.0}", ask.lease));
    }
    form.finish().into()
}
