//! `[api]`: who may change the node.

use crate::secret::{Secret, secret};
use crate::table::Table;

/// `[api]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// Without it the API refuses changes, unless the node listens on loopback only.
    pub token: Option<Secret>,
}

impl Api {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("Who may change the node.");
        Self {
            token: table
                .key(
                    "token",
                    "The token that a request must carry to change something. Keep it in a file of its \
                     own, so that you can show this one to others.",
                )
                .secret(secret(), "at least sixteen characters", |api| api.token.clone()),
        }
    }
}
