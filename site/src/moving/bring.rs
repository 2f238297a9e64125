//! Imports a file of another reader.
//!
//! A second import of the same file changes nothing: what is there stays, and no item is there twice.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::body::Bytes;
use pergola_accounts::UserId;
use pergola_api::Code;
use pergola_api::user::{LeftOut, TakenOver};
use pergola_feed::address::masked_in;
use pergola_node::node::{
    Follow, Followed, Mistake, NewSource, Node, PeopleError, SourceError, Subscribed,
};
use pergola_reader_api::FeedRef;
use pergola_store::archive::SourceKind;
use pergola_store::people::UserChange;
use pergola_takeout::{Account, Flaw, Subscription, Takeout};

use super::marks;
use crate::answer::Failure;
use crate::reader_api::{Addresses, at};

/// Takes over what is in a file, to the end even if nobody waits for it.
pub(super) async fn bring(
    node: Arc<Node>,
    user: UserId,
    file: Bytes,
) -> Result<TakenOver, Failure> {
    let read = node.blocking().run(move || pergola_takeout::read(&file)).await?;
    let takeout = read.map_err(|error| Failure::new(Code::NotAnExport, error.to_string()))?;
    let done = tokio::spawn(async move { taken_over(&node, user, takeout).await });
    let ended = |_| Failure::new(Code::Failed, "the import ended early; the log says why");
    Ok(done.await.map_err(ended)??)
}

async fn taken_over(
    node: &Arc<Node>,
    user: UserId,
    takeout: Takeout,
) -> Result<TakenOver, PeopleError> {
    let Takeout { subscriptions, duplicates, items, unmarked, account, flaws, flawed } = takeout;
    let untold = flawed - flaws.len();
    let mut report = TakenOver { duplicates, unmarked, ..TakenOver::default() };
    flaws.into_iter().for_each(|flaw| report.leave_out(left_out(flaw)));
    report.broken += untold;
    follow(node, user, subscriptions, &mut report).await?;
    let read = account.as_ref().map(Account::read).unwrap_or_default();
    marks::bring(node, user, items, read, &mut report).await?;
    if let Some(account) = account {
        settings(node, user, account, &mut report).await?;
    }
    Ok(report)
}

fn left_out(Flaw { place, title, address, reason }: Flaw) -> LeftOut {
    let address = address.map(|address| masked_in(&address).into_owned());
    LeftOut { place, title, address, reason }
}

