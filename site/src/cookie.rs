//! The cookie by which a browser shows its session.

use http::header::COOKIE;
use http::{Extensions, HeaderMap, HeaderValue};
use pergola_accounts::secret::Token;
use pergola_accounts::session::LONGEST;
use pergola_config::Config;
use pergola_port::access::ListensOn;

/// The name of the cookie. Browsers do not tell ports apart, and there may be several nodes on one machine.
pub(crate) fn name(extensions: &Extensions) -> String {
    match extensions.get::<ListensOn>() {
        Some(ListensOn(address)) => format!("pergola-{}", address.port()),
        None => "pergola".to_owned(),
    }
}

/// The session that a browser shows.
pub(crate) fn shown(extensions: &Extensions, headers: &HeaderMap) -> Option<Token> {
    let name = name(extensions);
    let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(own, _)| own.trim() == name)?;
    Token::parse(value.trim())
}

/// Whether browsers reach the node by TLS only.
pub(crate) fn is_secure(config: &Config) -> bool {
    config.tls.is_some() || config.node.public_url.scheme() == "https"
}

/// Tells a browser to show a session from now on, or none.
pub(crate) fn to_show(
    extensions: &Extensions,
    config: &Config,
    token: Option<&Token>,
) -> HeaderValue {
    let (value, age) = token.map_or((String::new(), 0.0), |token| (token.reveal(), LONGEST));
    let text = format!(
        "{}={value}; Path=/; Max-Age={age:.0}; HttpOnly; SameSite=Lax{}",
        name(extensions),
        if is_secure(config) { "; Secure" } else { "" },
    );
    let mut cookie = HeaderValue::try_from(text).expect("letters, digits and signs of ASCII");
    cookie.set_sensitive(true);
    cookie
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_as_it_was_set() {
        let mut extensions = Extensions::new();
        extensions.insert(ListensOn(([127, 0, 0, 1], 8080).into()));
        let token = Token::new([7; 32]);
        let set = to_show(&extensions, &Config::default(), Some(&token));
        let set = set.to_str().unwrap();
        assert!(set.ends_with("; Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax"), "{set}");
        let pair = set.split(';').next().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, format!("a=b; {pair}; c=d").parse().unwrap());
        assert_eq!(shown(&extensions, &headers), Some(token));
        headers.insert(COOKIE, "pergola-8080=nonsense".parse().unwrap());
        assert_eq!(shown(&extensions, &headers), None);
        headers.insert(COOKIE, "pergola-8081=other".parse().unwrap());
        assert_eq!(shown(&extensions, &headers), None);
    }

    #[test]
    fn a_cookie_of_a_node_with_tls_is_never_sent_in_the_clear() {
        let mut config = Config::default();
        config.node.public_url = "https://feeds.example.org/".parse().unwrap();
        let ended = to_show(&Extensions::new(), &config, None);
        let expected = "pergola=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(ended.to_str().unwrap(), expected);
    }
}
