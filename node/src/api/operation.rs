//! Running the node: its status, configuration, budget and history.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use pergola_api::Instant;
use pergola_api::neighbours::Neighbours;
use pergola_api::operation::{
    BudgetPrediction, BudgetRequest, ConfigKey, History, HistoryRange, KeyList, KeySetting,
    MinuteSample, Names, NodeStatus, PredictionRequest, Reloaded, SetKeyRequest,
};
use pergola_config::{Budget, BudgetRule, Origin};
use pergola_store::archive::Sample;
use serde_json::Value;

use super::request::{Json, Named, Parameters, bad_request};
use super::work::{blocking, to_the_end};
use crate::node::{Node, ReloadError, SetError};
use crate::publish::Refusal;

const MINUTE: f64 = 60.0;
/// Minutes that are shown by default.
const DAY: u64 = 24 * 60;
/// Minutes that are shown at once.
const LONGEST: u64 = 31 * DAY;
const MOST_PER_MINUTE: f64 = 1_000_000.0;
/// Budgets that are predicted at once.
const MOST_PREDICTED: usize = 50;
const PREDICTED: &str = "`refreshes_per_minute` must be at most 50 numbers, each above 0 and up to 1000000, separated \
                         by commas";

pub(super) async fn status(State(node): State<Arc<Node>>) -> Result<Answer<NodeStatus>, Refusal> {
    blocking(node.blocking(), move || Ok(Answer(node.status()))).await
}

pub(super) async fn config(State(node): State<Arc<Node>>) -> String {
    node.config().show()
}

pub(super) async fn keys(State(node): State<Arc<Node>>) -> Answer<KeyList> {
    let keys = node.config().keys().into_iter().map(|key| ConfigKey {
        key: key.name,
        value: key.value,
        origin: key.origin.to_string(),
        help: key.help,
        settable: key.settable,
    });
    Answer(KeyList { keys: keys.collect() })
}

pub(super) async fn names(State(node): State<Arc<Node>>) -> Answer<Names> {
    let (folders, readers) = node.names();
    Answer(Names { folders, readers })
}

pub(super) async fn neighbours(
    State(node): State<Arc<Node>>,
) -> Result<Answer<Neighbours>, Refusal> {
    blocking(node.blocking(), move || Ok(Answer(node.neighbours()?))).await
}

pub(super) async fn predict(
    State(node): State<Arc<Node>>,
    Parameters(request): Parameters<PredictionRequest>,
) -> Result<Answer<BudgetPrediction>, Refusal> {
    let number = |text: &str| {
        text.trim().parse().ok().filter(|&budget| budget > 0.0 && budget <= MOST_PER_MINUTE)
    };
    let budgets = request.refreshes_per_minute.as_deref();
    let budgets = budgets.map(|list| list.split(',').map(number).collect::<Option<Vec<f64>>>());
    let budgets = match budgets {
        Some(None) => return Err(bad_request(PREDICTED)),
        Some(Some(many)) if many.len() > MOST_PREDICTED => return Err(bad_request(PREDICTED)),
        Some(some) => some,
        None => None,
    };
    blocking(node.blocking(), move || Ok(Answer(node.predict(budgets)))).await
}

pub(super) async fn set_key(
    State(node): State<Arc<Node>>,
    Named(key): Named,
    Json(request): Json<SetKeyRequest>,
) -> Result<Answer<KeySetting>, Refusal> {
    let value = match request.value {
        Value::String(text) => text,
        Value::Null | Value::Object(_) => {
            return Err(bad_request("`value` must be text, a number, true, false or a list"));
        }
        other => other.to_string(),
    };
    to_the_end(async move {
        node.set_keys(&[(&key, Some(&value))]).await?;
        let (value, origin) = node.config().key(&key).unwrap_or((None, Origin::Default));
        Ok(Answer(KeySetting { key, value, origin: origin.to_string() }))
    })
    .await
}

pub(super) async fn unset_key(
    State(node): State<Arc<Node>>,
    Named(key): Named,
) -> Result<StatusCode, Refusal> {
    to_the_end(async move { Ok(node.set_keys(&[(&key, None)]).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn reload(State(node): State<Arc<Node>>) -> Result<Answer<Reloaded>, Refusal> {
    to_the_end(async move { Ok(Answer(node.reread().await?)) }).await
}

pub(super) async fn set_budget(
    State(node): State<Arc<Node>>,
    Json(request): Json<BudgetRequest>,
) -> Result<Answer<NodeStatus>, Refusal> {
    let rule = rule(&request).map_err(bad_request)?;
    let changing = Arc::clone(&node);
    to_the_end(async move { store_budget(&changing, &request, rule).await }).await?;
    blocking(node.blocking(), move || Ok(Answer(node.status()))).await
}

async fn store_budget(
    node: &Node,
    request: &BudgetRequest,
    rule: BudgetRule,
) -> Result<(), Refusal> {
    let number = |number: Option<f64>| number.map(|number| number.to_string());
    let keys = [
        ("budget.refreshes_per_minute", number(request.refreshes_per_minute)),
        ("budget.bytes_per_hour", request.bytes_per_hour.map(|bytes| bytes.to_string())),
        ("budget.freshness", number(request.freshness)),
        ("budget.max_refreshes_per_minute", number(request.max_refreshes_per_minute)),
    ];
    let keys: Vec<_> = keys.iter().map(|(key, value)| (*key, value.as_deref())).collect();
    match node.set_keys(&keys).await {
        // A node inside another program, which has no file: the budget holds until it stops.
        Err(SetError::Reload(ReloadError::NoReader)) => {
            let burst = node.config().budget.burst;
            Ok(node.set_budget(Budget { rule, burst })?)
        }
        stored => Ok(stored?),
    }
}

pub(super) async fn history(
    State(node): State<Arc<Node>>,
    Parameters(range): Parameters<HistoryRange>,
) -> Result<Answer<History>, Refusal> {
    let now = (node.clock.now() / MINUTE) as u64;
    let minute = |at: Instant| (at.unix() / MINUTE) as u64;
    let to = range.to.map_or(now + 1, minute);
    let from = range.from.map_or(to.saturating_sub(DAY), minute);
    if from > to || to - from > LONGEST {
        return Err(bad_request("`from` must be before `to`, by at most 31 days"));
    }
    blocking(node.blocking(), move || {
        let samples = node.history(from, to)?.into_iter().map(sample).collect();
        Ok(Answer(History { samples }))
    })
    .await
}

fn rule(request: &BudgetRequest) -> Result<BudgetRule, &'static str> {
    let BudgetRequest { refreshes_per_minute, bytes_per_hour, freshness, max_refreshes_per_minute } =
        *request;
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

/// A share, unless it was not known.
fn known(share: f64) -> Option<f64> {
    (!share.is_nan()).then_some(share)
}

fn sample((minute, sample): (u64, Sample)) -> MinuteSample {
    MinuteSample {
        minute: Instant::from_unix(minute as f64 * MINUTE),
        threshold: sample.threshold,
        budget: sample.budget,
        refreshes: sample.refreshes,
        not_modified: sample.not_modified,
        failures: sample.failures,
        items: sample.items,
        bytes: sample.bytes,
        completeness: known(sample.completeness),
        freshness: known(sample.freshness),
    }
}
