//! Feeds: the list, one feed, making and changing them.

mod list;
mod manage;
mod new;
mod notify;
mod typing;

use axum::Router;
use axum::routing::{get, post};
use pergola_api::feed::{ExplainRequest, Explained};
use pergola_api::{Code, Problem};
use pergola_pages::inside::editor::Edited;

use crate::answer::Failure;
use crate::form::refusal;
use crate::site::Site;

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new()
        .route("/feeds", get(list::show))
        .route("/feeds/new", get(new::show).post(new::act))
        .route("/feeds/check", post(typing::check))
        .route("/feeds/complete", post(typing::complete))
        .route("/feeds/{name}/manage", get(manage::show).post(manage::act))
        .route("/feeds/{name}/restore", post(manage::restore))
}

/// What came of a look at a query.
#[derive(Debug, Default)]
struct Looked {
    problem: Option<Problem>,
    explained: Option<Explained>,
    right: bool,
}

impl Looked {
    fn wrong(problem: Problem) -> Self {
        Self { problem: Some(problem), ..Self::default() }
    }

    fn edited<'a>(&'a self, text: &'a str) -> Edited<'a> {
        Edited {
            text,
            problem: self.problem.as_ref(),
            explained: self.explained.as_ref(),
            right: self.right,
        }
    }
}

/// Looks at a query: only whether it can be read, or also what it finds.
async fn look(site: &Site, query: &str, trial: bool) -> Result<Looked, Failure> {
    let request = ExplainRequest { query: query.to_owned(), trial };
    Ok(match site.client.explain_query(&request).await {
        Ok(explained) => {
            Looked { explained: trial.then_some(explained), right: true, ..Looked::default() }
        }
        Err(error) => match refusal(error)? {
            // Several statements can be run; there is nothing to be tried.
            problem if problem.code == Code::NotOneStatement && !trial => {
                Looked { right: !query.trim().is_empty(), ..Looked::default() }
            }
            problem => Looked::wrong(problem),
        },
    })
}

/// What a page says after something was done.
fn note(done: &str) -> Option<&'static str> {
    Some(match done {
        "created" => "The feed is saved and publishes from now on.",
        "warned" => {
            "The feed is saved. One of its addresses cannot be read now; the node goes on trying."
        }
        "changed" => "The query is changed.",
        "renamed" => "The feed has another name now.",
        "notified" => "New entries are sent from now on.",
        "tested" => "The test was taken.",
        "resumed" => "It is tried again now.",
        "unnotified" => "Nothing is sent there any more.",
        "readers" => "Who may read it is saved.",
        "dropped" => "The feed is dropped. For a week it can be restored.",
        "restored" => "The feed is published again, with its items.",
        "done" => "Done.",
        _ => return None,
    })
}
