//! Which addresses somebody means who leaves out `https://`.

/// The addresses that a text may mean, the best one first. A text with a scheme means only itself, and so does
/// one that is no address at all: whoever uses it says what is wrong.
pub(super) fn meant(text: &str) -> Vec<String> {
    let text = text.trim();
    match is_without_scheme(text) {
        true => ["https", "http"].map(|scheme| format!("{scheme}://{text}")).to_vec(),
        false => vec![text.to_owned()],
    }
}

/// Whether a text begins with the name of a host, perhaps with a port.
fn is_without_scheme(text: &str) -> bool {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |host: &str| {
        let belongs = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        host.starts_with(char::is_alphanumeric) && host.chars().all(belongs)
    };
    let is_ip = host.starts_with('[') && host.ends_with(']');
    // A word alone is rather a mistake than a host of the local network.
    let is_named = is_ip || host.contains('.') || host == "localhost" || port.is_some();
    (is_ip || is_name(host)) && is_named && port.is_none_or(is_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_is_tried_with_https_and_then_with_http() {
        for text in [
            "example.org",
            "example.org/feed?format=rss",
            " example.org:8080/feed ",
            "localhost/feed",
            "127.0.0.1:80",
            "[::1]:8080/feed",
            "bücher.example/feed",
        ] {
            let bare = text.trim();
            let both = [format!("https://{bare}"), format!("http://{bare}")];
            assert_eq!(meant(text), both, "{text}");
        }
    }

    #[test]
    fn everything_else_means_itself() {
        for text in [
            "https://example.org/feed",
            "htp://example.org/feed",
            "mailto:me@example.org",
            "me@example.org",
            "feed",
            "no address",
            "/feed.xml",
            "./feed.xml",
            "",
        ] {
            assert_eq!(meant(text), [text], "{text}");
        }
    }
}
