//! `[[reader]]`: those who may read feeds that are not for anybody, and how they are known.

use std::fmt;
use std::str::FromStr;

use toml::Value;

use super::peers::Limits;
use super::problem::Problem;
use super::raw::{Fields, Setting};
use super::reader::Reader as Section;
use super::secret::MASK;
use super::show::{Entry, quoted, quoted_list};
use super::values::text;
use super::{Api, Secret};

/// One `[[reader]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    /// What feeds call it by.
    pub name: String,
    /// What it sends.
    pub token: Option<Secret>,
    /// The certificates that it may show; the one to come can stand beside the one in use.
    pub certificates: Vec<Fingerprint>,
    /// What it may take.
    pub limits: Limits,
}

/// The SHA-256 of a certificate, by which exactly one is known.
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
    /// All readers. Each must be known by something that no other has.
    pub(super) fn read_all(
        tables: &[Fields],
        usual: &Limits,
        api: &Api,
        problems: &mut Vec<Problem>,
    ) -> Vec<Self> {
        let mut readers: Vec<Self> = Vec::with_capacity(tables.len());
        for fields in tables {
            let mut section = Section::new(fields, problems);
            let Some(reader) = Self::read(&mut section, usual) else { continue };
            if readers.iter().any(|other| other.name == reader.name) {
                section.refuse("name", "must be there once, but another [[reader]] has it");
            }
            let same = |other: &Option<Secret>| reader.token.is_some() && *other == reader.token;
            if same(&api.token) || readers.iter().any(|other| same(&other.token)) {
                let message = "must be another than `api.token` and the tokens of other readers";
                section.refuse("token", message);
                section.refuse("token_file", message);
            }
            let shown = |print: &Fingerprint| {
                readers.iter().any(|other| other.certificates.contains(print))
            };
            if reader.certificates.iter().any(shown) {
                section.refuse("certificate", "must be another than those of other readers");
            }
            readers.push(reader);
        }
        readers
    }

    fn read(section: &mut Section<'_>, usual: &Limits) -> Option<Self> {
        let name = section.optional("name", name);
        if !section.is_set("name") {
            section.refuse_table("must have a `name`");
        }
        let token = Secret::read(section);
        let certificates = section.optional("certificate", fingerprints).unwrap_or_default();
        let limits = Limits::read_or(section, usual);
        Some(Self { name: name?, token, certificates, limits })
    }

    /// Only what differs from what anybody may take.
    pub(super) fn entries(&self, usual: &Limits) -> Vec<Entry> {
        let certificates = (!self.certificates.is_empty()).then(|| quoted_list(&self.certificates));
        let mut entries = vec![
            ("name", Some(quoted(&self.name))),
            ("token", self.token.as_ref().map(|_| quoted(MASK))),
            ("certificate", certificates),
        ];
        let limits = self.limits.entries().into_iter().zip(usual.entries());
        entries.extend(limits.filter(|(own, usual)| own != usual).map(|(own, _)| own));
        entries
    }

    /// Whether anybody could ever be this reader.
    pub(super) fn is_known(&self) -> bool {
        self.token.is_some() || !self.certificates.is_empty()
    }
}

/// A name that can stand in a command and in an address.
fn name(setting: &Setting) -> Result<String, String> {
    let name = text(setting)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
    match name.chars().all(fits) && name.len() <= 64 {
        true => Ok(name),
        false => Err("must be letters, digits, `-`, `_`, `.` and `@`, 64 at most".to_owned()),
    }
}

/// One fingerprint, or a list of them.
fn fingerprints(setting: &Setting) -> Result<Vec<Fingerprint>, String> {
    let texts = match &setting.value {
        Value::String(text) => vec![text.clone()],
        _ => super::values::list(setting)?,
    };
    let wrong = "must be the SHA-256 of a certificate, as `openssl x509 -noout -fingerprint -sha256 \
                 -in FILE` prints it";
    texts.iter().map(|text| text.parse().map_err(|()| wrong.to_owned())).collect()
}
