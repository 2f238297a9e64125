//! `[tls]`: how the node's own port is secured.
//!
//! Only the places of the files are kept here: what is in them is read when the node starts and again
//! on SIGHUP, so that a renewed certificate needs no change of the configuration.

use std::path::PathBuf;

use super::reader::Reader;
use super::show::{Entry, quoted};
use super::values::{one_of, text};

/// `[tls]`, if it names a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The node's certificate and those between it and its issuer (PEM).
    pub certificate: PathBuf,
    /// Its private key (PEM).
    pub key: PathBuf,
    /// Who signs the certificates of clients (PEM); without it no client is asked for one.
    pub client_ca: Option<PathBuf>,
    /// Whether clients must have one.
    pub clients: Clients,
}

/// Whether clients must have a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// Those that have one are known by it.
    Optional,
    /// Nobody else is served.
    Required,
}

impl Clients {
    const NAMES: [(&str, Self); 2] = [("optional", Self::Optional), ("required", Self::Required)];

    fn name(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Required => "required",
        }
    }
}

impl Tls {
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut file = |key| reader.optional(key, text).map(|path| reader.path(key, &path));
        let (certificate, key, client_ca) = (file("certificate"), file("key"), file("client_ca"));
        let clients = reader.required("clients", one_of(Clients::NAMES));
        if certificate.is_some() != key.is_some() {
            reader.refuse("certificate", "must be set together with `tls.key`");
            reader.refuse("key", "must be set together with `tls.certificate`");
        }
        if client_ca.is_some() && certificate.is_none() {
            reader.refuse("client_ca", "must be set together with `tls.certificate`");
        }
        if clients == Clients::Required && client_ca.is_none() {
            reader.refuse(
                "clients",
                "must be \"optional\" without a `tls.client_ca` to know them by",
            );
        }
        let (certificate, key) = certificate.zip(key)?;
        Some(Self { certificate, key, client_ca, clients })
    }

    pub(super) fn entries(tls: Option<&Self>) -> Vec<Entry> {
        let file = |path: &PathBuf| quoted(path.display());
        let clients = tls.map_or(Clients::Optional, |tls| tls.clients);
        vec![
            ("certificate", tls.map(|tls| file(&tls.certificate))),
            ("key", tls.map(|tls| file(&tls.key))),
            ("client_ca", tls.and_then(|tls| tls.client_ca.as_ref()).map(file)),
            ("clients", Some(quoted(clients.name()))),
        ]
    }
}
