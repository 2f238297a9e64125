//! What the doctor has to say.

use std::fmt;

use pergola_feed::address::masked_in;
use serde::Serialize;

use super::Verdict;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// All is well.
    Well,
    /// It works, but should be looked into.
    Warning,
    /// It does not work.
    Wrong,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub grade: Grade,
    /// What was found.
    pub what: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn well(what: impl Into<String>) -> Self {
        Self { grade: Grade::Well, what: open(what), advice: None }
    }

    /// A warning.
    pub fn warning(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Warning, what: open(what), advice: Some(advice.into()) }
    }

    /// Something that does not work.
    pub fn wrong(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Wrong, what: open(what), advice: Some(advice.into()) }
    }
}

/// Addresses are shown without their secrets.
fn open(what: impl Into<String>) -> String {
    masked_in(&what.into()).into_owned()
}

/// Everything that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Examination {
    /// In the order of the checks.
    pub findings: Vec<Finding>,
}

impl Examination {
    /// The worst of it.
    pub fn verdict(&self) -> Verdict {
        match self.findings.iter().map(|finding| finding.grade).max() {
            None | Some(Grade::Well) => Verdict::Well,
            Some(Grade::Warning) => Verdict::Ailing,
            Some(Grade::Wrong) => Verdict::Ill,
        }
    }
}

impl fmt::Display for Examination {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            let sign = match finding.grade {
                Grade::Well => '✓',
                Grade::Warning => '!',
                Grade::Wrong => '✗',
            };
            writeln!(to, "{sign} {}", finding.what)?;
            if let Some(advice) = &finding.advice {
                writeln!(to, "    {advice}")?;
            }
        }
        let count = |grade| self.findings.iter().filter(|finding| finding.grade == grade).count();
        match (count(Grade::Wrong), count(Grade::Warning)) {
            (0, 0) => write!(to, "\nAll is well."),
            (wrong, warnings) => write!(to, "\n{wrong} wrong, {warnings} to look into."),
        }
    }
}
