//! `[[reader]]`: who may read feeds that are not public, and how the node knows them.

use std::fmt;
use std::str::FromStr;

use crate::api::Api;
use crate::codec::{Codec, one_or_list, text, whole};
use crate::peers::Limits;
use crate::secret::{Secret, secret};
use crate::table::Table;
use crate::units::memory_size;

/// One `[[reader]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    pub name: String,
    pub token: Option<Secret>,
    /// The certificates that it may present: one, or also the next one while they are being replaced.
    pub certificates: Vec<Fingerprint>,
    pub limits: Limits,
}

/// The SHA-256 of a certificate, which identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl FromStr for Fingerprint {
    type Err = ();

    /// 64 hexadecimal digits, with or without colons, as `openssl x509 -fingerprint -sha256` prints them.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (_, digits) = text.rsplit_once('=').unwrap_or(("", text));
        let digits: Vec<u32> = digits
            .chars()
            .filter(|c| *c != ':' && !c.is_whitespace())
            .map(|c| c.to_digit(16).ok_or(()))
            .collect::<Result<_, _>>()?;
        let bytes: Vec<u8> = match digits.len() {
            64 => digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect(),
            _ => return Err(()),
        };
        bytes.try_into().map(Self).map_err(|_| ())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(to, "{byte:02x}"))
    }
}

impl Reader {
    /// The next reader. Its name, token and certificates must differ from those of `others`. Only limits
    /// that differ from the `usual` ones are shown.
    pub(crate) fn declare(
        table: &mut Table<'_, Self>,
        usual: &Limits,
        api: &Api,
        others: &[Self],
    ) -> Option<Self> {
        table.about(
            "Who may read feeds that are not public. A reader is known by its token, by its certificate, \
             or by either.",
        );
        let name = table
            .key("name", "The name by which feeds allow the reader. Required.")
            .optional(reader_name(), "alice", |reader| Some(reader.name.clone()));
        let token = table
            .key(
                "token",
                "The token that the reader sends, as `Authorization: Bearer` or as the password of basic \
                 authentication.",
            )
            .secret(secret(), "long and unguessable", |reader| reader.token.clone());
        let certificates = table
            .key(
                "certificate",
                "The SHA-256 of its certificate, which `tls.client_ca` must have signed. Give a list \
                 while one certificate replaces another.",
            )
            .optional(
                fingerprints(),
                "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4",
                |reader| (!reader.certificates.is_empty()).then(|| reader.certificates.clone()),
            )
            .unwrap_or_default();
        let limits = declare_limits(table, usual);
        if !table.is_set("name") {
            table.refuse_table("must have a `name`");
        }
        let reader = Self { name: name?, token, certificates, limits };
        reader.compare(table, api, others);
        Some(reader)
    }

    /// Whether anybody could ever be this reader.
    pub(crate) fn is_known(&self) -> bool {
        self.token.is_some() || !self.certificates.is_empty()
    }

    /// Notes what this reader has in common with others.
    fn compare(&self, table: &mut Table<'_, Self>, api: &Api, others: &[Self]) {
        if others.iter().any(|other| other.name == self.name) {
            table.refuse("name", "must not be used twice: another [[reader]] has it");
        }
        let same = |other: &Option<Secret>| self.token.is_some() && *other == self.token;
        if same(&api.token) || others.iter().any(|other| same(&other.token)) {
            let message = "must be another than `api.token` and the tokens of other readers";
            table.refuse("token", message);
            table.refuse("token_file", message);
        }
        let taken =
            |print: &Fingerprint| others.iter().any(|other| other.certificates.contains(print));
        if self.certificates.iter().any(taken) {
            table.refuse("certificate", "must be another than those of other readers");
        }
    }
}

fn declare_limits(table: &mut Table<'_, Reader>, usual: &Limits) -> Limits {
    let differing = |own: usize, usual: usize| (own != usual).then_some(own);
    let streams = table
        .key("streams", "The most streams at the same time, if not as in [peers].")
        .optional(whole(Limits::STREAMS), 10, |reader| {
            differing(reader.limits.streams, usual.streams)
        });
    let requests_per_minute = table
        .key("requests_per_minute", "The most calls in a minute, if not as in [peers].")
        .optional(whole(Limits::REQUESTS), 60, |reader| {
            differing(reader.limits.requests_per_minute, usual.requests_per_minute)
        });
    let max_message = table
        .key("max_message", "The largest message, if not as in [peers].")
        .optional(memory_size(Limits::MESSAGE), "1 MiB", |reader| {
            differing(reader.limits.max_message, usual.max_message)
        });
    Limits {
        streams: streams.unwrap_or(usual.streams),
        requests_per_minute: requests_per_minute.unwrap_or(usual.requests_per_minute),
        max_message: max_message.unwrap_or(usual.max_message),
    }
}

/// A name that can stand in a command and in a URL.
fn reader_name() -> Codec<String> {
    let allowed = "letters, digits, `-`, `_`, `.` and `@`, 64 at most";
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
    let read = move |name: String| match name.chars().all(fits) && name.len() <= 64 {
        true => Ok(name),
        false => Err(format!("must be {allowed}")),
    };
    text().map(read, String::clone).described(allowed)
}

/// One fingerprint, or a list of them.
fn fingerprints() -> Codec<Vec<Fingerprint>> {
    let wrong = "must be the SHA-256 of a certificate, as `openssl x509 -noout -fingerprint -sha256 \
                 -in FILE` prints it";
    let read = move |texts: Vec<String>| {
        texts.iter().map(|text| text.parse().map_err(|()| wrong.to_owned())).collect()
    };
    let prints = |prints: &Vec<Fingerprint>| prints.iter().map(ToString::to_string).collect();
    one_or_list().map(read, prints).described("64 hexadecimal digits, or a list of such")
}
