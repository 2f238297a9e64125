//! A source as text: a row of the list, or everything about it.

use pergola_api::Instant;
use pergola_api::next::{NextRefresh, Reason, ReasonKind};
use pergola_api::source::{
    CredentialsKind, HeldCredentials, PeerStatus, PushStatus, RecentRefresh, RefreshReport,
    RemovedSource, SourceDetail, SourceStanding, SourceStatus,
};
use pergola_feed::address::masked;

use crate::cli::screen::{
    Cell, Column, Screen, Tone, clock, count, facts, harmless, known_percent, relative, size, table,
};

pub(super) fn row(source: &SourceStatus, screen: &Screen) -> Vec<Cell> {
    vec![
        source.id.to_string().into(),
        source.title.as_deref().unwrap_or(&source.url).into(),
        standing(source.standing),
        source.via.name().into(),
        source.items.to_string().into(),
        relative(source.last_refresh, screen.now).into(),
        soon(source.next_refresh, screen.now).into(),
        source.folders.join(", ").into(),
        source.trouble.as_deref().unwrap_or_default().into(),
    ]
}

/// The time of something that is due. Once its time has passed, it only waits for its turn.
fn soon(at: Option<Instant>, now: f64) -> String {
    relative(at.map(|at| at.max(Instant::from_unix(now))), now)
}

fn standing(standing: SourceStanding) -> Cell {
    let tone = match standing {
        SourceStanding::New => Tone::Plain,
        SourceStanding::Well => Tone::Good,
        SourceStanding::Paused | SourceStanding::Ended => Tone::Warning,
        SourceStanding::Failing => Tone::Bad,
    };
    Cell::toned(standing.name(), tone)
}

pub(super) fn shown(detail: &SourceDetail, screen: &Screen) -> String {
    let SourceDetail { source, next, recent, formerly, push, .. } = detail;
    let requests = format!(
        "{} ({} unchanged, {} failed), {}",
        source.requests,
        source.not_modified,
        source.failures,
        size(source.bytes)
    );
    let (hub, pushed) =
        push.as_ref().map(|push| subscription(push, screen.now)).unwrap_or_default();
    let circle = source.way_back.as_deref().unwrap_or_default().join(" → ");
    let mut text = facts(
        screen,
        [
            ("source", source.id.to_string().into()),
            ("url", (&source.url).into()),
            ("private", privacy(source).into()),
            ("credentials", credentials(source).into()),
            ("formerly", formerly.join(", ").into()),
            ("title", source.title.as_deref().unwrap_or_default().into()),
            ("folder", source.folders.join(", ").into()),
            ("kind", source.kind.name().into()),
            ("via", via(source, screen.now).into()),
            ("standing", standing(source.standing)),
            ("trouble", source.trouble.as_deref().unwrap_or_default().into()),
            ("loop", Cell::toned(&circle, Tone::Warning)),
            ("importance", source.importance.to_string().into()),
            ("read by", count(source.readers.into(), "feed").into()),
            ("last refresh", relative(source.last_refresh, screen.now).into()),
            ("next refresh", soon(next.at, screen.now).into()),
            ("why", why(&next.because, screen.now).into()),
            ("also", also(next, screen.now).into()),
            ("items", items(source).into()),
            ("requests", requests.into()),
            ("hub", hub.into()),
            ("pushed", pushed.into()),
            ("completeness", known_percent(source.completeness).into()),
            ("freshness", known_percent(source.freshness).into()),
        ],
    );
    if !recent.is_empty() {
        let columns = [
            Column::left("refresh"),
            Column::left("outcome"),
            Column::right("new"),
            Column::right("size"),
            Column::cut("failure"),
        ];
        let rows = recent.iter().rev().map(|refresh| past(refresh, screen.now));
        text.push('\n');
        text.push_str(&table(screen, columns, rows, ""));
    }
    text
}

/// How many items came, and how many come a day.
fn items(source: &SourceStatus) -> String {
    match source.items_per_day {
        Some(rate) => format!("{}, about {rate:.1} a day", source.items),
        None => source.items.to_string(),
    }
}

