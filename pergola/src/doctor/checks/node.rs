//! The node that runs: whether it is ready, what it wants its operator to know, and how its sources stand.

use std::time::Duration;

use pergola_api::operation::NodeStatus;
use pergola_api::source::{SourceFilter, SourceStanding, SourceStatus};
use pergola_api::{Client, ClientError, Code};
use pergola_config::Config;

use super::sources::{Seen, Trouble};
use super::{budget, private, sources};
use crate::doctor::Finding;

const PATIENCE: Duration = Duration::from_secs(10);
/// What to do about something that the node works with.
const ADVICE: &str = "see \"Storage\" in docs/reliability.md";
/// Sources in one answer.
const AT_ONCE: usize = 500;

/// What the node says of itself.
pub(super) async fn all(config: &Config, client: &Client) -> Vec<Finding> {
    let asked = tokio::time::timeout(PATIENCE, ready(client)).await;
    let (status, mut findings) = match asked {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => return vec![unheard(&error)],
        Err(_) => {
            let what = format!("the node did not answer within {} s", PATIENCE.as_secs());
            return vec![Finding::wrong(what, "try again, or read its log")];
        }
    };
    // What was found wrong already is not said again.
    let new = |notice: &&String| !findings.iter().any(|found| found.what == **notice);
    let notices: Vec<&String> = status.notices.iter().filter(new).collect();
    let notices = notices.into_iter();
    findings.extend(notices.map(|notice| Finding::warning(notice, "the node's log says more")));
    match seen(client).await {
        Ok(all) => {
            findings.push(Finding::well(format!("it has {} source(s)", all.len())));
            findings.extend(sources::troubled(&all));
            let mut urls: Vec<String> = all.into_iter().map(|seen| seen.url).collect();
            urls.sort();
            findings.extend(private::all(config, &urls));
            findings.extend(budget::of(config, status.budget_per_minute, urls.len()));
        }
        Err(error) => findings.push(unheard(&error)),
    }
    findings
}

/// Whether it is ready, and its state.
async fn ready(client: &Client) -> Result<(NodeStatus, Vec<Finding>), ClientError> {
    let (readiness, status) = (client.ready().await?, client.status().await?);
    let name = format!("the node {} (pergola {})", status.name, status.version);
    let finding = match readiness.ready {
        true => Finding::well(format!("{name} runs and is ready")),
        false => Finding::wrong(
            format!("{name} runs and is not ready: {}", readiness.reasons.join("; ")),
            "its log says more",
        ),
    };
    let degraded = readiness.degraded.iter().map(|what| Finding::wrong(what, ADVICE));
    Ok((status, std::iter::once(finding).chain(degraded).collect()))
}

/// All sources, page by page.
async fn seen(client: &Client) -> Result<Vec<Seen>, ClientError> {
    let mut filter = SourceFilter { limit: Some(AT_ONCE), ..SourceFilter::default() };
    let mut all = Vec::new();
    loop {
        let page = client.sources(&filter).await?;
        all.extend(page.sources.into_iter().map(as_seen));
        filter.after = page.next;
        if filter.after.is_none() {
            return Ok(all);
        }
    }
}

fn as_seen(source: SourceStatus) -> Seen {
    let SourceStatus { id, url, standing, trouble: why, failing, .. } = source;
    let trouble = match (standing, failing) {
        (SourceStanding::Ended, _) => Some(Trouble::Ended),
        (_, Some(failing)) => {
            let (since, times, kind) = (failing.since.unix(), failing.count, failing.kind);
            Some(Trouble::Fails { since, times, kind, why })
        }
        (_, None) => None,
    };
    Seen { id, url, trouble }
}

fn unheard(error: &ClientError) -> Finding {
    let what = format!("the node does not say how its sources stand: {error}");
    match error {
        ClientError::Refused(problem)
            if matches!(problem.code, Code::TokenNeeded | Code::TokenUnknown) =>
        {
            Finding::warning(what, "give the node's api.token with --token")
        }
        _ => Finding::wrong(what, "its log says more"),
    }
}
