//! A node's own certificate, recognised by itself: a command on the same machine reaches its node under
//! whatever address, and is let in where only known clients are.
//!
//! Whoever shows it must still prove to have its key, so this opens nothing to anybody else.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

/// Trusts our own node besides those that others trust.
#[derive(Debug)]
pub(super) struct OrOwn {
    own: Option<CertificateDer<'static>>,
    others: Arc<dyn ServerCertVerifier>,
}

/// Lets the node's own commands in besides the clients that are known.
#[derive(Debug)]
pub(super) struct OrItself {
    own: Option<CertificateDer<'static>>,
    others: Arc<dyn ClientCertVerifier>,
}

impl OrOwn {
    pub(super) fn new(
        chain: &[CertificateDer<'static>],
        others: Arc<dyn ServerCertVerifier>,
    ) -> Self {
        Self { own: chain.first().cloned(), others }
    }
}

impl OrItself {
    pub(super) fn new(
        chain: &[CertificateDer<'static>],
        others: Arc<dyn ClientCertVerifier>,
    ) -> Self {
        Self { own: chain.first().cloned(), others }
    }
}

impl ServerCertVerifier for OrOwn {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.own.as_ref() == Some(end_entity) {
            return Ok(ServerCertVerified::assertion());
        }
        self.others.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.others.supported_verify_schemes()
    }
}

impl ClientCertVerifier for OrItself {
    fn offer_client_auth(&self) -> bool {
        self.others.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.others.client_auth_mandatory()
    }

    /// None: a client would hold back the node's own certificate, which none of the issuers signed.
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if self.own.as_ref() == Some(end_entity) {
            return Ok(ClientCertVerified::assertion());
        }
        self.others.verify_client_cert(end_entity, intermediates, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.others.supported_verify_schemes()
    }
}
