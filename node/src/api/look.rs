//! A look at an address before it is added.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use pergola_api::Code;
use pergola_api::source::{LookRequest, Looked, SeenFeed, SeenItem, SeenKind};
use pergola_feed::Document;
use pergola_feed::address::masked;
use pergola_manners::courtesy::FailureKind;
use pergola_manners::look::{Fetched, Sight};
use url::Url;

use super::address::meant;
use super::request::{Json, bad_request};
use super::sources::{selectors, short};
use super::work::blocking;
use crate::crawl::driver::NoSight;
use crate::node::{NewSource, Node};
use crate::publish::Refusal;

/// Items that are shown.
const SHOWN: usize = 10;
/// Characters of a title that are shown.
const TITLE: usize = 300;

pub(super) async fn look(
    State(node): State<Arc<Node>>,
    Json(request): Json<LookRequest>,
) -> Result<Answer<Looked>, Refusal> {
    short(&request.url)?;
    let page = request.page.map(selectors).transpose()?;
    let (asked, fetched) = fetch(&node, &request.url, page.is_some()).await?;
    blocking(node.blocking(), move || {
        let sight = fetched.look(page.as_ref(), &node.document_limits());
        Ok(Answer(told(&asked, sight)))
    })
    .await
}

/// What is at the address that is meant: the first one that answers.
async fn fetch(node: &Node, text: &str, as_page: bool) -> Result<(Url, Arc<Fetched>), Refusal> {
    let mut meant = meant(text).into_iter();
    while let Some(text) = meant.next() {
        let url = NewSource::feed(&text)?.url;
        match node.look_at(&url, as_page).await {
            Ok(fetched) => return Ok((url, fetched)),
            Err(NoSight::Failed(failure)) if meant.len() > 0 && is_away(failure.kind) => {}
            Err(NoSight::Failed(failure)) => {
                let detail = format!("{} cannot be read: {}", masked(url.as_str()), failure.words);
                return Err(Refusal::new(Code::UnusableSource, detail).hint("check the address"));
            }
            Err(NoSight::Quiet(until)) => {
                let host = url.host_str().unwrap_or_default();
                let detail = format!("{host} has asked for quiet, and is left alone until then");
                return Err(Refusal::new(Code::WantsQuiet, detail).retry_at(until));
            }
        }
    }
    Err(bad_request("`url` must be an address"))
}

/// Whether another protocol may be worth a try.
fn is_away(kind: FailureKind) -> bool {
    use FailureKind::{Connect, Protocol, Timeout, Tls};
    matches!(kind, Connect | Tls | Timeout | Protocol)
}

fn told(asked: &Url, sight: Sight) -> Looked {
    let mut looked = Looked {
        url: masked(asked.as_str()).into_owned(),
        kind: SeenKind::Page,
        title: None,
        feeds: Vec::new(),
        items: Vec::new(),
        found: 0,
        trouble: None,
    };
    match sight {
        Sight::Feed(document) => {
            looked.kind = SeenKind::Feed;
            show(&mut looked, *document);
        }
        Sight::Selected(Ok(document)) => show(&mut looked, *document),
        Sight::Selected(Err(words)) => looked.trouble = Some(words),
        Sight::Page { title, feeds } => {
            looked.title = title.map(cut);
            let feeds = feeds.into_iter().map(|feed| SeenFeed {
                url: feed.href,
                title: feed.title.map(cut),
                media_type: feed.media_type,
            });
            looked.feeds = feeds.collect();
        }
        Sight::Other(words) => {
            looked.kind = SeenKind::Other;
            looked.trouble = Some(words);
        }
    }
    looked
}

fn show(looked: &mut Looked, document: Document) {
    looked.title = document.title.map(cut);
    looked.found = document.items.len();
    let items = document.items.into_iter().take(SHOWN).map(|item| SeenItem {
        title: item.title.map(cut),
        link: item.link,
        date: item.published.or(item.updated).map(|at| at.to_rfc3339()),
    });
    looked.items = items.collect();
}

fn cut(title: String) -> String {
    title.chars().take(TITLE).collect()
}
