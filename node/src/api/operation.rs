//! Running the node: how it stands, its configuration, its budget, its past.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use pergola_config::{Budget, BudgetRule};
use pergola_store::archive::Sample;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asked::{Asking, Json, bad_request};
use super::work::{blocking, to_the_end};
use crate::node::{Node, NodeStatus};
use crate::publish::Problem;

const MINUTE: f64 = 60.0;
/// Minutes told unless others are asked for.
const DAY: u64 = 24 * 60;
/// Minutes told at once.
const LONGEST: u64 = 31 * DAY;
const MOST_PER_MINUTE: f64 = 1_000_000.0;

/// What a new configuration has changed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ReloadedConfig {
    /// What has changed, in words.
    changed: Vec<String>,
    /// Keys whose new values hold after a restart only.
    restart: Vec<String>,
}

/// A budget: one of the first three; the last goes with `freshness`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedBudget {
    /// So many refreshes, on average.
    refreshes_per_minute: Option<f64>,
    /// So many bytes, on average.
    bytes_per_hour: Option<u64>,
    /// As few refreshes as keep this share of windows held.
    freshness: Option<f64>,
    /// Refreshes that are never exceeded for it.
    max_refreshes_per_minute: Option<f64>,
}

/// Which minutes are told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Minutes {
    /// The first, in minutes since 1970; a day ago unless told.
    from: Option<u64>,
    /// The first that is not told; now unless told.
    to: Option<u64>,
}

/// How the node stood, minute by minute.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct History {
    /// Oldest first; minutes in which the node did not run are not there.
    samples: Vec<MinuteSample>,
}

/// How the node stood in one minute.
#[derive(Debug, Serialize, ToSchema)]
struct MinuteSample {
    /// Minutes since 1970.
    minute: u64,
    /// τ.
    threshold: f64,
    /// Refreshes allowed in that minute.
    budget: f64,
    /// Refreshes made.
    refreshes: u32,
    /// … answered that nothing has changed.
    not_modified: u32,
    /// … that failed.
    failures: u32,
    /// Items delivered.
    items: u32,
    /// Bytes received.
    bytes: u64,
    /// Estimated share of items delivered.
    completeness: f64,
    /// Estimated share of windows held.
    freshness: f64,
}

/// How the node stands.
#[utoipa::path(get, path = "/api/v1/status", responses((status = 200, body = NodeStatus)))]
pub(super) async fn status(State(node): State<Arc<Node>>) -> Result<Answer<NodeStatus>, Problem> {
    blocking(node.blocking(), move || Ok(Answer(node.status()))).await
}

/// The configuration in force as TOML; secrets are masked.
#[utoipa::path(get, path = "/api/v1/config", security(("token" = [])),
    responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn config(State(node): State<Arc<Node>>) -> String {
    node.config().show()
}

/// Reads the configuration again and takes over what can be taken over.
#[utoipa::path(post, path = "/api/v1/reload", security(("token" = [])),
    responses((status = 200, body = ReloadedConfig), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
pub(super) async fn reload(
    State(node): State<Arc<Node>>,
) -> Result<Answer<ReloadedConfig>, Problem> {
    let reloaded = to_the_end(async move { Ok(node.reread().await?) }).await?;
    Ok(Answer(ReloadedConfig { changed: reloaded.changed, restart: reloaded.restart }))
}

/// Another budget, until the node is started again.
#[utoipa::path(post, path = "/api/v1/budget", request_body = AskedBudget, security(("token" = [])),
    responses((status = 200, body = NodeStatus), (status = 400, body = Problem)))]
pub(super) async fn budget(
    State(node): State<Arc<Node>>,
    Json(asked): Json<AskedBudget>,
) -> Result<Answer<NodeStatus>, Problem> {
    let burst = node.config().budget.burst;
    let rule = rule(&asked).map_err(bad_request)?;
    node.set_budget(&Budget { rule, burst })?;
    blocking(node.blocking(), move || Ok(Answer(node.status()))).await
}

/// How the node stood, minute by minute.
#[utoipa::path(get, path = "/api/v1/history", params(Minutes), security(("token" = [])),
    responses((status = 200, body = History), (status = 400, body = Problem)))]
pub(super) async fn history(
    State(node): State<Arc<Node>>,
    Asking(minutes): Asking<Minutes>,
) -> Result<Answer<History>, Problem> {
    let now = (node.clock.now() / MINUTE) as u64;
    let to = minutes.to.unwrap_or(now + 1);
    let from = minutes.from.unwrap_or(to.saturating_sub(DAY));
    if from > to || to - from > LONGEST {
        return Err(bad_request(format!("`from` must be before `to`, by {LONGEST} at most")));
    }
    blocking(node.blocking(), move || {
        let samples = node.history(from, to)?.into_iter().map(told).collect();
        Ok(Answer(History { samples }))
    })
    .await
}

fn rule(asked: &AskedBudget) -> Result<BudgetRule, &'static str> {
    let AskedBudget { refreshes_per_minute, bytes_per_hour, freshness, max_refreshes_per_minute } =
        *asked;
    let possible = |per_minute: f64| per_minute > 0.0 && per_minute <= MOST_PER_MINUTE;
    match (refreshes_per_minute, bytes_per_hour, freshness, max_refreshes_per_minute) {
        (Some(per_minute), None, None, None) if possible(per_minute) => {
            Ok(BudgetRule::Refreshes { per_minute })
        }
        (None, Some(per_hour), None, None) if (1_000..=1 << 50).contains(&per_hour) => {
            Ok(BudgetRule::Bytes { per_hour })
        }
        (None, None, Some(at_least), Some(most_per_minute))
            if at_least > 0.0 && at_least < 1.0 && possible(most_per_minute) =>
        {
            Ok(BudgetRule::Freshness { at_least, most_per_minute })
        }
        _ => Err("a budget is `refreshes_per_minute` (above 0, up to 1000000), or \
                  `bytes_per_hour` (at least 1000), or `freshness` (between 0 and 1) together \
                  with `max_refreshes_per_minute`"),
    }
}

fn told((minute, sample): (u64, Sample)) -> MinuteSample {
    MinuteSample {
        minute,
        threshold: sample.threshold,
        budget: sample.budget,
        refreshes: sample.refreshes,
        not_modified: sample.not_modified,
        failures: sample.failures,
        items: sample.items,
        bytes: sample.bytes,
        completeness: sample.completeness,
        freshness: sample.freshness,
    }
}
