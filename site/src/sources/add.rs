//! Adding a source: by its address, by a choice among the feeds of a page, or by selectors.

use axum::Form;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use pergola_api::source::{
    AddSourceRequest, GivenCredentials, LookRequest, Looked, PageSelectors, SeenKind,
};
use pergola_api::{ClientError, Code, Problem};
use pergola_pages::inside::sources::add::{self as pages, Draft, Selectors, Step};
use serde::Deserialize;

use super::{folders, go, refused, said};
use crate::answer::{Failure, page, page_with};
use crate::site::Site;
use crate::visitor::{Manager, Visitor};

/// What the form says.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    url: String,
    title: String,
    folders: String,
    only_new: String,
    private: String,
    user: String,
    password: String,
    item: String,
    item_title: String,
    item_link: String,
    item_date: String,
    /// One of the feeds that a page leads to.
    feed: String,
    /// The button: `look`, `anyway`, `selectors`, `preview` or `page`.
    #[serde(rename = "do")]
    button: String,
}

impl Sent {
    fn draft(&self) -> Draft {
        Draft {
            url: self.url.clone(),
            title: self.title.clone(),
            folders: self.folders.clone(),
            only_new: self.only_new == "yes",
            private: self.private == "yes",
            user: self.user.clone(),
            selectors: Selectors {
                item: self.item.clone(),
                title: self.item_title.clone(),
                link: self.item_link.clone(),
                date: self.item_date.clone(),
            },
        }
    }

    fn selectors(&self) -> PageSelectors {
        PageSelectors {
            item: self.item.trim().to_owned(),
            title: said(&self.item_title),
            link: said(&self.item_link),
            date: said(&self.item_date),
            content: None,
        }
    }

    /// The source that is wanted, at an address.
    fn request(&self, url: &str) -> AddSourceRequest {
        let (user, password) = (self.user.trim().to_owned(), self.password.clone());
        let credentials =
            (!user.is_empty()).then_some(GivenCredentials::Password { user, password });
        AddSourceRequest {
            title: said(&self.title),
            folders: folders(&self.folders),
            only_new: self.only_new == "yes",
            private: self.private == "yes",
            credentials,
            ..AddSourceRequest::new(url.trim())
        }
    }
}

/// What the form shows next.
enum Next {
    Added(Response),
    Choice(Looked),
    Selectors(Option<Looked>),
}

pub(super) async fn form(Manager(visitor): Manager) -> Response {
    page(&pages::page(visitor.viewer(), &Draft::default(), Step::Address, None, false))
}

pub(super) async fn add(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Form(sent): Form<Sent>,
) -> Result<Response, Failure> {
    let next = match sent.button.as_str() {
        _ if !sent.feed.is_empty() => add_at(&site, sent.request(&sent.feed)).await,
        "anyway" => {
            add_at(&site, AddSourceRequest { refresh: false, ..sent.request(&sent.url) }).await
        }
        "selectors" => Ok(Next::Selectors(None)),
        "preview" => tried(&site, &sent).await.map(|looked| Next::Selectors(Some(looked))),
        "page" => {
            let page = Some(sent.selectors());
            add_at(&site, AddSourceRequest { page, ..sent.request(&sent.url) }).await
        }
        _ => look(&site, &sent).await,
    };
    match next {
        Ok(Next::Added(leads)) => Ok(leads),
        Ok(next) => Ok(ask(&visitor, &sent, &next, None)),
        Err(error) => {
            let problem = refused(error)?;
            let with_selectors = matches!(sent.button.as_str(), "preview" | "page");
            let next = with_selectors.then_some(Next::Selectors(None));
            Ok(ask(&visitor, &sent, &next.unwrap_or(Next::Choice(nothing())), Some(&problem)))
        }
    }
}

/// A look that led nowhere.
fn nothing() -> Looked {
    Looked {
        url: String::new(),
        kind: SeenKind::Other,
        title: None,
        feeds: Vec::new(),
        items: Vec::new(),
        found: 0,
        trouble: None,
    }
}

/// The form once more, with what was typed.
fn ask(visitor: &Visitor, sent: &Sent, next: &Next, problem: Option<&Problem>) -> Response {
    let step = match next {
        Next::Choice(looked) if !looked.feeds.is_empty() => Step::Choice(looked),
        Next::Selectors(looked) => Step::Selectors(looked.as_ref()),
        Next::Choice(_) | Next::Added(_) => Step::Address,
    };
    let may_add_anyway = problem.is_some_and(|problem| {
        matches!(problem.code, Code::UnusableSource | Code::WantsQuiet)
            && matches!(step, Step::Address)
    });
    let shown = pages::page(visitor.viewer(), &sent.draft(), step, problem, may_add_anyway);
    page_with(problem.map_or(StatusCode::OK, |problem| problem.code.status()), &shown)
}

/// Adds what is at an address, or asks what is wanted if that is not clear. Whoever gives a password is not asked: the
/// look would go without it.
async fn look(site: &Site, sent: &Sent) -> Result<Next, ClientError> {
    if !sent.user.trim().is_empty() {
        return add_at(site, sent.request(&sent.url)).await;
    }
    let looked = site.client.look(&LookRequest { url: sent.url.clone(), page: None }).await?;
    match (looked.kind, looked.feeds.len()) {
        (SeenKind::Page, 0) => Ok(Next::Selectors(None)),
        (SeenKind::Page, 2..) => Ok(Next::Choice(looked)),
        _ => add_at(site, sent.request(&sent.url)).await,
    }
}

async fn tried(site: &Site, sent: &Sent) -> Result<Looked, ClientError> {
    let page = Some(sent.selectors());
    site.client.look(&LookRequest { url: sent.url.clone(), page }).await
}

async fn add_at(site: &Site, request: AddSourceRequest) -> Result<Next, ClientError> {
    let added = site.client.add_source(&request).await?;
    let note = if added.known { "known" } else { "added" };
    Ok(Next::Added(go(&format!("../sources/{}?note={note}", added.source.id))))
}

/// What selectors find, alone: the script puts it into the page.
pub(super) async fn preview(
    State(site): State<Site>,
    _: Manager,
    Form(sent): Form<Sent>,
) -> Result<Response, Failure> {
    Ok(match tried(&site, &sent).await {
        Ok(looked) => page(&pages::preview(Some(&looked))),
        Err(error) => page(&pages::preview_problem(&*refused(error)?)),
    })
}
