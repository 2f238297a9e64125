//! Whose program is at the other end of a connection within this machine.
//!
//! The system lists its connections with the user who opened each end (`/proc/self/net/tcp`). A proxy that says nothing of
//! whom it asks for looks like any program on this machine, but it usually runs as another user.
//!
//! Never: a guess. A connection that is not listed, or a machine without that list, is nobody's.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, OnceLock};

/// The lists of connections, for IPv4 and IPv6.
const LISTS: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// Whoever is at the other end of one connection. Its user is looked for once, at the first question: the list has a line
/// for every connection of the machine, and reading thousands of them for each request would keep everybody waiting.
/// Clones are of the same connection.
#[derive(Debug, Clone, Default)]
pub struct Neighbour(Arc<OnceLock<bool>>);

impl Neighbour {
    /// Nobody's program, whoever it is.
    pub fn nobody() -> Self {
        Self(Arc::new(OnceLock::from(false)))
    }

    /// Whether the program that connected from `client` to a port of this machine runs as the same user as this process.
    pub fn is_same_user(&self, client: SocketAddr, port: u16) -> bool {
        *self.0.get_or_init(|| is_same_user(client, port))
    }
}

fn is_same_user(client: SocketAddr, port: u16) -> bool {
    // Owned by the user as whom this process acts.
    let Ok(own) = std::fs::metadata("/proc/self").map(|about| about.uid()) else { return false };
    let found = LISTS.iter().find_map(|list| {
        let list = std::fs::read_to_string(list).ok()?;
        list.lines().skip(1).find_map(|line| user_of(line, client, port))
    });
    found == Some(own)
}

/// The user in a line of the list, if it is the end of `client` of a connection to `port`.
fn user_of(line: &str, client: SocketAddr, port: u16) -> Option<u32> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let (local, remote) = (address(words.next()?)?, address(words.next()?)?);
    let is_it =
        same(local, client) && remote.port() == port && remote.ip().to_canonical().is_loopback();
    if !is_it {
        return None;
    }
    // State, queues, timer, retransmissions; then the user, a timeout, and the file by which its process holds it.
    let (user, file) = (words.nth(4)?, words.nth(1)?);
    // One that no process holds any more has no user: it would look like the root's.
    if file == "0" { None } else { user.parse().ok() }
}

fn same(one: SocketAddr, other: SocketAddr) -> bool {
    one.port() == other.port() && one.ip().to_canonical() == other.ip().to_canonical()
}

/// An address as the list has it: hexadecimal, in words of four bytes in the order of this machine.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let mut words = Vec::with_capacity(4);
    for word in ip.as_bytes().chunks(8) {
        let word = std::str::from_utf8(word).ok()?;
        words.push(u32::from_str_radix(word, 16).ok()?.to_ne_bytes());
    }
    let ip: IpAddr = match words.as_slice() {
        [word] => Ipv4Addr::from(*word).into(),
        [a, b, c, d] => {
            let bytes: [u8; 16] = [*a, *b, *c, *d].concat().try_into().ok()?;
            Ipv6Addr::from(bytes).into()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const LINE: &str = "   3: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  33        0 \
                        123456 1 0000000000000000 20 4 30 10 -1";

    #[test]
    fn the_user_of_the_client_is_read_from_its_own_line() {
        let client: SocketAddr = "127.0.0.1:40000".parse().unwrap();
        assert_eq!(user_of(LINE, client, 8080), Some(33));
        assert_eq!(user_of(LINE, client, 8081), None, "another connection from the same port");
        assert_eq!(user_of(LINE, "127.0.0.1:40001".parse().unwrap(), 8080), None);
        assert_eq!(user_of(LINE, "[::ffff:127.0.0.1]:40000".parse().unwrap(), 8080), Some(33));
        let left = LINE.replace("123456", "0");
        assert_eq!(user_of(&left, client, 8080), None, "nobody holds it any more");
        for broken in ["", "x", "1: 0100007F:9C40", "1: zz:1 zz:2 01 0 0 0 1 0 1"] {
            assert_eq!(user_of(broken, client, 8080), None, "{broken}");
        }
        let six = "[::1]:40000".parse().unwrap();
        let line = LINE.replace("0100007F:9C40", "00000000000000000000000001000000:9C40");
        let line = line.replace("0100007F:1F90", "00000000000000000000000001000000:1F90");
        assert_eq!(user_of(&line, six, 8080), Some(33));
    }

    #[test]
    fn a_program_of_this_user_is_recognised_and_a_made_up_one_is_not() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(host) else { continue };
            let port = listener.local_addr().unwrap().port();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (_held, client) = listener.accept().unwrap();
            assert!(is_same_user(client, port), "{host}");
            assert!(!is_same_user(client, port.wrapping_add(1)));
            let neighbour = Neighbour::default();
            assert!(neighbour.is_same_user(client, port), "{host}");
            drop(stream);
            assert!(!is_same_user(client, port), "it is gone");
            assert!(neighbour.clone().is_same_user(client, port), "it was looked for before");
            assert!(!Neighbour::default().is_same_user(client, port), "another connection");
        }
    }
}
