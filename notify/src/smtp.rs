//! Sends an e-mail, by the mail server that the configuration names.

use std::path::PathBuf;
use std::time::Duration;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use pergola_config::{Mail, MailSecurity};

use crate::course::Failed;
use crate::digest::Digest;

/// A server that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends e-mails.
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Mailer {
    /// Sends by this server; certificates are also trusted that those in the files have signed.
    ///
    /// # Errors
    /// Which key of the configuration is wrong, and why.
    pub fn new(mail: &Mail, trusted: &[PathBuf]) -> Result<Self, String> {
        let from =
            mail.from.parse().map_err(|error| format!("mail.from is no address: {error}"))?;
        let tls = match mail.security {
            MailSecurity::Tls => Tls::Wrapper(trust(&mail.server, trusted)?),
            MailSecurity::StartTls => Tls::Required(trust(&mail.server, trusted)?),
            MailSecurity::None => Tls::None,
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&mail.server)
            .port(mail.port)
            .tls(tls)
            .timeout(Some(PATIENCE));
        if let Some((user, password)) = mail.user.as_ref().zip(mail.password.as_ref()) {
            let login = Credentials::new(user.clone(), password.reveal().to_owned());
            builder = builder.credentials(login);
        }
        Ok(Self { transport: builder.build(), from })
    }

    /// Sends a message under a name that is the same whenever it is sent.
    pub(crate) async fn send(&self, to: &str, id: &str, digest: Digest) -> Result<(), Failed> {
        let message = self.message(to, id, digest).map_err(Failed::because)?;
        match self.transport.send(message).await {
            Ok(_) => Ok(()),
            Err(error) => Err(Failed::because(words(&error))),
        }
    }

    fn message(&self, to: &str, id: &str, digest: Digest) -> Result<Message, String> {
        let to: Address = to.parse().map_err(|error| format!("{to:?}: {error}"))?;
        let Digest { subject, text, html } = digest;
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .multipart(MultiPart::alternative_plain_html(text, html))
            .map_err(|error| format!("the message cannot be written: {error}"))?;
        // Nobody's holiday answers it.
        let name = HeaderName::new_from_ascii_str("Auto-Submitted");
        message.headers_mut().insert_raw(HeaderValue::new(name, "auto-generated".to_owned()));
        Ok(message)
    }
}

fn trust(server: &str, files: &[PathBuf]) -> Result<TlsParameters, String> {
    let mut builder =
        TlsParameters::builder(server.to_owned()).certificate_store(CertificateStore::WebpkiRoots);
    for file in files {
        let wrong = |error: &dyn std::fmt::Display| {
            format!("{} of crawl.extra_ca cannot be used for mail: {error}", file.display())
        };
        let pem = std::fs::read(file).map_err(|error| wrong(&error))?;
        let certificate = Certificate::from_pem(&pem).map_err(|error| wrong(&error))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(|error| format!("mail.server cannot be reached by TLS: {error}"))
}

/// An error with its causes in one line, and what to do about it.
fn words(error: &Error) -> String {
    let mut words = format!("the mail server did not take it: {error}");
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !words.contains(&said) {
            words = format!("{words}: {said}");
        }
        cause = inner.source();
    }
    match advice(error.status().map(u16::from), &words) {
        Some(advice) => format!("{words}; {advice}"),
        None => words,
    }
}

/// What to do about an answer of the server, or about words if it did not answer.
fn advice(status: Option<u16>, words: &str) -> Option<&'static str> {
    match status {
        Some(530 | 534 | 535 | 538) => Some("check mail.user and mail.password"),
        Some(_) => None,
        None if words.contains("authentication") => Some("check mail.user and mail.security"),
        None if words.contains("certificate") => Some(
            "name the server in mail.server as its certificate does; if an authority of your own has signed that, add \
             the authority's file to crawl.extra_ca",
        ),
        None => Some("check mail.server, mail.port and mail.security"),
    }
}
