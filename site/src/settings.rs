//! Settings: the budget and what it brings, retention, tokens, users.

use axum::Router;
use axum::extract::{Query, State};
use axum::response::{Html, Response};
use axum::routing::get;
use http::StatusCode;
use pergola_api::operation::{
    BudgetPrediction, BudgetRequest, NodeStatus, PredictionRequest, SetKeyRequest,
};
use pergola_api::{Code, Problem};
use pergola_pages::Markup;
use pergola_pages::inside::settings::{self, Settings, predicted};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Failure, page_with};
use crate::form::{Fields, led_to, refusal};
use crate::site::Site;
use crate::visitor::{Manager, Visitor};

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new()
        .route("/settings", get(show).post(act))
        .route("/settings/prediction", get(predict))
}

#[derive(Debug, Default, Deserialize)]
struct Asked {
    /// A budget to predict.
    #[serde(default)]
    refreshes_per_minute: String,
    #[serde(default)]
    find: String,
    #[serde(default)]
    note: String,
}

/// What was typed, and why it was refused.
#[derive(Default)]
struct Refused {
    /// The key, or `budget`.
    form: String,
    typed: String,
    problem: Option<Problem>,
}

async fn show(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    shown(&site, &visitor, &asked, &Refused::default()).await
}

/// What the buttons do.
async fn act(
    State(site): State<Site>,
    Manager(visitor): Manager,
    fields: Fields,
) -> Result<Response, Failure> {
    let (done, form, typed) = match fields.button() {
        "budget" => {
            let typed = fields.get("refreshes_per_minute").trim();
            (set_budget(&site, typed).await?, "budget", typed)
        }
        "unset" => {
            let key = fields.get("key");
            (site.client.unset_key(key).await.err().map(refusal).transpose()?, key, "")
        }
        _ => {
            let (key, typed) = (fields.get("key"), fields.get("value"));
            let value = SetKeyRequest { value: Value::String(typed.trim().to_owned()) };
            let set = site.client.set_key(key, &value).await;
            (set.err().map(refusal).transpose()?, key, typed)
        }
    };
    let Some(problem) = done else {
        let note = if form == "budget" { "budget" } else { "set" };
        return Ok(led_to(&format!("settings?note={note}")));
    };
    let mut asked = Asked::default();
    if form == "budget" {
        asked.refreshes_per_minute = typed.to_owned();
    }
    let refused =
        Refused { form: form.to_owned(), typed: typed.to_owned(), problem: Some(problem) };
    shown(&site, &visitor, &asked, &refused).await
}

async fn set_budget(site: &Site, typed: &str) -> Result<Option<Problem>, Failure> {
    let Ok(per_minute) = typed.replace(',', ".").parse::<f64>() else {
        let detail = format!("`{typed}` is no number of refreshes; give one such as 30 or 0.5");
        return Ok(Some(Problem::new(Code::BadRequest, detail)));
    };
    let budget =
        BudgetRequest { refreshes_per_minute: Some(per_minute), ..BudgetRequest::default() };
    site.client.set_budget(&budget).await.err().map(refusal).transpose()
}

async fn shown(
    site: &Site,
    visitor: &Visitor,
    asked: &Asked,
    refused: &Refused,
) -> Result<Response, Failure> {
    let status = site.client.status().await?;
    let (keys, names) = (site.client.keys().await?, site.client.names().await?);
    let typed = match asked.refreshes_per_minute.trim() {
        "" => short(status.budget_per_minute),
        typed => typed.to_owned(),
    };
    let prediction = prediction(site, &status, &typed).await?;
    let settings = Settings {
        status: &status,
        keys: &keys.keys,
        readers: &names.readers,
        prediction: &prediction,
        asked: &typed,
        find: &asked.find,
        refused: refused.problem.as_ref().map(|problem| (refused.form.as_str(), problem)),
        typed: &refused.typed,
        note: match asked.note.as_str() {
            "budget" => Some("The budget is saved and holds from now on."),
            "set" => Some("The setting is saved and holds from now on."),
            _ => None,
        },
    };
    let code = refused.problem.as_ref().map_or(StatusCode::OK, |problem| problem.code.status());
    Ok(page_with(code, &settings::page(visitor.viewer(), &settings, Markup::default())))
}

/// A number without more digits than matter.
fn short(number: f64) -> String {
    let rounded: f64 = format!("{number:.3}").parse().unwrap_or(number);
    if rounded > 0.0 { rounded.to_string() } else { number.to_string() }
}

/// What the typed budget brings, and others around the one in force.
async fn prediction(
    site: &Site,
    status: &NodeStatus,
    typed: &str,
) -> Result<BudgetPrediction, Failure> {
    let now = status.budget_per_minute;
    let mut budgets: Vec<f64> = (-4..=4).map(|power| now * f64::from(power).exp2()).collect();
    let typed = typed.replace(',', ".").parse::<f64>().ok();
    if let Some(typed) = typed.filter(|typed| *typed > 0.0 && *typed <= 1e6) {
        // As it is shown, the one in force has fewer digits.
        budgets.retain(|budget| (budget / typed - 1.0).abs() > 1e-3);
        budgets.push(if (typed / now - 1.0).abs() < 1e-3 { now } else { typed });
    }
    let list: Vec<String> = budgets.iter().map(f64::to_string).collect();
    let request = PredictionRequest { refreshes_per_minute: Some(list.join(",")) };
    Ok(site.client.predict_budgets(&request).await?)
}

/// The prediction alone, while somebody moves the slider.
async fn predict(
    State(site): State<Site>,
    _: Manager,
    Query(asked): Query<Asked>,
) -> Result<Html<String>, Failure> {
    let status = site.client.status().await?;
    let prediction = prediction(&site, &status, &asked.refreshes_per_minute).await?;
    Ok(Html(predicted(&prediction, &asked.refreshes_per_minute).into_string()))
}
