//! What must hold for what other nodes send: cursors and messages.

use pergola_node::peer::cursor::Cursor;
use pergola_node::wire::{entry_from_wire, entry_to_wire};
use pergola_proto::v1;
use prost::Message;

/// A name, and what must hold for any bytes.
type Target = (&'static str, fn(&[u8]));

/// The targets that need the daemon, by name.
pub(crate) const TARGETS: [Target; 2] = [("cursor", cursor), ("wire", wire)];

/// A cursor: what is printed is read as the same cursor.
fn cursor(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(cursor) = text.parse::<Cursor>() else { return };
    assert_eq!(cursor.to_string().parse(), Ok(cursor), "another cursor after printing");
}

/// An entry in a message of another node: taken once, it is sent and taken as the same entry.
fn wire(bytes: &[u8]) {
    let Ok(message) = v1::Entry::decode(bytes) else { return };
    let Ok(entry) = entry_from_wire(message) else { return };
    let again = entry_from_wire(entry_to_wire(entry.clone())).expect("our own message");
    assert!(again == entry || entry.published_at.is_nan(), "another entry: {entry:?}\n{again:?}");
}
