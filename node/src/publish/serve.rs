//! The addresses under which feeds, their list and the pages for people are found.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use http::{HeaderName, HeaderValue, StatusCode};
use pergola_feed::{Timestamp, percent};
use pergola_pages::public::feeds::{self, Card};
use pergola_store::archive::FeedTally;

use super::answer::{
    VOLUME_KEPT, Varies, answer, answer_difference, kept_for, kept_privately, max_age,
};
use super::edition::Publication;
use super::negotiate::Form;
use super::refusal::Refusal;
use super::render::selection;
use super::shelf::{ARCHIVE, Imprint, Listing, NoVolume, Shelf};
use super::shown::{ASSETS, asset, format, respond};
use super::visitor::{admitted, caller};
use super::volume::Volume;
use pergola_port::access::Caller;

pub(super) const FEEDS: &str = "/feeds/";
/// Tells other nodes that the feed can be had over gRPC at the same origin, and by which name.
const PERGOLA_FEED: HeaderName = HeaderName::from_static("pergola-feed");

/// Where everything that is published is found.
pub const PATHS: [&str; 5] =
    ["/feeds/{name}", "/feeds/{name}/archive/{volume}", "/opml", "/", ASSETS];

/// Everything that is published.
pub fn router(shelf: Arc<Shelf>) -> Router {
    let [document, archive, list, page, assets] = PATHS;
    Router::new()
        .route(document, get(feed))
        .route(archive, get(volume))
        .route(list, get(opml))
        .route(page, get(home))
        .route(assets, get(asset))
        .with_state(shelf)
}

async fn feed(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let path = request.uri().path();
    let file = decoded(path.strip_prefix(FEEDS).unwrap_or(path));
    let asked = request.headers();
    let (publication, named) = match admitted(&shelf, &request, stem(&file), find(&shelf, &file)) {
        Ok(found) => found,
        Err(refusal) => return refusal.answer(asked),
    };
    let private = |value| kept_as_allowed(&shelf, &publication, value);
    let Some(form) = named.or_else(|| Form::preferred(asked)) else {
        return Refusal::not_acceptable(&file).answer(asked);
    };
    let now = shelf.clock.now();
    publication.touch(now);
    let varies = Varies::of(named);
    match shelf.document(&publication, form).await {
        Ok((document, true)) => {
            let max_age = private(max_age(&shelf, &publication, now));
            let answer = match shelf.difference(&publication, form, &document, asked).await {
                Some(news) => {
                    answer_difference(&shelf, &news, &document, asked, varies, &max_age).await
                }
                None => answer(&shelf, &document, asked, varies, max_age).await,
            };
            marked(&publication, answer)
        }
        Ok((earlier, false)) => {
            let max_age = private(kept_for(0));
            marked(&publication, answer(&shelf, &earlier, asked, varies, max_age).await)
        }
        Err(_) => Refusal::unavailable().answer(asked),
    }
}

/// `/feeds/{name}/archive/{volume}`, with or without a form.
async fn volume(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let path = request.uri().path();
    let path = path.strip_prefix(FEEDS).unwrap_or(path);
    let (name, file) = path.split_once('/').unwrap_or((path, ""));
    let (name, file) = (decoded(name), file.rsplit('/').next().unwrap_or_default());
    let asked = request.headers();
    let found = published(&shelf, &name).map(|publication| (publication, ()));
    let publication = match admitted(&shelf, &request, &name, found) {
        Ok((publication, ())) => publication,
        Err(refusal) => return refusal.answer(asked),
    };
    let kept = kept_as_allowed(&shelf, &publication, VOLUME_KEPT);
    let mut forms = Form::FEEDS.into_iter();
    let named = forms.find_map(|form| Some((file.strip_suffix(form.extension())?, form)));
    let (number, named) = named.map_or((file, None), |(number, form)| (number, Some(form)));
    let Some(volume) = Volume::parse(number) else {
        return Refusal::unknown_volume(&name, number).answer(asked);
    };
    let Some(form) = named.or_else(|| Form::preferred(asked)) else {
        return Refusal::not_acceptable(&format!("{name}/{ARCHIVE}/{volume}")).answer(asked);
    };
    match shelf.volume(&publication, volume, form).await {
        Ok(document) => answer(&shelf, &document, asked, Varies::of(named), kept).await,
        Err(NoVolume::NotYet) => Refusal::volume_incomplete(&name, volume).answer(asked),
        Err(NoVolume::Gone { kept }) => Refusal::volume_expired(&name, volume, kept).answer(asked),
        Err(NoVolume::Failed) => Refusal::unavailable().answer(asked),
    }
}

/// `Cache-Control` of a feed: what is not for anybody is not for caches that many share.
fn kept_as_allowed(shelf: &Shelf, publication: &Publication, value: HeaderValue) -> HeaderValue {
    match shelf.is_open(publication.id()) {
        true => value,
        false => kept_privately(&value),
    }
}

/// An answer with a feed, which other nodes can have from this one in a better way.
fn marked(publication: &Publication, mut response: Response) -> Response {
    response.headers_mut().insert(PERGOLA_FEED, publication.marker().clone());
    response
}

/// The feed that a file name stands for, and the form if the name says it.
pub(super) fn find(shelf: &Shelf, file: &str) -> Option<(Arc<Publication>, Option<Form>)> {
    let named = Form::FEEDS.into_iter().find_map(|form| {
        Some((published(shelf, file.strip_suffix(form.extension())?)?, Some(form)))
    });
    named.or_else(|| Some((published(shelf, file)?, None)))
}

/// The feed of a name, as far as it is there for whoever asks: every document of it is found by way of
/// this.
fn published(shelf: &Shelf, name: &str) -> Option<Arc<Publication>> {
    shelf.named(name)
}

/// The file name without what looks like a form.
fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

async fn opml(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let caller = caller(&shelf, &request);
    let list = shelf.opml(&caller);
    let max_age = match caller {
        Caller::Stranger { .. } => kept_for(60),
        Caller::Operator | Caller::Reader(_) => kept_privately(&kept_for(60)),
    };
    answer(&shelf, &list, request.headers(), Varies::Coding, max_age).await
}

async fn home(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let listings = shelf.listings_for(&caller(&shelf, &request));
    let imprint = &shelf.imprint;
    let cards: Vec<Card<'_>> = listings.iter().map(|listing| card(imprint, listing)).collect();
    let formats = Form::FEEDS.map(format);
    respond(StatusCode::OK, &feeds::page(&imprint.name, &cards, &formats, shelf.is_damaged()))
}

fn card<'a>(imprint: &Imprint, listing: &'a Listing) -> Card<'a> {
    Card {
        name: &listing.name,
        address: imprint.address(&listing.name, Form::Atom),
        selection: selection(listing),
        items: listing.tally.next,
        changed: changed_at(&listing.tally),
    }
}

/// When a feed last changed, if it ever did.
fn changed_at(tally: &FeedTally) -> Option<Timestamp> {
    (tally.changed_at > 0.0).then(|| Timestamp::from_unix(tally.changed_at as i64))
}

/// A segment of a path, decoded. What cannot be decoded stays as it is: no feed has such a name.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    percent::decode(text).map_or(Cow::Borrowed(text), Cow::Owned)
}
