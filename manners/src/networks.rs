//! Which addresses are not on the public internet, and which of those a node may reach all the same.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use thiserror::Error;
use url::Host;

/// From where an address can be reached, after the IANA registries of special-purpose addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reach {
    /// From everywhere.
    Public,
    /// From this machine only.
    Loopback,
    /// From one organisation's network.
    Private,
    /// From one link.
    LinkLocal,
    /// From the network of one internet provider (carrier-grade NAT).
    Shared,
    Unspecified,
    Multicast,
    Broadcast,
    Documentation,
    /// Used to benchmark networks.
    Benchmark,
    /// Assigned to protocols, such as NAT64 discovery.
    Protocol,
    /// The anycast address of 6to4 relays.
    Relay,
    /// A tunnel of IPv6 over IPv4 (6to4).
    Tunnel,
    /// An IPv4 address inside an IPv6 address (`::ffff:10.0.0.1`).
    MappedIpv4,
    /// The same in a form that is no longer used (`::10.0.0.1`).
    CompatibleIpv4,
    /// A translation of IPv4 that has meaning in one network only.
    LocalTranslation,
    /// Not assigned to anything yet.
    Reserved,
}

impl Reach {
    /// From where an address can be reached.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    /// Whether only this machine or the networks next to it reach the address.
    pub fn is_local(self) -> bool {
        matches!(self, Self::Loopback | Self::Private | Self::LinkLocal)
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let found = SPECIAL_V4.iter().find(|(network, _)| network.contains(&address));
        found.map_or(Self::Public, |(_, reach)| *reach)
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        if NAT64.contains(&address) {
            // In a network without IPv4 every IPv4 host has such an address: the host counts.
            let [.., a, b, c, d] = address.octets();
            return Self::of_v4(Ipv4Addr::new(a, b, c, d));
        }
        let found = SPECIAL_V6.iter().find(|(network, _)| network.contains(&address));
        match found {
            Some((_, reach)) => *reach,
            None if GLOBAL_V6.contains(&address) => Self::Public,
            None => Self::Reserved,
        }
    }
}

/// What an address is, as the end of a sentence that begins "10.0.0.1 is".
impl fmt::Display for Reach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Public => "public",
            Self::Loopback => "this machine",
            Self::Private => "private",
            Self::LinkLocal => "link-local",
            Self::Shared => "shared by a provider's customers",
            Self::Unspecified => "unspecified",
            Self::Multicast => "multicast",
            Self::Broadcast => "broadcast",
            Self::Documentation => "for documentation",
            Self::Benchmark => "for measurements",
            Self::Protocol => "reserved for protocols",
            Self::Relay => "a relay",
            Self::Tunnel => "a 6to4 tunnel",
            Self::MappedIpv4 => "a mapped IPv4 address",
            Self::CompatibleIpv4 => "an IPv4-compatible address",
            Self::LocalTranslation => "a local translation of IPv4",
            Self::Reserved => "reserved",
        })
    }
}

/// The first network that contains an address decides.
const SPECIAL_V4: [(Ipv4Net, Reach); 16] = [
    (v4([0, 0, 0, 0], 8), Reach::Unspecified),
    (v4([10, 0, 0, 0], 8), Reach::Private),
    (v4([100, 64, 0, 0], 10), Reach::Shared),
    (v4([127, 0, 0, 0], 8), Reach::Loopback),
    (v4([169, 254, 0, 0], 16), Reach::LinkLocal),
    (v4([172, 16, 0, 0], 12), Reach::Private),
    (v4([192, 0, 0, 0], 24), Reach::Protocol),
    (v4([192, 0, 2, 0], 24), Reach::Documentation),
    (v4([192, 88, 99, 0], 24), Reach::Relay),
    (v4([192, 168, 0, 0], 16), Reach::Private),
    (v4([198, 18, 0, 0], 15), Reach::Benchmark),
    (v4([198, 51, 100, 0], 24), Reach::Documentation),
    (v4([203, 0, 113, 0], 24), Reach::Documentation),
    (v4([224, 0, 0, 0], 4), Reach::Multicast),
    (v4([255, 255, 255, 255], 32), Reach::Broadcast),
    (v4([240, 0, 0, 0], 4), Reach::Reserved),
];

/// The first network that contains an address decides.
const SPECIAL_V6: [(Ipv6Net, Reach); 12] = [
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), Reach::Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Reach::Loopback),
    (v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96), Reach::MappedIpv4),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 96), Reach::CompatibleIpv4),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), Reach::Private),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), Reach::LinkLocal),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Reach::Multicast),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), Reach::Protocol),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), Reach::Documentation),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), Reach::Tunnel),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), Reach::Documentation),
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), Reach::LocalTranslation),
];

/// IPv4 addresses as a network without IPv4 sees them.
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);
/// The part of IPv6 from which public addresses are assigned.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6([a, b, c, d, e, f, g, h]: [u16; 8], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

/// One exception from the rule that a node never connects to an address that is not public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrivateException {
    /// A host by its name, in lower case, whatever its address is.
    Host(String),
    /// A network, or a single address.
    Network(IpNet),
}

/// Text that is no exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadException {
    #[error("must be hosts, addresses or networks such as \"10.0.0.0/8\"")]
    Unreadable,
    #[error("must be networks whose prefix is from 0 to {longest}")]
    Prefix {
        /// How many bits an address of this family has.
        longest: u8,
    },
}

impl PrivateException {
    /// The exception for one host, which may be a literal address (IPv6 with or without brackets).
    pub fn for_host(host: &str) -> Self {
        match literal(host) {
            Some(address) => Self::Network(address.into()),
            None => Self::Host(host.trim_end_matches('.').to_ascii_lowercase()),
        }
    }

