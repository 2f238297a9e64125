//! `[mail]`: the server that sends digests of feeds.

use crate::codec::{one_of, text, whole};
use crate::secret::{Secret, secret};
use crate::table::Table;

/// `[mail]`, if it names a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    pub server: String,
    pub port: u16,
    pub security: MailSecurity,
    pub user: Option<String>,
    pub password: Option<Secret>,
    /// Who sends: an address, with or without a name.
    pub from: String,
}

/// How the connection to the mail server is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailSecurity {
    /// From the first byte.
    Tls,
    /// After a greeting; without TLS nothing is sent.
    StartTls,
    /// Not at all.
    None,
}

impl MailSecurity {
    /// The port that servers use for it.
    fn usual_port(self) -> u16 {
        match self {
            Self::Tls => 465,
            Self::StartTls => 587,
            Self::None => 25,
        }
    }
}

impl Mail {
    pub(crate) fn declare(table: &mut Table<'_, Option<Self>>) -> Option<Self> {
        table.about(
            "The server that sends e-mail digests of feeds. Without it nobody can be notified by e-mail. It may be \
             in a private network. Certificates are checked; `crawl.extra_ca` counts here, too.",
        );
        let server = table.key("server", "The host name or address of the mail server.").optional(
            text(),
            "mail.example.org",
            |mail| Some(mail.as_ref()?.server.clone()),
        );
        let security = table
            .key(
                "security",
                "\"tls\" from the first byte, \"starttls\" after a greeting, or \"none\" for a server on the same \
                 machine.",
            )
            .required(
                one_of([
                    ("tls", MailSecurity::Tls),
                    ("starttls", MailSecurity::StartTls),
                    ("none", MailSecurity::None),
                ]),
                "tls",
                |mail| mail.as_ref().map_or(MailSecurity::Tls, |mail| mail.security),
            );
        let port = table
            .key(
                "port",
                "Its port. Usual are 465 for \"tls\", 587 for \"starttls\" and 25 for \"none\".",
            )
            .optional(whole(1..=65_535), 465, |mail| Some(usize::from(mail.as_ref()?.port)));
        let user = table.key("user", "The name to log in with, if the server wants one.").optional(
            text(),
            "pergola",
            |mail| mail.as_ref()?.user.clone(),
        );
        let password = table.key("password", "The password to log in with.").secret(
            secret(),
            "any characters",
            |mail| mail.as_ref()?.password.clone(),
        );
        let from = table.key("from", "Who sends: an address, with or without a name.").optional(
            text(),
            "Pergola <pergola@example.org>",
            |mail| Some(mail.as_ref()?.from.clone()),
        );
        if server.is_some() != from.is_some() {
            table.refuse("server", "must be set together with `mail.from`");
            table.refuse("from", "must be set together with `mail.server`");
        }
        if user.is_some() != password.is_some() {
            table.refuse("user", "must be set together with `mail.password`");
            table.refuse("password", "must be set together with `mail.user`");
        }
        if password.is_some() && security == MailSecurity::None {
            table.refuse("security", "must be \"tls\" or \"starttls\" if there is a password");
        }
        let (server, from) = server.zip(from)?;
        let usual = security.usual_port();
        let port = port.and_then(|port| u16::try_from(port).ok()).unwrap_or(usual);
        Some(Self { server, port, security, user, password, from })
    }
}
