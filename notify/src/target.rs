//! Where notifications may go. Pure.

use lettre::Address;
use pergola_api::notification::{AddNotification, Mail, Often, Webhook};
use pergola_feed::address::is_masked;
use pergola_store::archive::{Every, Way};
use url::Url;

/// Characters of a secret.
const SHORTEST_SECRET: usize = 16;
const LONGEST_SECRET: usize = 200;

/// Where somebody wants entries to go. A webhook without a secret gets the one that `secret` makes.
///
/// # Errors
/// What is wrong, and what to do.
pub(crate) fn way(
    asked: AddNotification,
    secret: impl FnOnce() -> Option<String>,
) -> Result<Way, String> {
    match asked {
        AddNotification::Webhook(Webhook { url, secret: given }) => {
            let url = address(&url)?;
            let secret = match given {
                Some(given) => checked(given.trim())?,
                None => secret().ok_or("this machine has no randomness to make a secret of")?,
            };
            Ok(Way::Webhook { url, secret })
        }
        AddNotification::Mail(Mail { address, every }) => {
            let parsed: Result<Address, _> = address.trim().parse();
            let parsed = parsed.map_err(|error| {
                let start: String = address.trim().chars().take(100).collect();
                format!(
                    "{start:?} is not an e-mail address ({error}): give one such as ada@example.org"
                )
            })?;
            Ok(Way::Mail { address: parsed.to_string(), every: stored(every) })
        }
    }
}

fn address(text: &str) -> Result<String, String> {
    let wrong = "give the address of the webhook, such as https://example.org/hook";
    let mut url = Url::parse(text.trim()).map_err(|error| format!("{error}: {wrong}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(format!("only http:// and https:// can be posted to: {wrong}"));
    }
    if is_masked(url.as_str()) {
        return Err(format!("a secret in this address is only its mask: {wrong}"));
    }
    url.set_fragment(None);
    Ok(url.into())
}

fn checked(secret: &str) -> Result<String, String> {
    let length = secret.chars().count();
    if !(SHORTEST_SECRET..=LONGEST_SECRET).contains(&length) {
        return Err(format!(
            "the secret has {length} characters: give {SHORTEST_SECRET} to {LONGEST_SECRET}, or none to have one made"
        ));
    }
    Ok(secret.to_owned())
}

pub(crate) fn stored(every: Often) -> Every {
    match every {
        Often::Hour => Every::Hour,
        Often::Day => Every::Day,
        Often::Week => Every::Week,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(address: &str) -> Result<Way, String> {
        way(AddNotification::Mail(Mail { address: address.into(), every: Often::Day }), || None)
    }

    fn webhook(url: &str, secret: Option<&str>) -> Result<Way, String> {
        let secret = secret.map(str::to_owned);
        way(AddNotification::Webhook(Webhook { url: url.into(), secret }), || Some("made".into()))
    }

    #[test]
    fn an_address_cannot_carry_more_headers_or_recipients() {
        assert!(mail(" ada@example.org ").is_ok());
        for wrong in [
            "ada@example.org\r\nBcc: eve@example.org",
            "ada@example.org\nSubject: x",
            "ada@example.org, eve@example.org",
            "Ada <ada@example.org>",
            "ada",
            "",
        ] {
            assert!(mail(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_webhook_is_an_address_of_the_web_with_a_secret() {
        let made = webhook("https://hook.example/in#x", None).unwrap();
        let expected =
            Way::Webhook { url: "https://hook.example/in".into(), secret: "made".into() };
        assert!(made == expected);
        for wrong in ["hook.example", "ftp://hook.example/", "file:///etc/passwd", ""] {
            assert!(webhook(wrong, None).is_err(), "{wrong}");
        }
        assert!(webhook("https://hook.example/", Some("too short")).is_err());
        assert!(webhook("https://hook.example/", Some("0123456789abcdef")).is_ok());
    }
}
