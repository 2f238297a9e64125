//! Requests to the hub: parsed from a form, or refused with a reason.

use url::{Url, form_urlencoded};

/// Longer addresses are refused.
const LONGEST_URL: usize = 2_048;
/// A secret must be shorter.
const SECRET_BYTES: usize = 200;

/// What is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Subscribe,
    Unsubscribe,
}

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Subscribe => "subscribe",
            Self::Unsubscribe => "unsubscribe",
        }
    }
}

/// A valid request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) mode: Mode,
    /// As it was given, because it is sent back like that.
    pub(super) topic: String,
    pub(super) callback: Url,
    /// Seconds asked for.
    pub(super) lease: Option<f64>,
    pub(super) secret: Option<Vec<u8>>,
}

impl Request {
    /// Parses a form; unknown fields are ignored.
    ///
    /// # Errors
    /// What is wrong, for whoever writes the subscriber.
    pub(super) fn read(form: &[u8]) -> Result<Self, String> {
        let (mut mode, mut topic, mut callback, mut lease, mut secret) =
            (None, None, None, None, None);
        for (name, value) in form_urlencoded::parse(form) {
            let field = match &*name {
                "hub.mode" => &mut mode,
                "hub.topic" => &mut topic,
                "hub.callback" => &mut callback,
                "hub.lease_seconds" => &mut lease,
                "hub.secret" => &mut secret,
                _ => continue,
            };
            if field.replace(value.into_owned()).is_some() {
                return Err(format!("`{name}` is given twice"));
            }
        }
        let mode = match mode.as_deref() {
            Some("subscribe") => Mode::Subscribe,
            Some("unsubscribe") => Mode::Unsubscribe,
            Some("publish") => {
                return Err(
                    "this hub serves the feeds of this node only and notices their changes \
                            itself: there is no need to publish to it"
                        .to_owned(),
                );
            }
            Some(_) => return Err("`hub.mode` must be subscribe or unsubscribe".to_owned()),
            None => return Err("`hub.mode` is missing: subscribe or unsubscribe".to_owned()),
        };
        let topic = topic.ok_or("`hub.topic` is missing: the rel=self address of a feed")?;
        address("hub.topic", &topic)?;
        let callback = callback.ok_or("`hub.callback` is missing: where documents are sent")?;
        let callback = address("hub.callback", &callback)?;
        let lease = match (mode, lease.as_deref().map(str::trim)) {
            (Mode::Unsubscribe, _) | (_, None | Some("")) => None,
            (Mode::Subscribe, Some(text)) => Some(seconds(text)?),
        };
        let secret = secret.filter(|secret| !secret.is_empty()).map(String::into_bytes);
        if secret.as_ref().is_some_and(|secret| secret.len() >= SECRET_BYTES) {
            return Err(format!("`hub.secret` must be shorter than {SECRET_BYTES} bytes"));
        }
        Ok(Self { mode, topic, callback, lease, secret })
    }
}

fn address(name: &str, text: &str) -> Result<Url, String> {
    if text.len() > LONGEST_URL {
        return Err(format!("`{name}` must not be longer than {LONGEST_URL} bytes"));
    }
    let url = Url::parse(text).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| format!("`{name}` must be an address that begins with http:// or https://"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: Option<f64> = digits.then(|| text.parse().ok()).flatten();
    seconds
        .filter(|seconds| *seconds > 0.0)
        .ok_or_else(|| "`hub.lease_seconds` must be a positive whole number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPIC: &str = "https://node.example/feeds/News.atom";

    fn read(fields: &[(&str, &str)]) -> Result<Request, String> {
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        Request::read(form.as_bytes())
    }

    fn with(name: &str, value: &str) -> Result<Request, String> {
        let usual = [
            ("hub.mode", "subscribe"),
            ("hub.topic", TOPIC),
            ("hub.callback", "https://reader.example/cb?id=1"),
        ];
        let mut fields: Vec<_> = usual.into_iter().filter(|(other, _)| *other != name).collect();
        fields.push((name, value));
        read(&fields)
    }

    #[test]
    fn what_is_asked_is_read_and_what_is_unknown_is_left_alone() {
        let request = with("hub.verify", "sync").unwrap();
        assert_eq!(request.mode, Mode::Subscribe);
        assert_eq!(request.topic, TOPIC);
        assert_eq!(request.callback.as_str(), "https://reader.example/cb?id=1");
        assert_eq!((request.lease, request.secret), (None, None));
        assert_eq!(with("hub.lease_seconds", "864000").unwrap().lease, Some(864_000.0));
        assert_eq!(with("hub.secret", "s").unwrap().secret.as_deref(), Some(&b"s"[..]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (name, value) in [
            ("hub.mode", "subscrib"),
            ("hub.mode", "publish"),
            ("hub.topic", "feeds/News.atom"),
            ("hub.topic", "ftp://node.example/"),
            ("hub.callback", "mailto:me@reader.example"),
            ("hub.lease_seconds", "-1"),
            ("hub.lease_seconds", "0"),
            ("hub.lease_seconds", "1e3"),
            ("hub.lease_seconds", "soon"),
            ("hub.secret", &"x".repeat(200)),
            ("hub.callback", &format!("https://reader.example/{}", "x".repeat(2_048))),
        ] {
            let wrong = with(name, value).unwrap_err();
            assert!(wrong.contains(name) || value == "publish", "{name}={value}: {wrong}");
        }
        assert!(with("hub.secret", &"x".repeat(199)).is_ok());
        for missing in ["hub.mode", "hub.topic", "hub.callback"] {
            let all = [("hub.mode", "subscribe"), ("hub.topic", TOPIC), ("hub.callback", TOPIC)];
            let rest: Vec<_> = all.into_iter().filter(|(name, _)| *name != missing).collect();
            assert!(read(&rest).unwrap_err().contains(missing));
        }
        let twice = [("hub.mode", "subscribe"), ("hub.mode", "unsubscribe")];
        assert!(read(&twice).unwrap_err().contains("twice"));
    }

    #[test]
    fn a_lease_means_nothing_to_who_leaves() {
        let fields = [
            ("hub.mode", "unsubscribe"),
            ("hub.topic", TOPIC),
            ("hub.callback", "https://reader.example/cb"),
            ("hub.lease_seconds", "soon"),
        ];
        assert_eq!(read(&fields).unwrap().lease, None);
    }
}