/// Follows what the file names. What the node does not know is added, if the user may do that.
async fn follow(
    node: &Arc<Node>,
    user: UserId,
    all: Vec<Subscription>,
    report: &mut TakenOver,
) -> Result<(), PeopleError> {
    if all.is_empty() {
        return Ok(());
    }
    let folders: HashSet<&String> = all.iter().flat_map(|own| &own.folders).collect();
    report.folders = folders.into_iter().cloned().collect();
    report.folders.sort();
    let is_admin = node.user(user)?.is_some_and(|user| user.is_admin());
    let before: HashMap<Followed, Subscribed> = subscribed(node, user).await?;
    let all = add(node, is_admin, all, report).await?;
    for (what, own) in all {
        let known = before.get(&what);
        report.known += usize::from(known.is_some());
        let Some(way) = way(&own, known) else { continue };
        // The built-in user follows whatever there is.
        let done = match known.is_none() && user == UserId::OPERATOR {
            true => Ok(()),
            false => node.subscribe(user, what, way).await,
        };
        match done {
            Ok(()) => report.subscribed += usize::from(known.is_none()),
            Err(PeopleError::Mistake(Mistake::Unreadable(_))) => {
                report.leave_out(refused(&own, "only admins may follow it".to_owned()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What a user follows, and how.
pub(super) async fn subscribed(
    node: &Arc<Node>,
    user: UserId,
) -> Result<HashMap<Followed, Subscribed>, PeopleError> {
    let own = Arc::clone(node);
    let all = node.blocking().run(move || own.subscriptions(user)).await??;
    Ok(all.into_iter().map(|one| (one.what, one)).collect())
}

/// How something is followed from now on; nothing if that is no change.
fn way(own: &Subscription, known: Option<&Subscribed>) -> Option<Follow> {
    let Some(known) = known else {
        let folders = (!own.folders.is_empty()).then(|| own.folders.clone());
        return Some(Follow { title: own.title.clone(), folders });
    };
    let new: Vec<String> =
        own.folders.iter().filter(|folder| !known.folders.contains(folder)).cloned().collect();
    let folders = known.folders.iter().cloned().chain(new.iter().cloned()).collect();
    (!new.is_empty()).then(|| Follow { title: Some(known.title.clone()), folders: Some(folders) })
}

/// What of the file the node has, once what it did not know is added.
async fn add(
    node: &Arc<Node>,
    is_admin: bool,
    all: Vec<Subscription>,
    report: &mut TakenOver,
) -> Result<Vec<(Followed, Subscription)>, PeopleError> {
    let (mut new, mut wanted) = (Vec::new(), Vec::new());
    for (found, own) in found(node, all).await? {
        if found.is_none() && !is_admin {
            let reason = "this node does not have it: ask somebody who manages the node to add it";
            report.leave_out(refused(&own, reason.to_owned()));
            continue;
        }
        if found.is_none() {
            match NewSource::feed(&own.address) {
                Ok(source) => {
                    let kind = own.page.clone().map_or(SourceKind::Feed, SourceKind::Page);
                    let (title, folders) = (own.title.clone(), own.folders.clone());
                    new.push(NewSource { title, folders, kind, imported: true, ..source });
                }
                Err(error) => {
                    report.leave_out(refused(&own, error.to_string()));
                    continue;
                }
            }
        }
        wanted.push(own);
    }
    report.new_sources = node.add_sources(new).await?.new.len();
    let mut all = Vec::new();
    for (found, own) in found(node, wanted).await? {
        match found {
            Some(what) => all.push((what, own)),
            None => report.leave_out(refused(&own, "it could not be added".to_owned())),
        }
    }
    Ok(all)
}

async fn found(
    node: &Arc<Node>,
    all: Vec<Subscription>,
) -> Result<Vec<(Option<Followed>, Subscription)>, PeopleError> {
    let own = Arc::clone(node);
    let blocking = node.blocking();
    let found = blocking.run(move || {
        let addresses = Addresses::new(&own);
        let found = all
            .into_iter()
            .map(|one| Ok((at(&own, &addresses, &FeedRef::Address(one.address.clone()))?, one)));
        found.collect::<Result<_, SourceError>>()
    });
    Ok(found.await??)
}

fn refused(own: &Subscription, reason: String) -> LeftOut {
    let address = Some(masked_in(&own.address).into_owned());
    LeftOut { place: own.place.clone(), title: own.title.clone(), address, reason }
}

/// Takes settings over, beside those that the user has.
async fn settings(
    node: &Arc<Node>,
    user: UserId,
    account: Account,
    report: &mut TakenOver,
) -> Result<(), PeopleError> {
    let Some(mut own) = node.user(user)?.map(|user| user.preferences) else { return Ok(()) };
    let brought = account.settings.len() + usize::from(account.zone.is_some());
    if brought == 0 {
        return Ok(());
    }
    own.zone = account.zone.or(own.zone);
    for (name, value) in &account.settings {
        own.set(name, Some(value));
    }
    let change = UserChange { preferences: Some(own), ..UserChange::default() };
    match node.change_user(user, change).await {
        Ok(()) => report.settings = brought,
        Err(PeopleError::Mistake(mistake @ Mistake::BadPreferences(_))) => {
            let (place, reason) = ("the settings".to_owned(), mistake.to_string());
            report.leave_out(LeftOut { place, reason, ..LeftOut::default() });
        }
        Err(error) => return Err(error),
    }
    Ok(())
}
