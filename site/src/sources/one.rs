//! One source: shown, changed, paused, refreshed, removed and restored.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use pergola_api::Code;
use pergola_api::next::RefreshRequest;
use pergola_api::source::{ChangeSourceRequest, GivenCredentials, SourceDetail};
use pergola_api::{ClientError, Problem};
use pergola_pages::inside::sources::edit::{self, Draft};
use pergola_pages::inside::sources::one::{self, One};
use pergola_pages::inside::sources::removed as removed_page;
use serde::Deserialize;

use super::{folders, go, refused, said};
use crate::answer::{Failure, page, page_with};
use crate::site::Site;
use crate::visitor::Manager;

/// What the address of a page says.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Said {
    note: Option<String>,
}

/// The source of a number. Addresses have characters that no path should have.
async fn source(site: &Site, id: &str) -> Result<SourceDetail, Failure> {
    match id.parse::<u32>() {
        Ok(number) => Ok(site.client.source(&number.to_string()).await?),
        Err(_) => Err(Failure::new(Code::UnknownSource, "sources have numbers, and this is none")),
    }
}

pub(super) async fn show(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(id): Path<String>,
    Query(said): Query<Said>,
) -> Result<Response, Failure> {
    let detail = source(&site, &id).await?;
    Ok(page(&one::page(&One {
        viewer: visitor.viewer(),
        root: "../",
        detail: &detail,
        now: site.node.clock.now(),
        note: said.note.as_deref(),
        refused: None,
    })))
}

pub(super) async fn pause(
    State(site): State<Site>,
    _: Manager,
    Path(id): Path<u32>,
) -> Result<Response, Failure> {
    set_paused(&site, id, true).await
}

pub(super) async fn resume(
    State(site): State<Site>,
    _: Manager,
    Path(id): Path<u32>,
) -> Result<Response, Failure> {
    set_paused(&site, id, false).await
}

async fn set_paused(site: &Site, id: u32, paused: bool) -> Result<Response, Failure> {
    let change = ChangeSourceRequest { paused: Some(paused), ..ChangeSourceRequest::default() };
    site.client.change_source(&id.to_string(), &change).await?;
    let note = if paused { "paused" } else { "resumed" };
    Ok(go(&format!("../../sources/{id}?note={note}")))
}

/// Whether to ask although the node would rather wait.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Insists {
    force: String,
}

pub(super) async fn refresh(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(id): Path<u32>,
    Form(insists): Form<Insists>,
) -> Result<Response, Failure> {
    let request = RefreshRequest { force: insists.force == "yes" };
    let problem = match site.client.refresh_source(&id.to_string(), request).await {
        Ok(done) => {
            let note = match done.report.outcome.as_str() {
                "changed" | "delta" if done.report.new_items > 0 => "refreshed",
                "changed" | "delta" | "unchanged" => "unchanged",
                _ => "failed",
            };
            return Ok(go(&format!("../../sources/{id}?note={note}")));
        }
        Err(ClientError::Refused(problem))
            if matches!(problem.code, Code::TooEarly | Code::WantsQuiet) =>
        {
            problem
        }
        Err(error) => return Err(error.into()),
    };
    let detail = source(&site, &id.to_string()).await?;
    let can_force = problem.code == Code::TooEarly;
    let shown = one::page(&One {
        viewer: visitor.viewer(),
        root: "../../",
        detail: &detail,
        now: site.node.clock.now(),
        note: None,
        refused: Some((&problem, can_force)),
    });
    // The page stands where its form was sent, one folder deeper than usual.
    Ok(page_with(problem.code.status(), &shown))
}

pub(super) async fn edit_form(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let source = source(&site, &id).await?.source;
    Ok(page(&edit::page(visitor.viewer(), &source, &Draft::of(&source), None)))
}

/// What the form says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Edited {
    title: String,
    folders: String,
    importance: String,
    private: String,
    credentials: String,
    user: String,
    password: String,
    header: String,
    value: String,
    was: String,
}

