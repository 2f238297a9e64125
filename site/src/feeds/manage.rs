//! One feed, managed.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;
use pergola_api::feed::{Applied, FeedReaders, QueryRequest};
use pergola_api::{Code, Problem};
use pergola_pages::inside::editor::renamed;
use pergola_pages::inside::feeds::{self, Managed};
use pergola_pages::inside::in_path;
use serde::Deserialize;

use super::{Looked, look, note, notify};
use crate::answer::{Failure, page_with};
use crate::form::{Fields, led_to, lines, refusal};
use crate::site::Site;
use crate::visitor::{Manager, Visitor};

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    note: String,
}

/// What was typed, and what came of it.
#[derive(Default)]
struct Changing {
    /// The query as it was typed, if it was.
    query: Option<String>,
    looked: Looked,
    renaming: Option<(String, Problem)>,
    refused: Option<Problem>,
    /// The query that was shown when somebody began to change it; nothing for the one that is stored.
    was: Option<String>,
    /// The form of a notification that was not taken.
    notifying: Fields,
    /// The secret of a webhook that was just added.
    secret: Option<String>,
    note: Option<&'static str>,
}

/// The page of a feed.
pub(super) async fn show(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(name): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    let changing = Changing { note: note(&asked.note), ..Changing::default() };
    changing.shown(&site, &visitor, &name).await
}

/// What the buttons do.
pub(super) async fn act(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, Failure> {
    let was = Some(fields.get("was")).filter(|was| !was.is_empty()).map(str::to_owned);
    let mut changing = Changing { was, ..Changing::default() };
    let query = fields.get("query").to_owned();
    match fields.button() {
        button @ ("check" | "try") => {
            changing.looked = look(&site, &query, button == "try").await?;
            changing.query = Some(query);
        }
        "save" if changing.is_stale(&site, &name).await? => {
            changing.looked = Looked::wrong(stale());
            changing.was = None;
            changing.query = Some(query);
        }
        "save" => match site.client.run_statements(&QueryRequest::new(query.clone())).await {
            Ok(done) => return Ok(led_to(&after(&done.applied))),
            Err(error) => {
                changing.looked = Looked::wrong(refusal(error)?);
                changing.query = Some(query);
            }
        },
        "readers" => {
            let readers = FeedReaders { readers: readers(&fields) };
            match site.client.set_readers(&name, &readers).await {
                Ok(_) => return Ok(led_to("manage?note=readers")),
                Err(error) => changing.refused = Some(refusal(error)?),
            }
        }
        "rename" => {
            let to = fields.get("to").trim();
            match rename(&site, &name, to).await? {
                None => return Ok(led_to(&format!("../{}/manage?note=renamed", in_path(to)))),
                Some(problem) => changing.renaming = Some((to.to_owned(), problem)),
            }
        }
        button @ ("webhook" | "mail" | "test" | "resume" | "unnotify") => {
            match notify::change(&site, &name, button, &fields).await {
                Ok(notify::Done::Led(note)) => return Ok(led_to(&format!("manage?note={note}"))),
                Ok(notify::Done::Secret(secret)) => changing.secret = Some(secret),
                Err(error) => {
                    changing.refused = Some(refusal(error)?);
                    changing.notifying = fields;
                }
            }
        }
        "drop" if fields.has("sure") => match site.client.drop_feed(&name).await {
            Ok(()) => return Ok(led_to("../../feeds?note=dropped")),
            Err(error) => changing.refused = Some(refusal(error)?),
        },
        "drop" => {
            let detail = "to drop the feed, check the box that says so";
            changing.refused = Some(Problem::new(Code::BadRequest, detail));
        }
        _ => {}
    }
    changing.shown(&site, &visitor, &name).await
}

/// Publishes a feed again that was dropped.
pub(super) async fn restore(
    State(site): State<Site>,
    _: Manager,
    Path(name): Path<String>,
) -> Result<Response, Failure> {
    site.client.restore_feed(&name).await?;
    Ok(led_to("manage?note=restored"))
}

/// Gives a feed another name; says why not.
async fn rename(site: &Site, from: &str, to: &str) -> Result<Option<Problem>, Failure> {
    let statement = match renamed(from, to) {
        Ok(statement) => statement,
        Err(error) => {
            let detail = format!("this cannot be the name of a feed: {error}");
            return Ok(Some(Problem::new(Code::BadQuery, detail)));
        }
    };
    match site.client.run_statements(&QueryRequest::new(statement)).await {
        Ok(_) => Ok(None),
        Err(error) => Ok(Some(refusal(error)?)),
    }
}

/// Who may read the feed: nothing for anybody.
fn readers(fields: &Fields) -> Option<Vec<String>> {
    match fields.get("who") {
        "nobody" => Some(Vec::new()),
        "some" => Some(fields.all("reader")),
        _ => None,
    }
}

/// Why a change is not saved that was begun before another one.
fn stale() -> Problem {
    let detail = "Somebody has changed it since this page was opened, perhaps you in another window. Nothing was \
                  saved. Its query above is the one that counts now; below is what you have typed. Take over what you \
                  need, and save once more.";
    Problem {
        title: "The query is another one by now".to_owned(),
        ..Problem::new(Code::QueryConflict, detail)
    }
}

/// The page after statements were run.
fn after(applied: &[Applied]) -> String {
    match applied {
        [Applied::Changed { name, .. }] => format!("../{}/manage?note=changed", in_path(name)),
        _ => "../../feeds?note=done".to_owned(),
    }
}

impl Changing {
    /// Whether the query has changed since it was shown.
    async fn is_stale(&self, site: &Site, name: &str) -> Result<bool, Failure> {
        let Some(was) = &self.was else { return Ok(false) };
        Ok(lines(&site.client.feed(name).await?.status.query) != *was)
    }

    async fn shown(&self, site: &Site, visitor: &Visitor, name: &str) -> Result<Response, Failure> {
        let feed = site.client.feed(name).await?;
        let readers = site.client.readers(name).await?;
        let names = site.client.names().await?;
        let notified = site.client.notifications(name).await?;
        let as_it_is = feed.status.query.replacen("CREATE FEED", "ALTER FEED", 1);
        let text = self.query.as_deref().unwrap_or(&as_it_is);
        let was = self.was.as_deref().unwrap_or(&feed.status.query);
        let managed = Managed {
            feed: &feed,
            readers: readers.readers.as_deref(),
            notified: &notified.notifications,
            secret: self.secret.as_deref(),
            typed: notify::typed(&self.notifying),
            was,
            known: &names.readers,
            edited: self.looked.edited(text),
            renaming: self.renaming.as_ref().map(|(to, problem)| (to.as_str(), problem)),
            refused: self.refused.as_ref(),
            note: self.note,
        };
        let renaming = self.renaming.as_ref().map(|(_, problem)| problem);
        let problem = self.refused.as_ref().or(self.looked.problem.as_ref()).or(renaming);
        let status = problem.map_or(StatusCode::OK, |problem| problem.code.status());
        Ok(page_with(status, &feeds::manage(visitor.viewer(), &managed)))
    }
}
