//! Sources in private networks.

use std::net::IpAddr;

use pergola_config::Config;
use pergola_outside::guard::Guard;
use url::{Host, Url};

use super::sources::NAMED;
use crate::doctor::Finding;

/// Sources at private addresses that the configuration does not allow.
pub(super) fn all(config: &Config, urls: &[String]) -> Vec<Finding> {
    let guard = Guard::allowing(config.private_exceptions());
    let refused = |text: &String| {
        let url = Url::parse(text).ok()?;
        let forbidden = match url.host()? {
            // A name of this machine; every other name would have to be asked for.
            Host::Domain(name) if name == "localhost" || name.ends_with(".localhost") => {
                guard.check(name, IpAddr::from([127, 0, 0, 1])).err()?
            }
            _ => guard.check_literal(&url).err()?,
        };
        let advice = format!("if that is meant, add \"{}\" to crawl.allow_private", forbidden.host);
        let what = format!("{text} is at {}, which is {}", forbidden.address, forbidden.reach);
        Some(Finding::wrong(what, advice))
    };
    urls.iter().filter_map(refused).take(NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_in_a_private_network_needs_an_exception() {
        let mut config = Config::default();
        let urls = ["http://192.168.1.7/feed".to_owned(), "http://localhost/feed".to_owned()];
        let found = all(&config, &urls);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].advice.as_ref().unwrap().contains("\"192.168.1.7\""), "{found:?}");
        config.crawl.allow_private = vec!["192.168.0.0/16".parse().unwrap()];
        assert_eq!(all(&config, &urls).len(), 1);
    }
}
