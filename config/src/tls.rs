//! `[tls]`: how the port of the node is secured.
//!
//! The configuration holds only the paths of the files. The node reads the files when it starts and again
//! on SIGHUP, so a renewed certificate needs no change of the configuration.

use std::path::PathBuf;

use crate::codec::{one_of, path};
use crate::table::Table;

/// `[tls]`, if it names a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Without it the node asks no client for a certificate.
    pub client_ca: Option<PathBuf>,
    pub clients: Clients,
}

/// Whether clients need a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// A client that presents one is known by it.
    Optional,
    /// A client without one is refused.
    Required,
}

impl Tls {
    pub(crate) fn declare(table: &mut Table<'_, Option<Self>>) -> Option<Self> {
        table.about(
            "How the port of the node is secured. Without a certificate it is not. The node reads these \
             files again on SIGHUP.",
        );
        let certificate = table
            .key(
                "certificate",
                "The certificate of the node, followed by the intermediate certificates (PEM).",
            )
            .reloads()
            .optional(path(), "cert.pem", |tls| Some(tls.as_ref()?.certificate.clone()));
        let key = table
            .key(
                "key",
                "The private key of the certificate (PEM). Nobody else should read the file.",
            )
            .reloads()
            .optional(path(), "key.pem", |tls| Some(tls.as_ref()?.key.clone()));
        let client_ca = table
            .key(
                "client_ca",
                "The authority that signs the certificates of readers (PEM). The node knows a reader by \
                 the fingerprint of its certificate.",
            )
            .reloads()
            .optional(path(), "readers-ca.pem", |tls| tls.as_ref()?.client_ca.clone());
        let clients = table
            .key(
                "clients",
                "\"required\" refuses callers without a certificate that `client_ca` signed.",
            )
            .reloads()
            .required(
                one_of([("optional", Clients::Optional), ("required", Clients::Required)]),
                "optional",
                |tls| tls.as_ref().map_or(Clients::Optional, |tls| tls.clients),
            );
        if certificate.is_some() != key.is_some() {
            table.refuse("certificate", "must be set together with `tls.key`");
            table.refuse("key", "must be set together with `tls.certificate`");
        }
        if client_ca.is_some() && certificate.is_none() {
            table.refuse("client_ca", "must be set together with `tls.certificate`");
        }
        if clients == Clients::Required && client_ca.is_none() {
            table.refuse(
                "clients",
                "must be \"optional\" without a `tls.client_ca` to know them by",
            );
        }
        let (certificate, key) = certificate.zip(key)?;
        Some(Self { certificate, key, client_ca, clients })
    }
}
