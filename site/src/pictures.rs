//! Pictures of items, fetched by the node for those who read here.
//!
//! The address of a picture is signed, together with the source on whose behalf it is fetched, so the node fetches nothing
//! that no page of its own shows. Pictures are kept in memory, the newest ones.

use std::collections::{HashMap, VecDeque};

use pergola_accounts::secret::Token;
use pergola_node::node::Node;
use pergola_outside::fetch::{NoPicture, Picture};
use pergola_outside::locks::Mutex;
use pergola_outside::mandate::Mandate;
use pergola_store::archive::SourceId;
use tokio::sync::Semaphore;
use url::Url;
use url::form_urlencoded::Serializer;

/// Bytes of the pictures that are kept.
const KEPT: usize = 32 << 20;
/// Pictures fetched at once.
const AT_ONCE: usize = 8;

/// Fetches pictures, and keeps some.
pub(crate) struct Pictures {
    /// A new one at each start. Without it no picture can be shown.
    key: Option<Token>,
    kept: Mutex<Kept>,
    seats: Semaphore,
}

impl Pictures {
    pub(crate) fn new(key: Option<Token>) -> Self {
        Self { key, kept: Mutex::default(), seats: Semaphore::new(AT_ONCE) }
    }

    /// Whether addresses can be signed.
    pub(crate) fn can_sign(&self) -> bool {
        self.key.is_some()
    }

    /// What asks this node for a picture of a source's item.
    pub(crate) fn query(&self, source: u32, address: &str) -> String {
        let proof = self.key.as_ref().map(|key| key.sign(&signed(source, address)));
        let mut query = Serializer::new(String::new());
        query.append_pair("source", &source.to_string()).append_pair("address", address);
        query.append_pair("proof", &proof.unwrap_or_default()).finish()
    }

    /// Whether this node has made the address.
    pub(crate) fn is_own(&self, source: u32, address: &str, proof: &str) -> bool {
        self.key.as_ref().is_some_and(|key| key.has_signed(&signed(source, address), proof))
    }

    /// A picture that an item of a source shows, which may reach as much as the source.
    pub(crate) async fn get(
        &self,
        node: &Node,
        (source, mandate): (SourceId, Mandate),
        url: Url,
    ) -> Result<Picture, NoPicture> {
        let name = (source, url.to_string());
        // Whoever waited for a seat may find that somebody else has fetched it meanwhile.
        let _seat = self.seats.acquire().await;
        if let Some(picture) = self.kept.lock().pictures.get(&name) {
            return Ok(picture.clone());
        }
        let picture = node.fetcher().picture(url, mandate).await?;
        self.kept.lock().put(name, picture.clone());
        Ok(picture)
    }
}

fn signed(source: u32, address: &str) -> String {
    format!("picture {source} {address}")
}

type Name = (SourceId, String);

/// The pictures that came last.
#[derive(Default)]
struct Kept {
    pictures: HashMap<Name, Picture>,
    /// The oldest one first.
    order: VecDeque<Name>,
    bytes: usize,
}

impl Kept {
    fn put(&mut self, name: Name, picture: Picture) {
        self.bytes += picture.bytes.len();
        if let Some(before) = self.pictures.insert(name.clone(), picture) {
            self.bytes -= before.bytes.len();
            return;
        }
        self.order.push_back(name);
        while self.bytes > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            let gone = self.pictures.remove(&oldest);
            self.bytes -= gone.map_or(0, |picture| picture.bytes.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(bytes: usize) -> Picture {
        Picture { media_type: "image/png", bytes: vec![0; bytes].into() }
    }

    #[test]
    fn an_address_is_signed_for_one_source() {
        let pictures = Pictures::new(Some(Token::new([7; 32])));
        let query = pictures.query(3, "http://x/1.png?a&b");
        let (rest, proof) = query.split_once("&proof=").unwrap();
        assert_eq!(rest, "source=3&address=http%3A%2F%2Fx%2F1.png%3Fa%26b");
        assert!(pictures.is_own(3, "http://x/1.png?a&b", proof));
        assert!(!pictures.is_own(4, "http://x/1.png?a&b", proof));
        assert!(!pictures.is_own(3, "http://x/1.png?a", proof));
        assert!(!pictures.is_own(3, "http://x/1.png?a&b", ""));
        let other = Pictures::new(Some(Token::new([8; 32])));
        assert!(!other.is_own(3, "http://x/1.png?a&b", proof));
    }

    #[test]
    fn the_oldest_pictures_go_when_there_are_too_many() {
        let mut kept = Kept::default();
        let name = |n: usize| (SourceId(1), format!("http://x/{n}"));
        for n in 0..10 {
            kept.put(name(n), picture(KEPT / 4));
        }
        let there: Vec<bool> = (0..10).map(|n| kept.pictures.contains_key(&name(n))).collect();
        assert_eq!(there.iter().filter(|there| **there).count(), 4);
        assert!(there[6..].iter().all(|there| *there));
        kept.put(name(9), picture(1));
        assert_eq!((kept.bytes, kept.order.len()), (3 * (KEPT / 4) + 1, 4));
    }
}
