//! Certificates for tests, made when they are needed.

use std::path::PathBuf;

use pergola_config::Fingerprint;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

/// Somebody who signs.
pub(crate) struct Authority {
    /// Its certificate.
    pub(crate) file: PathBuf,
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
}

/// A certificate and its key, in files.
pub(crate) struct Papers {
    pub(crate) chain: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) fingerprint: Fingerprint,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let mut about = CertificateParams::new(Vec::new()).unwrap();
        about.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        about.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, about.self_signed(&key).unwrap().pem()).unwrap();
        Self { file, issuer: Issuer::new(about, key), folder }
    }

    /// Papers that are good now and for long.
    pub(crate) fn papers(&self, name: &str, hosts: &[&str]) -> Papers {
        self.papers_for(name, hosts, (2020, 2090))
    }

    /// Papers that are good from the first of January of a year to that of another.
    pub(crate) fn papers_for(&self, name: &str, hosts: &[&str], years: (i32, i32)) -> Papers {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let mut about = CertificateParams::new(hosts).unwrap();
        about.distinguished_name.push(DnType::CommonName, name);
        about.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        about.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = about.signed_by(&key, &self.issuer).unwrap();
        let file = |ending: &str| self.folder.path().join(format!("{name}.{ending}"));
        let papers = Papers {
            chain: file("pem"),
            key: file("key"),
            fingerprint: pergola_outside::tls::fingerprint(certificate.der()),
        };
        std::fs::write(&papers.chain, certificate.pem()).unwrap();
        std::fs::write(&papers.key, key.serialize_pem()).unwrap();
        papers
    }
}
