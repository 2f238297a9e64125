//! Who is sent the new entries of a feed.

/// Somebody who is sent the new entries of a feed. All of a feed are one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// Random, made once: deliveries are named by it.
    pub id: String,
    /// Where it goes.
    pub way: Way,
    /// Since when.
    pub since: f64,
    /// The number of the first entry that was not delivered.
    pub next: u64,
    /// The end of the delivery that has begun; as `next` if none has.
    pub until: u64,
    /// Nothing is sent before.
    pub due_at: f64,
    /// When something was last delivered.
    pub delivered_at: Option<f64>,
    /// What went wrong since then.
    pub trouble: Option<Trouble>,
    /// It failed for too long, and waits for somebody.
    pub paused: bool,
}

/// Where notifications go.
#[derive(Clone, PartialEq)]
pub enum Way {
    /// To an address, signed with a secret.
    Webhook {
        /// The address.
        url: String,
        /// What is signed with.
        secret: String,
    },
    /// To a person, many entries in one message.
    Mail {
        /// The person.
        address: String,
        /// How often.
        every: Every,
    },
}

/// Addresses may have secrets, too.
impl std::fmt::Debug for Way {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Webhook { .. } => formatter.write_str("Webhook(…)"),
            Self::Mail { every, .. } => write!(formatter, "Mail(…, {every:?})"),
        }
    }
}

/// How often a digest is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// Once an hour.
    Hour,
    /// Once a day.
    Day,
    /// Once a week.
    Week,
}

/// Deliveries that failed, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    /// When the first of them failed.
    pub since: f64,
    /// How many.
    pub tries: u32,
    /// Why the last of them failed, in words.
    pub last: String,
}
