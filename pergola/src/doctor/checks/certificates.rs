//! Certificates: whether they can be read, and how long they are good.

use std::path::Path;

use pergola_config::Config;
use pergola_outside::clock::Clock;
use pergola_outside::fetch::{FetchSettings, Fetcher};
use pergola_outside::tls::{self, Shown, Validity};

use crate::doctor::Finding;

const DAY: i64 = 86_400;
/// One that expires within so many days should be renewed now.
const SOON: i64 = 14;

/// Those that are trusted, those that the node shows and those that it shows to others.
pub(super) fn all(config: &Config) -> Vec<Finding> {
    let now = Clock::real().now() as i64;
    let mut findings = Vec::new();
    for file in &config.crawl.extra_ca {
        let settings = FetchSettings { extra_ca: vec![file.clone()], ..FetchSettings::default() };
        findings.push(match Fetcher::new(settings) {
            Ok(_) => Finding::well(format!("certificates in {} are trusted", file.display())),
            Err(error) => Finding::wrong(
                error.to_string(),
                "crawl.extra_ca must name readable PEM files with certificates",
            ),
        });
    }
    if let Some(tls) = &config.tls {
        match Shown::read(tls) {
            Ok(_) => findings.push(good_for(&tls.certificate, now)),
            Err(error) => findings.push(Finding::wrong(
                error.to_string(),
                "the node cannot start like this; correct the files that [tls] names",
            )),
        }
        findings.extend(tls.client_ca.as_deref().map(|file| good_for(file, now)));
    }
    for (host, rule) in &config.hosts.named {
        let given = &rule.credentials;
        let identity = given.identity.as_ref();
        let pair = identity.map(|(chain, key)| (chain.as_path(), key.as_path()));
        let trusted: Vec<&Path> = given.ca.as_deref().into_iter().collect();
        if pair.is_none() && trusted.is_empty() {
            continue;
        }
        match tls::client(&trusted, pair) {
            Ok(_) => {
                let files = trusted.into_iter().chain(pair.map(|(chain, _)| chain));
                findings.extend(files.map(|file| good_for(file, now)));
            }
            Err(error) => findings.push(Finding::wrong(
                error.to_string(),
                format!("correct the files that [hosts.\"{host}\"] names"),
            )),
        }
    }
    findings
}

/// How long the certificates in a file are good; the first to expire decides.
fn good_for(file: &Path, now: i64) -> Finding {
    let shown = file.display();
    let certificates = match tls::certificates(file) {
        Ok(certificates) => certificates,
        Err(error) => return Finding::wrong(error.to_string(), "it must be PEM"),
    };
    let first = certificates.iter().filter_map(Validity::of).min_by_key(|good| good.until);
    let Some(Validity { from, until }) = first else {
        return Finding::warning(format!("nobody knows until when {shown} is good"), "renew it");
    };
    let date = |at: i64| pergola_feed::Timestamp::from_unix(at).to_rfc3339();
    if until < now {
        let what = format!("the certificate in {shown} has expired at {}", date(until));
        return Finding::wrong(what, "renew it, and tell a running node by SIGHUP");
    }
    if from > now {
        let what = format!("the certificate in {shown} is not valid before {}", date(from));
        return Finding::wrong(what, "check the clock, or use the one that is valid now");
    }
    match until - now < SOON * DAY {
        true => Finding::warning(
            format!("the certificate in {shown} expires in {} day(s)", (until - now) / DAY),
            "renew it, and tell a running node by SIGHUP",
        ),
        false => Finding::well(format!("the certificate in {shown} is good until {}", date(until))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    #[test]
    fn certificates_that_cannot_be_read_are_named() {
        let mut config = Config::default();
        config.crawl.extra_ca = vec!["/nowhere/ca.pem".into()];
        let found = all(&config);
        assert_eq!(found[0].grade, Grade::Wrong);
        assert!(found[0].what.contains("/nowhere/ca.pem"), "{found:?}");
    }

    #[test]
    fn a_certificate_is_judged_by_the_days_it_has_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cert.pem");
        let key = rcgen::KeyPair::generate().unwrap();
        let mut about = rcgen::CertificateParams::new(vec!["node.example".to_owned()]).unwrap();
        about.not_before = rcgen::date_time_ymd(2026, 1, 1);
        about.not_after = rcgen::date_time_ymd(2026, 3, 1);
        std::fs::write(&file, about.self_signed(&key).unwrap().pem()).unwrap();
        // 2026-03-01, less days.
        let before = |days: i64| good_for(&file, 1_772_323_200 - days * DAY);
        assert_eq!(before(60).grade, Grade::Wrong);
        assert_eq!(before(15).grade, Grade::Well);
        assert_eq!(before(13).grade, Grade::Warning);
        assert!(before(13).what.contains("13 day(s)"), "{:?}", before(13));
        assert_eq!(before(-1).grade, Grade::Wrong);
    }
}
