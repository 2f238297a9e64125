//! Networks, and which of them are not the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network: all addresses that share a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Reads `10.0.0.0/8`, `fd00::/8`, or a single address (with or without brackets).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().ok()?)),
            None => (text, None),
        };
        let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let address: IpAddr = bare.unwrap_or(address).parse().ok()?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        (bits <= width).then_some(Self { address, bits })
    }

    /// Whether an address belongs to it.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                starts_with_v4(address, network, self.bits)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                starts_with_v6(address, network, self.bits)
            }
            _ => false,
        }
    }
}

/// Why an address is not of the public internet, or `None` if it is.
pub fn special(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    const SPECIAL: [([u8; 4], u32, &str); 16] = [
        ([0, 0, 0, 0], 8, "unspecified"),
        ([10, 0, 0, 0], 8, "private"),
        ([100, 64, 0, 0], 10, "shared by a provider's customers"),
        ([127, 0, 0, 0], 8, "this machine"),
        ([169, 254, 0, 0], 16, "link-local"),
        ([172, 16, 0, 0], 12, "private"),
        ([192, 0, 0, 0], 24, "reserved for protocols"),
        ([192, 0, 2, 0], 24, "for documentation"),
        ([192, 88, 99, 0], 24, "a relay"),
        ([192, 168, 0, 0], 16, "private"),
        ([198, 18, 0, 0], 15, "for measurements"),
        ([198, 51, 100, 0], 24, "for documentation"),
        ([203, 0, 113, 0], 24, "for documentation"),
        ([224, 0, 0, 0], 4, "multicast"),
        ([255, 255, 255, 255], 32, "broadcast"),
        ([240, 0, 0, 0], 4, "reserved"),
    ];
    let found =
        SPECIAL.iter().find(|(network, bits, _)| starts_with_v4(address, (*network).into(), *bits));
    found.map(|(_, _, what)| *what)
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    const SPECIAL: [([u16; 8], u32, &str); 12] = [
        ([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified"),
        ([0, 0, 0, 0, 0, 0, 0, 1], 128, "this machine"),
        ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, "a mapped IPv4 address"),
        ([0, 0, 0, 0, 0, 0, 0, 0], 96, "an IPv4-compatible address"),
        ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "private"),
        ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local"),
        ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
        ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "reserved for protocols"),
        ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "for documentation"),
        ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "a 6to4 tunnel"),
        ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "for documentation"),
        ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "a local translation of IPv4"),
    ];
    const TRANSLATED: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);
    const GLOBAL: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);
    if starts_with_v6(address, TRANSLATED, 96) {
        // NAT64: in a network without IPv4 every IPv4 host looks like this; what it stands for counts.
        let [.., a, b, c, d] = address.octets();
        return special_v4(Ipv4Addr::new(a, b, c, d));
    }
    let found =
        SPECIAL.iter().find(|(network, bits, _)| starts_with_v6(address, (*network).into(), *bits));
    match found {
        Some((_, _, what)) => Some(what),
        None if starts_with_v6(address, GLOBAL, 3) => None,
        None => Some("reserved"),
    }
}

fn starts_with_v4(address: Ipv4Addr, network: Ipv4Addr, bits: u32) -> bool {
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
    (address.to_bits() ^ network.to_bits()) & mask == 0
}

fn starts_with_v6(address: Ipv6Addr, network: Ipv6Addr, bits: u32) -> bool {
    let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
    (address.to_bits() ^ network.to_bits()) & mask == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(address: &str) -> Option<&'static str> {
        special(address.parse().unwrap())
    }

    #[test]
    fn every_special_network_is_refused_at_both_ends() {
        for address in [
            "0.0.0.0",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.170",
            "192.0.2.1",
            "192.168.255.255",
            "198.19.255.255",
            "198.51.100.9",
            "203.0.113.255",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::10.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::a00:1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(what(address).is_some(), "{address}");
        }
    }

    #[test]
    fn the_public_internet_is_not() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.0.0.1",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.0.1",
            "192.169.0.1",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2606:4700::1",
            "2a00::1",
            "64:ff9b::808:808",
        ] {
            assert_eq!(what(address), None, "{address}");
        }
    }

    #[test]
    fn a_network_holds_what_shares_its_prefix() {
        let network = Network::parse("10.1.0.0/16").unwrap();
        assert!(network.contains("10.1.255.1".parse().unwrap()));
        assert!(!network.contains("10.2.0.0".parse().unwrap()));
        assert!(!network.contains("::ffff:10.1.0.1".parse().unwrap()));
        assert!(Network::parse("::/0").unwrap().contains("fe80::1".parse().unwrap()));
        assert!(Network::parse("0.0.0.0/0").unwrap().contains("8.8.8.8".parse().unwrap()));
        assert_eq!(Network::parse("[::1]"), Network::parse("::1/128"));
        assert_eq!(Network::parse("10.0.0.0/33"), None);
    }
}
