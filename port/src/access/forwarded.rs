//! The caller behind a proxy.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName};
use pergola_manners::networks::Network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Where a request comes from. Of what `X-Forwarded-For` says, only what one of the proxies has added is believed.
pub(super) fn origin(proxies: &[Network], from: IpAddr, headers: &HeaderMap) -> IpAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|proxy| proxy.contains(address));
    let lines = headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok());
    let named: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    let mut origin = from;
    for name in named.into_iter().rev() {
        if !is_proxy(origin) {
            break;
        }
        match name.parse::<IpAddr>() {
            Ok(address) => origin = address.to_canonical(),
            Err(_) => break,
        }
    }
    origin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(from: &str, said: &[&str]) -> String {
        let proxies = ["10.0.0.0/8".parse().unwrap()];
        let mut headers = HeaderMap::new();
        for line in said {
            headers.append(FORWARDED_FOR, line.parse().unwrap());
        }
        origin(&proxies, from.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn a_proxy_is_believed_and_nobody_else() {
        assert_eq!(of("10.0.0.1", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(of("203.0.113.1", &["198.51.100.7"]), "203.0.113.1");
        // What the client itself claims stands further left.
        assert_eq!(of("10.0.0.1", &["192.0.2.1, 198.51.100.7"]), "198.51.100.7");
        assert_eq!(of("10.0.0.1", &["192.0.2.1", "198.51.100.7, 10.0.0.2"]), "198.51.100.7");
        assert_eq!(of("10.0.0.1", &["unknown"]), "10.0.0.1");
        assert_eq!(of("10.0.0.1", &[]), "10.0.0.1");
    }
}
