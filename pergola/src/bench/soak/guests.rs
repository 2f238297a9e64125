//! Sources and feeds that come and go while the node runs.

use std::collections::VecDeque;

use anyhow::{Context, Result};
use pergola_api::client::Client;
use pergola_api::feed::QueryRequest;
use pergola_api::source::AddSourceRequest;

use super::press;

/// So many are there at once.
const AT_ONCE: usize = 4;

/// The guests that are there.
pub(super) struct Guests {
    addresses: Vec<String>,
    there: VecDeque<usize>,
    /// Guests so far.
    pub(super) came: usize,
}

impl Guests {
    pub(super) fn new(addresses: Vec<String>) -> Self {
        Self { addresses, there: VecDeque::new(), came: 0 }
    }

    /// One comes, with a feed of its own, and if there are too many, the oldest goes.
    pub(super) async fn next(&mut self, client: &Client) -> Result<()> {
        let number = self.came;
        let url = self.url(number);
        client.add_source(&AddSourceRequest::new(&url)).await.context("a source was not added")?;
        // Only of the guest: what is removed is kept for a week, and feeds of everything would keep everything.
        let feed = feed(number);
        let query = format!("CREATE FEED {feed} AS RETURN \"{url}\";");
        client.run_statements(&QueryRequest::new(query)).await.context("a feed was not created")?;
        self.there.push_back(number);
        self.came += 1;
        if self.there.len() > AT_ONCE
            && let Some(oldest) = self.there.pop_front()
        {
            client.drop_feed(&self::feed(oldest)).await.context("a feed was not dropped")?;
            let url = self.url(oldest);
            client.remove_source(&url).await.context("a source was not removed")?;
        }
        Ok(())
    }

    fn url(&self, number: usize) -> String {
        press::url(&self.addresses, number, &press::guest(number))
    }
}

/// The same name comes back after a while.
fn feed(number: usize) -> String {
    format!("Guest{}", number % (2 * AT_ONCE))
}
