//! How the sources stand, and whether the budget can serve them.

use std::net::IpAddr;

use pergola_config::{BudgetRule, Config};
use pergola_node::guard::Guard;
use pergola_store::archive::{Archive, ArchiveError, SourceState};
use pergola_store::{self, StoreError};
use url::{Host, Url};

use crate::doctor::Finding;

/// Sources that are named one by one.
const NAMED: usize = 10;
/// Every source should be refreshed once in so many minutes, or the budget is too small.
const A_DAY: f64 = 1_440.0;

/// What is stored, and what the configuration declares. `runs`: a node has the store open.
pub(super) fn all(config: &Config, runs: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut urls: Vec<String> =
        config.sources.iter().map(|source| source.url.to_string()).collect();
    if runs {
        let advice = "`pergola status` and `pergola source list` ask the running node";
        findings.push(Finding::well(format!("the store is in use by the running node; {advice}")));
    } else if !config.node.data.is_dir() {
        findings.push(Finding::well("nothing is stored yet: the first start makes the store"));
    } else {
        match pergola_store::open(&config.node.data, config.store.backend, config.store.cache) {
            Ok(opened) => {
                let notice = opened.notice.map(|notice| Finding::warning(notice, "keep a backup"));
                findings.extend(notice);
                match stored(&Archive::new(opened.store)) {
                    Ok((known, found)) => {
                        urls.extend(known);
                        findings.extend(found);
                    }
                    Err(error) => findings.push(Finding::wrong(
                        format!("what is stored cannot be read: {error}"),
                        "restore a backup with `pergola restore`",
                    )),
                }
            }
            Err(error) => findings.push(does_not_open(&error)),
        }
    }
    urls.sort();
    urls.dedup();
    findings.extend(private(config, &urls));
    if !runs {
        findings.extend(budget(config, urls.len()));
    }
    findings
}

fn does_not_open(error: &StoreError) -> Finding {
    Finding::wrong(
        format!("the store does not open: {error}"),
        "stop whoever uses it; if it is damaged, restore a backup with `pergola restore`",
    )
}

/// The addresses of all sources, and what is wrong with some.
fn stored(archive: &Archive) -> Result<(Vec<String>, Vec<Finding>), ArchiveError> {
    let records = archive.sources()?;
    let mut states = std::collections::HashMap::new();
    archive.each_state(|id, state| {
        if state.courtesy.ended.is_some() || state.courtesy.failures.is_some() {
            states.insert(id, state);
        }
    })?;
    let count = records.len();
    let mut findings = vec![Finding::well(format!("the store opens and holds {count} source(s)"))];
    let troubled = records.iter().filter_map(|(id, record)| Some((record, states.get(id)?)));
    findings.extend(troubled.take(NAMED).map(|(record, state)| trouble(&record.url, state)));
    if let Some(more) = states.len().checked_sub(NAMED + 1) {
        let what = format!("{} more sources fail or have ended", more + 1);
        findings.push(Finding::warning(what, "see `pergola source list --standing failing`"));
    }
    findings.extend(loops(archive)?);
    Ok((records.into_iter().map(|(_, record)| record.url).collect(), findings))
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

fn trouble(url: &str, state: &SourceState) -> Finding {
    let why = state.trouble.clone().unwrap_or_else(|| "no reason is known".to_owned());
    match (&state.courtesy.ended, &state.courtesy.failures) {
        (Some(ended), _) => Finding::warning(
            format!("{url} has ended (it answered {})", ended.status),
            "its items are kept; remove it, or look for where it went",
        ),
        (None, failures) => {
            let times = failures.as_ref().map_or(0, |failures| failures.count);
            let what = format!("{url} has failed {times} time(s): {why}");
            Finding::warning(what, "it is tried again by itself, less and less often")
        }
    }
}

/// Sources at private addresses that the configuration does not allow.
fn private(config: &Config, urls: &[String]) -> Vec<Finding> {
    let guard = Guard::allowing(config.private_exceptions());
    let refused = |text: &String| {
        let url = Url::parse(text).ok()?;
        let forbidden = match url.host()? {
            // A name of this machine; every other name would have to be asked for.
            Host::Domain(name) if name == "localhost" || name.ends_with(".localhost") => {
                guard.check(name, IpAddr::from([127, 0, 0, 1])).err()?
            }
            _ => guard.check_literal(&url).err()?,
        };
        let advice = format!("if that is meant, add \"{}\" to crawl.allow_private", forbidden.host);
        let what = format!("{text} is at {}, which is {}", forbidden.address, forbidden.reach);
        Some(Finding::wrong(what, advice))
    };
    urls.iter().filter_map(refused).take(NAMED).collect()
}

/// A budget that lets a source wait for more than a day is too small to be of use.
fn budget(config: &Config, sources: usize) -> Option<Finding> {
    let BudgetRule::Refreshes { per_minute } = config.budget.rule else { return None };
    if sources == 0 {
        return Some(Finding::warning(
            "there are no sources yet",
            "add one with `pergola source add URL`, or many with `pergola import FILE.opml`",
        ));
    }
    let minutes = sources as f64 / per_minute.max(1e-9);
    let what = format!(
        "{per_minute} refreshes a minute for {sources} source(s): each once in {minutes:.0} minutes \
         on average"
    );
    let needed = (sources as f64 / A_DAY * 4.0 * 100.0).ceil() / 100.0;
    Some(match minutes > A_DAY {
        true => Finding::warning(
            what,
            format!("raise budget.refreshes_per_minute to {needed} or more: four refreshes a day"),
        ),
        false => Finding::well(what),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    #[test]
    fn a_source_in_a_private_network_needs_an_exception() {
        let mut config = Config::default();
        let urls = ["http://192.168.1.7/feed".to_owned(), "http://localhost/feed".to_owned()];
        let found = private(&config, &urls);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].advice.as_ref().unwrap().contains("\"192.168.1.7\""), "{found:?}");
        config.crawl.allow_private = vec!["192.168.0.0/16".parse().unwrap()];
        assert_eq!(private(&config, &urls).len(), 1);
    }

    #[test]
    fn a_budget_that_looks_less_than_daily_is_too_small() {
        let mut config = Config::default();
        config.budget.rule = BudgetRule::Refreshes { per_minute: 0.1 };
        assert_eq!(budget(&config, 100).unwrap().grade, Grade::Well);
        let small = budget(&config, 1_000).unwrap();
        assert_eq!(small.grade, Grade::Warning);
        assert!(small.advice.unwrap().contains("2.78"));
    }
}
