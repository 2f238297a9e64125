//! A new feed.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use pergola_api::Code;
use pergola_api::feed::{Applied, AppliedList, QueryRequest};
use pergola_api::source::{SourceFilter, SourceKind};
use pergola_pages::inside::editor::Draft;
use pergola_pages::inside::feeds::{self, Choice, NewFeed};
use pergola_pages::inside::in_path;
use tower::ServiceExt as _;

use super::{Looked, look};
use crate::answer::{Failure, page_with};
use crate::form::{Fields, led_to, refusal};
use crate::site::Site;
use crate::visitor::{Manager, Visitor};

/// Sources that can be chosen at once.
const CHOICES: usize = 40;

/// The empty form. To those who may make no feeds, a feed may have this name.
pub(super) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    request: Request,
) -> Result<Response, Failure> {
    if visitor == Visitor::Stranger {
        let Ok(answer) = site.inner.clone().oneshot(request).await;
        return Ok(answer);
    }
    let made = Made::default();
    made.shown(&site, &visitor, StatusCode::OK).await
}

/// What was typed, and what came of it.
#[derive(Default)]
struct Made {
    draft: Draft,
    query: String,
    find: String,
    looked: Looked,
    unsaid: Option<(&'static str, &'static str)>,
}

/// What the buttons do. Nothing that was typed is lost.
pub(super) async fn act(
    State(site): State<Site>,
    Manager(visitor): Manager,
    fields: Fields,
) -> Result<Response, Failure> {
    let mut made = Made {
        draft: draft(&fields),
        query: fields.get("query").to_owned(),
        find: fields.get("find").to_owned(),
        ..Made::default()
    };
    let button = fields.button();
    // Whoever fills in the form and saves means what it says.
    if button == "write" || (button != "find" && made.query.trim().is_empty()) {
        match made.draft.query() {
            Ok(query) => made.query = query,
            Err(unsaid) => {
                made.unsaid = Some((unsaid.field, unsaid.why));
                return made.shown(&site, &visitor, StatusCode::UNPROCESSABLE_ENTITY).await;
            }
        }
    }
    match button {
        "check" => made.looked = look(&site, &made.query, false).await?,
        "write" | "try" => made.looked = look(&site, &made.query, true).await?,
        "save" => {
            let force = fields.has("force");
            let request = QueryRequest { query: made.query.clone(), force };
            match site.client.run_statements(&request).await {
                Ok(applied) => return Ok(led_to(&after(&applied))),
                Err(error) => made.looked = Looked::wrong(refusal(error)?),
            }
        }
        _ => {}
    }
    let status = made.looked.problem.as_ref().map_or(StatusCode::OK, |it| it.code.status());
    made.shown(&site, &visitor, status).await
}

/// The page after statements were run.
fn after(applied: &AppliedList) -> String {
    let created = applied.applied.iter().find_map(|done| match done {
        Applied::Created { name, .. } => Some(name),
        _ => None,
    });
    let note = if applied.warnings.is_empty() { "created" } else { "warned" };
    match created {
        Some(name) => format!("{}/manage?note={note}", in_path(name)),
        None => "../feeds?note=done".to_owned(),
    }
}

fn draft(fields: &Fields) -> Draft {
    let text = |name: &str| fields.get(name).to_owned();
    Draft {
        name: text("name"),
        all: fields.has("all"),
        folders: fields.all("folder"),
        sources: fields.all("source"),
        addresses: text("addresses"),
        contain: text("contain"),
        exclude: text("exclude"),
        window: text("window"),
        keep: text("keep"),
    }
}

impl Made {
    async fn shown(
        &self,
        site: &Site,
        visitor: &Visitor,
        status: StatusCode,
    ) -> Result<Response, Failure> {
        let (sources, more) = self.choices(site).await?;
        let names = site.client.names().await?;
        let unreadable = |problem: &pergola_api::Problem| problem.code == Code::UnreadableAddress;
        let new = NewFeed {
            draft: &self.draft,
            unsaid: self.unsaid,
            sources: &sources,
            more,
            find: &self.find,
            folders: &names.folders,
            edited: self.looked.edited(&self.query),
            may_force: self.looked.problem.as_ref().is_some_and(unreadable),
        };
        let shown = feeds::new(visitor.viewer(), &new);
        Ok(page_with(status, &shown))
    }

    /// The sources that were chosen, and some that fit what is searched for; whether there are more.
    async fn choices(&self, site: &Site) -> Result<(Vec<Choice>, bool), Failure> {
        let search = Some(self.find.trim().to_owned()).filter(|find| !find.is_empty());
        let filter = SourceFilter { search, limit: Some(CHOICES), ..SourceFilter::default() };
        let found = site.client.sources(&filter).await?;
        let chosen = &self.draft.sources;
        let mut choices: Vec<Choice> = chosen
            .iter()
            .map(|url| {
                let known = found.sources.iter().find(|source| source.url == *url);
                let title = known.and_then(|source| source.title.clone());
                Choice { url: url.clone(), title, chosen: true }
            })
            .collect();
        let fits =
            |kind: SourceKind, url: &String| kind != SourceKind::List && !chosen.contains(url);
        let others = found.sources.into_iter().filter(|source| fits(source.kind, &source.url));
        let other = others.map(|it| Choice { url: it.url, title: it.title, chosen: false });
        choices.extend(other);
        Ok((choices, found.next.is_some()))
    }
}