pub(super) async fn edit(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(id): Path<u32>,
    Form(edited): Form<Edited>,
) -> Result<Response, Failure> {
    let source = source(&site, &id.to_string()).await?.source;
    let stored = Draft::stored(&source);
    let stale = !edited.was.is_empty() && edited.was != stored;
    let changed = match change(&edited) {
        _ if stale => Err(ClientError::Refused(Box::new(changed_meanwhile(&stored)))),
        Ok(change) => site.client.change_source(&id.to_string(), &change).await,
        Err(problem) => Err(ClientError::Refused(problem)),
    };
    let problem = match changed {
        Ok(_) => return Ok(go(&format!("../../sources/{id}?note=changed"))),
        Err(error) => refused(error)?,
    };
    let draft = Draft {
        title: edited.title,
        folders: edited.folders,
        importance: edited.importance,
        private: edited.private == "yes",
        credentials: edited.credentials,
        user: edited.user,
        header: edited.header,
        was: if stale { stored } else { edited.was },
    };
    let shown = edit::page(visitor.viewer(), &source, &draft, Some(&problem));
    Ok(page_with(problem.code.status(), &shown))
}

/// Why a change is not saved that was begun before another one.
fn changed_meanwhile(stored: &str) -> Problem {
    let detail = format!(
        "somebody has changed this source since the page was opened, perhaps you in another window, so nothing was \
         saved. It has now: {stored}. Below is what you have typed: look through it, and save once more"
    );
    Problem::new(Code::SourceInUse, detail)
}

/// The changes that a form asks for, or what is wrong with it.
fn change(edited: &Edited) -> Result<ChangeSourceRequest, Box<Problem>> {
    let importance = edited.importance.trim().replace(',', ".");
    let importance = match importance.parse() {
        Ok(importance) => Some(importance),
        Err(_) if importance.is_empty() => Some(1.0),
        Err(_) => {
            let detail = format!("the importance must be a number, and {importance:?} is none");
            return Err(Box::new(Problem::new(Code::BadRequest, detail)));
        }
    };
    let credentials = match edited.credentials.as_str() {
        "none" => Some(None),
        "password" => Some(Some(GivenCredentials::Password {
            user: edited.user.clone(),
            password: edited.password.clone(),
        })),
        "header" => Some(Some(GivenCredentials::Header {
            header: edited.header.clone(),
            value: edited.value.clone(),
        })),
        _ => None,
    };
    Ok(ChangeSourceRequest {
        title: Some(said(&edited.title)),
        folders: Some(folders(&edited.folders)),
        importance,
        private: Some(edited.private == "yes"),
        credentials,
        paused: None,
    })
}

pub(super) async fn removal(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let detail = source(&site, &id).await?;
    Ok(page(&edit::removal(visitor.viewer(), &detail, None)))
}

pub(super) async fn remove(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(id): Path<u32>,
) -> Result<Response, Failure> {
    let problem = match site.client.remove_source(&id.to_string()).await {
        Ok(()) => return Ok(go("../../sources?note=removed")),
        Err(error) => refused(error)?,
    };
    let detail = source(&site, &id.to_string()).await?;
    let shown = edit::removal(visitor.viewer(), &detail, Some(&problem));
    Ok(page_with(problem.code.status(), &shown))
}

pub(super) async fn removed(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Query(said): Query<Said>,
) -> Result<Response, Failure> {
    let removed = site.client.removed().await?.sources;
    let (now, note) = (site.node.clock.now(), said.note.as_deref());
    Ok(page(&removed_page::page(visitor.viewer(), &removed, now, note, None)))
}

pub(super) async fn restore(
    State(site): State<Site>,
    _: Manager,
    Path(id): Path<u32>,
) -> Result<Response, Failure> {
    site.client.restore_source(&id.to_string()).await?;
    Ok(go(&format!("../../sources/{id}?note=restored")))
}
