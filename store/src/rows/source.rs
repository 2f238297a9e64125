//! Sources: what was asked for, and how they are.

use std::borrow::Cow;

use pergola_feed::OriginId;
use pergola_feed::html::Selectors;
use pergola_manners::courtesy::{FailureKind, Outcome};
use pergola_manners::secret::Secret;
use pergola_manners::source::{
    Credentials, ItemKey, PastRefresh, Proof, SourceId, SourceKind, SourceRecord, SourceState,
    Tally, unknown,
};
use pergola_refresh::quality::{Estimate, EstimateParts};
use serde::{Deserialize, Serialize};

use super::courtesy::CourtesyRow;
use super::{List, Nonsense, Stored, inside, row, variants};

inside!(SourceId(u32), ItemKey(u128));

row!(SourceRecord as SourceRow<'a> {
    url: Cow<'a, str>,
    formerly: List<'a, String>,
    title: Option<Cow<'a, str>>,
    kind: SourceKindRow<'a>,
    importance: f32,
    added_at: f64,
    wanted: bool,
    declared: bool,
    lists: List<'a, SourceId>,
    origin: u128,
    private: bool,
    credentials: Option<CredentialsRow<'a>>,
    folders: List<'a, String>,
    only_new: bool,
});

inside!(OriginId(u128));

row!(Credentials as CredentialsRow<'a> { origin: Cow<'a, str>, proof: ProofRow<'a> });

#[derive(Serialize, Deserialize)]
pub(crate) enum ProofRow<'a> {
    Password(Cow<'a, str>, Cow<'a, str>),
    Header(Cow<'a, str>, Cow<'a, str>),
}

impl Stored for Proof {
    type Row<'a> = ProofRow<'a>;

    fn to_row(&self) -> ProofRow<'_> {
        match self {
            Self::Password { user, password } => {
                ProofRow::Password(user.to_row(), Cow::Borrowed(password.reveal()))
            }
            Self::Header { name, value } => {
                ProofRow::Header(name.to_row(), Cow::Borrowed(value.reveal()))
            }
        }
    }

    fn from_row(row: ProofRow<'static>) -> Result<Self, Nonsense> {
        Ok(match row {
            ProofRow::Password(user, password) => {
                Self::Password { user: user.into_owned(), password: Secret::new(password) }
            }
            ProofRow::Header(name, value) => {
                Self::Header { name: name.into_owned(), value: Secret::new(value) }
            }
        })
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) enum SourceKindRow<'a> {
    Feed,
    Page(SelectorsRow<'a>),
    List,
}

impl Stored for SourceKind {
    type Row<'a> = SourceKindRow<'a>;

    fn to_row(&self) -> SourceKindRow<'_> {
        match self {
            Self::Feed => SourceKindRow::Feed,
            Self::Page(selectors) => SourceKindRow::Page(selectors.to_row()),
            Self::List => SourceKindRow::List,
        }
    }

    fn from_row(row: SourceKindRow<'static>) -> Result<Self, Nonsense> {
        Ok(match row {
            SourceKindRow::Feed => Self::Feed,
            SourceKindRow::Page(selectors) => Self::Page(Stored::from_row(selectors)?),
            SourceKindRow::List => Self::List,
        })
    }
}

row!(Selectors as SelectorsRow<'a> {
    item: Cow<'a, str>,
    title: Option<Cow<'a, str>>,
    link: Option<Cow<'a, str>>,
    date: Option<Cow<'a, str>>,
    content: Option<Cow<'a, str>>,
});

/// A state without its model, which has a row of its own: it is large and seldom changes.
#[derive(Serialize, Deserialize)]
pub(crate) struct StateRow<'a> {
    unchanged_at: Option<f64>,
    courtesy: CourtesyRow<'a>,
    next_at: f64,
    title: Option<Cow<'a, str>>,
    home: Option<Cow<'a, str>>,
    document: u64,
    tally: TallyRow,
    quality: EstimateRow,
    recent: List<'a, PastRefresh>,
    trouble: Option<Cow<'a, str>>,
}

impl Stored for SourceState {
    type Row<'a> = StateRow<'a>;

    fn to_row(&self) -> StateRow<'_> {
        StateRow {
            unchanged_at: self.unchanged_at,
            courtesy: self.courtesy.to_row(),
            next_at: self.next_at,
            title: self.title.to_row(),
            home: self.home.to_row(),
            document: self.document,
            tally: self.tally.to_row(),
            quality: self.quality.to_row(),
            recent: self.recent.to_row(),
            trouble: self.trouble.to_row(),
        }
    }

    fn from_row(row: StateRow<'static>) -> Result<Self, Nonsense> {
        Ok(Self {
            schedule: unknown(),
            unchanged_at: row.unchanged_at,
            courtesy: Stored::from_row(row.courtesy)?,
            next_at: row.next_at,
            title: Stored::from_row(row.title)?,
            home: Stored::from_row(row.home)?,
            document: row.document,
            tally: Stored::from_row(row.tally)?,
            quality: Stored::from_row(row.quality)?,
            recent: Stored::from_row(row.recent)?,
            trouble: Stored::from_row(row.trouble)?,
        })
    }
}

row!(Tally as TallyRow {
    requests: u64,
    not_modified: u64,
    failures: u64,
    bytes: u64,
    items: u64,
    updates: u64,
    overruns: u64,
});

row!(PastRefresh as PastRefreshRow {
    at: f64,
    outcome: OutcomeRow,
    new_items: u32,
    bytes: u32,
});

#[derive(Serialize, Deserialize)]
pub(crate) enum OutcomeRow {
    Changed,
    Unchanged,
    Delta,
    Paused,
    Gone,
    Failed(FailureRow),
}

impl Stored for Outcome {
    type Row<'a> = OutcomeRow;

    fn to_row(&self) -> OutcomeRow {
        match self {
            Self::Changed => OutcomeRow::Changed,
            Self::Unchanged => OutcomeRow::Unchanged,
            Self::Delta => OutcomeRow::Delta,
            Self::Paused => OutcomeRow::Paused,
            Self::Gone => OutcomeRow::Gone,
            Self::Failed(kind) => OutcomeRow::Failed(kind.to_row()),
        }
    }

    fn from_row(row: OutcomeRow) -> Result<Self, Nonsense> {
        Ok(match row {
            OutcomeRow::Changed => Self::Changed,
            OutcomeRow::Unchanged => Self::Unchanged,
            OutcomeRow::Delta => Self::Delta,
            OutcomeRow::Paused => Self::Paused,
            OutcomeRow::Gone => Self::Gone,
            OutcomeRow::Failed(kind) => Self::Failed(Stored::from_row(kind)?),
        })
    }
}

variants!(FailureKind as FailureRow {
    Dns,
    PrivateAddress,
    Connect,
    Tls,
    Timeout,
    TooLarge,
    Bomb,
    Redirect,
    Protocol,
    BadUrl,
    Forbidden,
    NotFound,
    ClientError,
    ServerError,
    UnexpectedStatus,
    NotAFeed,
    Unreadable,
});

row!(EstimateParts as EstimateRow { delivered: f64, lost: f64, stale: f64, time: f64 });

impl Stored for Estimate {
    type Row<'a> = EstimateRow;

    fn to_row(&self) -> EstimateRow {
        self.parts().to_row()
    }

    fn from_row(row: EstimateRow) -> Result<Self, Nonsense> {
        Ok(Self::from_parts(Stored::from_row(row)?)?)
    }
}