/// A reason in a sentence.
fn why(reason: &Reason, now: f64) -> String {
    let detail = harmless(&reason.detail);
    let mut text = match (reason.reason, reason.until) {
        (ReasonKind::Threshold | ReasonKind::Planned, Some(until)) => {
            format!("about {}: {detail}", clock(until, now))
        }
        (ReasonKind::UnderWay | ReasonKind::NeverRefreshed, _) | (_, None) => detail,
        (_, Some(until)) => format!("not before {}: {detail}", clock(until, now)),
    };
    if let Some(key) = &reason.key {
        text.push_str(&format!("; {} changes that", harmless(key)));
    }
    text
}

/// The reasons that do not decide, in a line.
fn also(next: &NextRefresh, now: f64) -> String {
    let reasons: Vec<String> = next.also.iter().map(|reason| why(reason, now)).collect();
    reasons.join("; ")
}

/// What a source is called.
pub(super) fn name(source: &SourceStatus) -> String {
    harmless(source.title.as_deref().unwrap_or(&source.url)).to_string()
}

/// That a source was there already, and where it is now if that is not where it was looked for.
pub(super) fn already(source: &SourceStatus, asked: &str) -> String {
    let name = name(source);
    let asked = url::Url::parse(asked).map_or_else(|_| asked.to_owned(), String::from);
    match masked(&asked) == source.url {
        true => format!("already there as source {}: {name}\n", source.id),
        false => {
            let url = harmless(&source.url);
            format!("already there as source {}, moved to {url}: {name}\n", source.id)
        }
    }
}

/// The sources that were removed.
pub(super) fn removed(sources: &[RemovedSource], screen: &Screen) -> String {
    let row = |source: &RemovedSource| -> Vec<Cell> {
        vec![
            source.id.to_string().into(),
            source.title.as_deref().unwrap_or(&source.url).into(),
            relative(Some(source.removed_at), screen.now).into(),
            relative(Some(source.restorable_until), screen.now).into(),
        ]
    };
    let columns = [
        Column::right("id"),
        Column::cut("source"),
        Column::left("removed"),
        Column::left("gone for good"),
    ];
    table(screen, columns, sources.iter().map(row), "no source was removed in the last week")
}

/// A source after it was changed.
pub(super) fn changed(source: &SourceStatus) -> String {
    let name = name(source);
    let folders = match source.folders.is_empty() {
        true => String::new(),
        false => format!("in {}", harmless(&source.folders.join(", "))),
    };
    let said = [folders, privacy(source).to_owned(), credentials(source)];
    let said: Vec<&str> = said.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    let said = if said.is_empty() {
        "public, without credentials, in no folder".into()
    } else {
        said.join("; ")
    };
    let again = match source.credentials.is_some() && source.standing == SourceStanding::Failing {
        true => format!("`pergola source refresh {}` tries it now\n", source.id),
        false => String::new(),
    };
    format!("source {}: {name}: {said}\n{again}", source.id)
}

fn privacy(source: &SourceStatus) -> &'static str {
    if source.private { "its address is published nowhere" } else { "" }
}

fn credentials(source: &SourceStatus) -> String {
    let Some(HeldCredentials { kind, origin }) = &source.credentials else { return String::new() };
    let what = match kind {
        CredentialsKind::Password => "a user and a password",
        CredentialsKind::Header => "a header",
    };
    format!("{what}, sent to {} only", harmless(origin))
}

/// The state of a subscription at a hub, and what came of it.
fn subscription(push: &PushStatus, now: f64) -> (String, String) {
    let state = match (push.active, push.trusted) {
        (true, true) => "trusted",
        (true, false) => "confirmed, not yet proved",
        (false, _) => "not confirmed",
    };
    let mut hub = format!("{} ({state}", harmless(&push.hub));
    if let Some(until) = push.lease_until {
        hub.push_str(&format!(", lease ends {}", relative(Some(until), now)));
    }
    hub.push(')');
    if let Some(trouble) = &push.trouble {
        hub.push_str(&format!("; {}", harmless(trouble)));
    }
    let PushStatus { pushes, items, missed, forged, failures, .. } = push;
    let pushed = format!(
        "{} in {}, {missed} missed, {forged} with a wrong signature, {}",
        count(*items, "item"),
        count(*pushes, "document"),
        count(*failures, "failure")
    );
    (hub, pushed)
}