    /// Whether a node may connect to this host at this address.
    pub fn allows(&self, host: &str, address: IpAddr) -> bool {
        self.names(host) || self.holds(address)
    }

    /// Whether it is for the host of this name.
    pub fn names(&self, host: &str) -> bool {
        matches!(self, Self::Host(name) if name.eq_ignore_ascii_case(host.trim_end_matches('.')))
    }

    /// Whether it is for a network that contains this address.
    pub fn holds(&self, address: IpAddr) -> bool {
        matches!(self, Self::Network(network) if network.contains(&address))
    }
}

/// A network, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(pub IpNet);

impl Network {
    /// Whether an address belongs to it. IPv4 inside IPv6 counts as what it is.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        match text.parse() {
            Ok(PrivateException::Network(network)) => Ok(Self(network)),
            _ => Err(BadNetwork),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.prefix_len() == self.0.max_prefix_len() {
            true => self.0.addr().fmt(formatter),
            false => self.0.fmt(formatter),
        }
    }
}

/// Text that is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("must be addresses or networks such as \"10.0.0.7\" or \"10.0.0.0/8\"")]
pub struct BadNetwork;

/// An address as text, with or without the brackets that IPv6 has in a URL.
fn literal(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    bare.unwrap_or(text).parse().ok()
}

impl FromStr for PrivateException {
    type Err = BadException;

    fn from_str(text: &str) -> Result<Self, BadException> {
        let text = text.trim();
        if let Some((address, prefix)) = text.split_once('/') {
            let address = literal(address).ok_or(BadException::Unreadable)?;
            let longest = IpNet::from(address).max_prefix_len();
            let prefix = prefix.parse().map_err(|_| BadException::Prefix { longest })?;
            let network = IpNet::new(address, prefix);
            return network.map(Self::Network).map_err(|_| BadException::Prefix { longest });
        }
        if let Some(address) = literal(text) {
            return Ok(Self::Network(address.into()));
        }
        match Host::parse(text.trim_end_matches('.')) {
            Ok(Host::Domain(name)) => Ok(Self::Host(name)),
            // Other ways to write an address, such as 0x7f.1.
            Ok(Host::Ipv4(address)) => Ok(Self::Network(IpAddr::from(address).into())),
            Ok(Host::Ipv6(address)) => Ok(Self::Network(IpAddr::from(address).into())),
            Err(_) => Err(BadException::Unreadable),
        }
    }
}

impl fmt::Display for PrivateException {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(name) => formatter.write_str(name),
            Self::Network(network) => network.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(address: &str) -> Reach {
        Reach::of(address.parse().unwrap())
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
            assert_ne!(reach(address), Reach::Public, "{address}");
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
            assert_eq!(reach(address), Reach::Public, "{address}");
        }
    }

    #[test]
    fn a_network_is_an_address_or_a_range_and_nothing_else() {
        for text in ["10.0.0.7", "10.0.0.0/8", "2001:db8::1", "2001:db8::/32"] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), text);
        }
        for text in ["proxy.example", "10.0.0.0/33", ""] {
            assert_eq!(text.parse::<Network>(), Err(BadNetwork), "{text}");
        }
        let network: Network = "10.0.0.0/8".parse().unwrap();
        assert!(network.contains("::ffff:10.1.2.3".parse().unwrap()));
        assert!(!network.contains("11.0.0.1".parse().unwrap()));
    }

    #[test]
    fn only_this_machine_and_the_networks_next_to_it_are_local() {
        for address in
            ["127.0.0.1", "10.1.2.3", "169.254.1.1", "fd00::1", "fe80::1", "64:ff9b::a00:1"]
        {
            assert!(reach(address).is_local(), "{address}");
        }
        for address in
            ["8.8.8.8", "100.64.0.1", "192.0.2.1", "0.0.0.0", "255.255.255.255", "2a00::1"]
        {
            assert!(!reach(address).is_local(), "{address}");
        }
    }

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
        assert!(allows("0.0.0.0/0", "a.example", "8.8.8.8"));
        assert!(!allows("0.0.0.0/0", "a.example", "fd00::1"), "another family");
        assert!(allows("::/0", "a.example", "fe80::1"));
    }

    #[test]
    fn an_ipv4_network_does_not_allow_its_addresses_written_as_ipv6() {
        assert!(!allows("10.0.0.0/8", "a.example", "::ffff:10.0.0.1"));
        assert!(allows("::ffff:0:0/96", "a.example", "::ffff:10.0.0.1"));
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
    fn an_address_is_an_exception_however_it_is_written() {
        let parsed = |text: &str| text.parse::<PrivateException>();
        assert_eq!(parsed("[::1]"), parsed("::1/128"));
        assert_eq!(parsed("0x7f.1"), parsed("127.0.0.1"));
        for host in ["[::1]", "127.0.0.1", "Node-B."] {
            assert_eq!(Ok(PrivateException::for_host(host)), parsed(host), "{host}");
        }
    }

    #[test]
    fn what_is_neither_host_nor_network_is_refused() {
        let wrong = [
            "",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0/8",
            "http://a.example",
            "http://node-b/",
            "a b",
            "::1/200",
        ];
        for wrong in wrong {
            assert!(wrong.parse::<PrivateException>().is_err(), "{wrong:?}");
        }
        let longest = |text: &str| text.parse::<PrivateException>().unwrap_err();
        assert_eq!(longest("10.0.0.0/33"), BadException::Prefix { longest: 32 });
        assert_eq!(longest("::1/200"), BadException::Prefix { longest: 128 });
    }

    #[test]
    fn an_exception_is_printed_as_it_is_read() {
        for text in ["10.0.0.0/8", "fd00::/8", "intranet.example"] {
            assert_eq!(text.parse::<PrivateException>().unwrap().to_string(), text);
        }
    }
}
