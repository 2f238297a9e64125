//! What all sources and feeds are about, in the form that topology-gen wires a mesh from: keywords that were
//! learnt from what was published, not declared.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use pergola_refresh::{DAY, PublicationModel};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asked::Asking;
use super::work::blocking;
use crate::archive::SourceKind;
use crate::node::Node;
use crate::publish::Problem;
use crate::select::Channel;

/// Words of each, unless another number is asked for, and at most.
const USUAL: usize = 12;
const MOST: usize = 100;

/// How much is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedWords {
    /// Words of each source and feed at most; 12 unless said, 100 at most.
    words: Option<usize>,
}

/// Sources and feeds by what they are about.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LearntMesh {
    /// Sources of which something was learnt.
    sources: Vec<LearntSource>,
    /// Feeds of which something was learnt, or whose query names words.
    feeds: Vec<LearntFeed>,
}

#[derive(Debug, Serialize, ToSchema)]
struct LearntSource {
    /// Its title; with its number if others have the same.
    name: String,
    /// Where it is.
    url: String,
    /// Its heaviest words, heaviest first.
    keywords: Vec<String>,
    /// Items a day, as far as is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    items_per_day: Option<f64>,
}

#[derive(Debug, Serialize, ToSchema)]
struct LearntFeed {
    /// Its name.
    name: String,
    /// Its heaviest words, heaviest first; while it has published nothing, those its query asks for.
    keywords: Vec<String>,
}

/// What all sources and feeds are about, as topology-gen reads it.
#[utoipa::path(get, path = "/api/v1/profiles", params(AskedWords), security(("token" = [])),
    responses((status = 200, body = LearntMesh)))]
pub(super) async fn mesh(
    State(node): State<Arc<Node>>,
    Asking(asked): Asking<AskedWords>,
) -> Result<Answer<LearntMesh>, Problem> {
    let most = asked.words.unwrap_or(USUAL).clamp(1, MOST);
    blocking(move || {
        let mut names = HashSet::new();
        let mut sources = Vec::new();
        for (id, record) in node.archive.sources()? {
            let keywords = words(&node, Channel::Source(id), most);
            if record.kind == SourceKind::List || keywords.is_empty() {
                continue;
            }
            let title = node.archive.state_alone(id)?.and_then(|state| state.title);
            let mut name = record.title.or(title).unwrap_or_else(|| record.url.clone());
            if !names.insert(name.clone()) {
                name = format!("{name} ({})", id.0);
                names.insert(name.clone());
            }
            let known = node.crawler.roster().schedule(id);
            let items_per_day = known.map(|known| known.model.mean_rate() * DAY);
            sources.push(LearntSource { name, url: record.url, keywords, items_per_day });
        }
        let mut feeds = Vec::new();
        for card in node.desk.feeds() {
            let mut keywords = words(&node, Channel::Feed(card.id), most);
            if keywords.is_empty() {
                keywords = pergola_query::profile(&card.body).into_iter().collect();
            }
            if !keywords.is_empty() {
                feeds.push(LearntFeed { name: card.name, keywords });
            }
        }
        Ok(Answer(LearntMesh { sources, feeds }))
    })
    .await
}

/// The heaviest words; pairs of them are no keywords.
fn words(node: &Node, channel: Channel, most: usize) -> Vec<String> {
    let terms = node.desk.profiles.about(channel, 4 * most).unwrap_or_default().0.into_iter();
    terms.map(|(text, _)| text).filter(|text| !text.contains(' ')).take(most).collect()
}