/// How a source is fetched, and from whom.
fn via(source: &SourceStatus, now: f64) -> String {
    let via = source.via.name();
    let Some(peer) = &source.peer else { return via.to_owned() };
    let PeerStatus { node, name, feed, cooperate, .. } = peer;
    let node = name.as_deref().or(node.as_deref()).unwrap_or("a node");
    let mut text = format!("{via}: feed {} of {}", harmless(feed), harmless(node));
    let ways = cooperate.join(", ");
    text.push_str(&format!("; asks for {}", if ways.is_empty() { "nothing more" } else { &ways }));
    if peer.watched {
        text.push_str("; announces new items at once");
    }
    if peer.cursor_at.is_some() {
        text.push_str(&format!("; last news {}", relative(peer.cursor_at, now)));
    }
    if let Some(because) = &peer.http_because {
        let until = relative(peer.http_until, now);
        text.push_str(&format!("; retries gRPC {until} ({})", harmless(because)));
    }
    text
}

fn past(refresh: &RecentRefresh, now: f64) -> Vec<Cell> {
    vec![
        relative(Some(refresh.at), now).into(),
        (&refresh.outcome).into(),
        refresh.new_items.to_string().into(),
        size(refresh.bytes.into()).into(),
        refresh.failure.as_deref().unwrap_or_default().into(),
    ]
}

/// The result of a refresh, in a line.
pub(super) fn report(report: &RefreshReport, now: f64) -> String {
    let new = count(report.new_items.into(), "new item");
    let mut text = format!("{}: {new}", harmless(&report.outcome));
    if let Some(trouble) = &report.trouble {
        text.push_str(&format!("; {}", harmless(trouble)));
    }
    if report.next_refresh.is_some() {
        text.push_str(&format!("; next refresh {}", soon(report.next_refresh, now)));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_with_its_time_and_its_key() {
        let reason = |kind, until, key: Option<&str>| Reason {
            reason: kind,
            until,
            detail: "the site asked for it (max-age 3600)".into(),
            key: key.map(str::to_owned),
        };
        let told =
            why(&reason(ReasonKind::MaxAge, Some(Instant::from_unix(50_700.0)), None), 48_000.0);
        assert_eq!(told, "not before 14:05 UTC: the site asked for it (max-age 3600)");
        let told = why(
            &reason(ReasonKind::Planned, Some(Instant::from_unix(55_200.0)), Some("a.b")),
            48_000.0,
        );
        assert!(told.starts_with("about 15:20 UTC: "), "{told}");
        assert!(told.ends_with("; a.b changes that"), "{told}");
        let told = why(&reason(ReasonKind::Ended, None, None), 48_000.0);
        assert_eq!(told, "the site asked for it (max-age 3600)");
    }

    #[test]
    fn a_subscription_is_shown_in_two_lines() {
        let push = PushStatus {
            hub: "https://hub.example/".into(),
            topic: "https://example.org/rss".into(),
            active: true,
            trusted: true,
            lease_until: Some(Instant::from_unix(3_600.0)),
            trouble: None,
            pushes: 2,
            items: 5,
            missed: 1,
            forged: 0,
            failures: 1,
        };
        let (hub, pushed) = subscription(&push, 0.0);
        assert!(hub.starts_with("https://hub.example/ (trusted, lease ends in "), "{hub}");
        assert_eq!(pushed, "5 items in 2 documents, 1 missed, 0 with a wrong signature, 1 failure");
        let refused = PushStatus {
            active: false,
            lease_until: None,
            trouble: Some("the hub answered 500".into()),
            ..push
        };
        let expected = "https://hub.example/ (not confirmed); the hub answered 500";
        assert_eq!(subscription(&refused, 0.0).0, expected);
    }
}
