//! What may be reached in private networks: single hosts, addresses and networks.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::hosts::host_name;

/// One exception from the rule that private addresses are never reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrivateException {
    /// A host, by its name in lower case, whatever its address.
    Host(String),
    /// A network: addresses that begin with the same `prefix` bits; a single address has all bits.
    Network {
        /// An address in it.
        address: IpAddr,
        /// How many bits count.
        prefix: u8,
    },
}

impl PrivateException {
    /// Whether the host may be reached at the address.
    pub fn allows(&self, host: &str, at: IpAddr) -> bool {
        match self {
            Self::Host(name) => name.eq_ignore_ascii_case(host.trim_end_matches('.')),
            Self::Network { address, prefix } => {
                leading_bits(*address, *prefix) == leading_bits(at.to_canonical(), *prefix)
            }
        }
    }
}

/// The family and the first bits of an address.
fn leading_bits(address: IpAddr, prefix: u8) -> (bool, u128) {
    let bits = match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    };
    let ignored = width(address).saturating_sub(prefix);
    (address.is_ipv4(), bits.checked_shr(ignored.into()).unwrap_or(0))
}

/// How many bits an address has.
fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

impl FromStr for PrivateException {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "must be hosts, addresses or networks such as \"10.0.0.0/8\"".to_owned();
        let Some((address, prefix)) = text.split_once('/') else {
            return match text.parse() {
                Ok(address) => Ok(Self::Network { address, prefix: width(address) }),
                Err(_) => host_name(text).map(Self::Host).ok_or_else(wrong),
            };
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let prefix = prefix.parse().ok().filter(|prefix| *prefix <= width(address));
        prefix
            .map(|prefix| Self::Network { address, prefix })
            .ok_or_else(|| format!("must be networks whose prefix is from 0 to {}", width(address)))
    }
}

impl fmt::Display for PrivateException {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(name) => formatter.write_str(name),
            Self::Network { address, prefix } => write!(formatter, "{address}/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(exception: &str, host: &str, address: &str) -> bool {
        let exception: PrivateException = exception.parse().unwrap();
        exception.allows(host, address.parse().unwrap())
    }

    #[test]
    fn a_network_allows_its_addresses_whatever_the_host() {
        assert!(allows("10.1.0.0/16", "a.example", "10.1.255.3"));
        assert!(!allows("10.1.0.0/16", "a.example", "10.2.0.1"));
        assert!(allows("fd00::/8", "a.example", "fd12::1"));
        assert!(!allows("fd00::/8", "a.example", "fe80::1"));
        assert!(allows("0.0.0.0/0", "a.example", "192.168.0.1"));
        assert!(!allows("0.0.0.0/0", "a.example", "fd00::1"), "another family");
    }

    #[test]
    fn an_ipv4_network_allows_its_addresses_written_as_ipv6() {
        assert!(allows("10.0.0.0/8", "a.example", "::ffff:10.0.0.1"));
    }

    #[test]
    fn an_address_allows_only_itself() {
        assert!(allows("127.0.0.1", "a.example", "127.0.0.1"));
        assert!(!allows("127.0.0.1", "a.example", "127.0.0.2"));
        assert!(allows("::1", "a.example", "::1"));
    }

    #[test]
    fn a_host_allows_only_itself_and_not_what_is_below() {
        assert!(allows("Intranet", "intranet.", "192.168.0.9"));
        assert!(!allows("example.org", "www.example.org", "192.168.0.9"));
    }

    #[test]
    fn what_is_neither_host_nor_network_is_refused() {
        for wrong in ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "http://a.example", "a b"] {
            assert!(wrong.parse::<PrivateException>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn an_exception_is_printed_as_it_is_read() {
        for text in ["10.0.0.0/8", "fd00::/8", "intranet.example"] {
            assert_eq!(text.parse::<PrivateException>().unwrap().to_string(), text);
        }
    }
}
