//! What is stored, if no node runs that could be asked.

use pergola_config::{BudgetRule, Config};
use pergola_store::archive::{Archive, ArchiveError, SourceId, SourceState};
use pergola_store::{self, StoreError};

use super::sources::{NAMED, Seen, Trouble};
use super::{budget, private, sources};
use crate::doctor::Finding;

/// What is stored, and what the configuration declares.
pub(super) fn all(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    let declared = config.sources.iter().map(|source| source.url.to_string());
    let mut urls: Vec<String> = declared.collect();
    if !config.node.data.is_dir() {
        findings.push(Finding::well("nothing is stored yet: the first start makes the store"));
    } else {
        match pergola_store::open(&config.node.data, config.store.backend, config.store.cache) {
            Ok(opened) => {
                let notice = opened.notice.map(|notice| Finding::warning(notice, "make a backup"));
                findings.extend(notice);
                match stored(&Archive::new(opened.store)) {
                    Ok((known, found)) => {
                        urls.extend(known);
                        findings.extend(found);
                    }
                    Err(error) => findings.push(Finding::wrong(
                        format!("what is stored cannot be read: {error}"),
                        "restore a backup with `pergola restore FILE`",
                    )),
                }
            }
            Err(error) => findings.push(does_not_open(&error)),
        }
    }
    urls.sort();
    urls.dedup();
    findings.extend(private::all(config, &urls));
    if let BudgetRule::Refreshes { per_minute } = config.budget.rule {
        findings.extend(budget::of(config, per_minute, urls.len()));
    }
    findings
}

fn does_not_open(error: &StoreError) -> Finding {
    let advice = match error {
        StoreError::Locked { .. } => "another command uses it: try again when it has ended",
        StoreError::Lost { .. } => "the command above brings it back",
        _ => "if it is damaged, restore a backup with `pergola restore FILE`",
    };
    Finding::wrong(format!("the store does not open: {error}"), advice)
}

/// The addresses of all sources, and what is wrong with some.
fn stored(archive: &Archive) -> Result<(Vec<String>, Vec<Finding>), ArchiveError> {
    archive.check()?;
    let damage = archive.damage();
    let mut troubles = std::collections::HashMap::new();
    archive.each_state(|id, state| {
        if let Some(trouble) = trouble(state) {
            troubles.insert(id, trouble);
        }
    })?;
    let seen = |(id, record): (SourceId, pergola_store::archive::SourceRecord)| Seen {
        id: id.0,
        url: record.url,
        trouble: troubles.remove(&id),
    };
    let all: Vec<Seen> = archive.sources()?.into_iter().map(seen).collect();
    let holds = format!("no node runs; the store opens and holds {} source(s)", all.len());
    let mut findings = vec![Finding::well(holds)];
    if !damage.is_empty() {
        let counts = damage.counts();
        let of: Vec<String> =
            counts.iter().map(|(table, count)| format!("{count} {table:?}")).collect();
        findings.push(Finding::wrong(
            format!("rows of the store are damaged: {}", of.join(", ")),
            "repair them with `pergola store repair --from BACKUP`",
        ));
    }
    findings.extend(sources::troubled(&all));
    findings.extend(loops(archive)?);
    Ok((all.into_iter().map(|seen| seen.url).collect(), findings))
}

fn trouble(state: SourceState) -> Option<Trouble> {
    if state.courtesy.ended.is_some() {
        return Some(Trouble::Ended);
    }
    let failures = state.courtesy.failures?;
    let (since, times) = (failures.since, failures.count);
    let (kind, why) = (failures.kind.name().to_owned(), state.trouble);
    Some(Trouble::Fails { since, times, kind, why })
}

/// Sources whose items have been here before.
fn loops(archive: &Archive) -> Result<Vec<Finding>, ArchiveError> {
    let mut findings = Vec::new();
    for (id, found) in archive.loops()?.into_iter().take(NAMED) {
        let Some(source) = archive.source(id)? else { continue };
        let what = format!("items of {} come back to this node: {found}", source.url);
        let advice = "they are dropped; let one of these nodes read something else";
        findings.push(Finding::warning(what, advice));
    }
    Ok(findings)
}
