//! A source with a story, and what is said about its next refresh.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use pergola_feed::write::write_rss;
use pergola_feed::{Document, Format, Limits, NodeId};
use pergola_refresh::{ModelKind, Source};

use super::*;
use crate::conclude::{Moment, Subject, conclude};
use crate::courtesy::{Head, RuleBook};
use crate::heard::hear;
use crate::reply::{Failure, HttpAnswer, PeerReply, Presented, Push, Reply, Silence};
use crate::source::{Known, SourceRecord};
use crate::trail::Backlog;

const FEED: &str = "https://a.example/feed";
const ID: SourceId = SourceId(7);
/// 2023-11-14, a Tuesday, at 22:13:20 UTC.
const NOW: f64 = 1_700_000_000.0;
const HOUR: f64 = 3_600.0;

/// A source, and the manners by which it is treated.
struct Story {
    manners: Manners,
    url: Url,
    state: SourceState,
    link: Option<Link>,
    now: f64,
}

impl Story {
    fn new() -> Self {
        let model = ModelKind::Gamma.build(1e-5).unwrap();
        Self {
            manners: Manners {
                node: NodeId("here".into()),
                rules: RuleBook::new(Rules::default()),
                limits: Limits::default(),
                peers: true,
            },
            url: Url::parse(FEED).unwrap(),
            state: SourceState::new(Source::new(model, 20)),
            link: None,
            now: NOW,
        }
    }

    fn case(&self) -> Case<'_> {
        Case { id: ID, url: &self.url, state: &self.state, link: self.link.as_ref() }
    }

    /// The source is asked, and this comes back.
    fn hears(&mut self, reply: Reply) -> &mut Self {
        let subject = Subject {
            id: ID,
            url: self.url.clone(),
            record: SourceRecord::new(FEED, 0.0),
            state: self.state.clone(),
            known: Known::default(),
            looped: None,
            link: self.link.clone(),
        };
        let heard = hear(reply, subject.hearing(&self.manners, self.now));
        let moment = Moment { now: self.now, random: self.manners.chance(ID, self.now) };
        let refreshed =
            conclude(subject, heard, Backlog::default(), &self.manners, moment).unwrap();
        self.state = refreshed.change.state.clone();
        self
    }

    fn answers(&mut self, status: u16, headers: &[(&'static str, &str)]) -> &mut Self {
        let document =
            write_rss(&Document { title: Some("x".into()), ..Document::new(Format::Rss2) });
        self.says(status, headers, document)
    }

    fn says(&mut self, status: u16, headers: &[(&'static str, &str)], text: String) -> &mut Self {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        self.hears(Reply::Http(Box::new(HttpAnswer {
            status,
            url: self.url.clone(),
            hops: Vec::new(),
            head: Head::take(&mut map),
            bytes: text.len() as u64,
            body: Ok(Bytes::from(text)),
            conditional: true,
            refusal: None,
            presented: Presented::Nothing,
        })))
    }

    fn fails(&mut self) -> &mut Self {
        let failure = Failure { kind: FailureKind::Connect, words: "nobody there".into() };
        self.hears(Reply::Silence(Silence { failure, conditional: true }))
    }

    fn pushes(&mut self) -> &mut Self {
        let text = write_rss(&Document { title: Some("x".into()), ..Document::new(Format::Rss2) });
        self.hears(Reply::Push(Box::new(Push {
            topic: self.url.clone(),
            content_type: None,
            bytes: text.len() as u64,
            body: Ok(Bytes::from(text)),
        })))
    }

    fn later(&mut self, seconds: f64) -> &mut Self {
        self.now += seconds;
        self
    }

    fn causes(&self) -> Vec<Cause> {
        self.manners.holds(self.case(), self.now).into_iter().map(|hold| hold.cause).collect()
    }

    fn forbidden(&self, asking: Asking) -> Option<Cause> {
        self.manners.forbids(self.case(), asking, self.now).map(|hold| hold.cause)
    }

    /// The next refresh, if the scheduler expects one then.
    fn next(&self, expected: Option<f64>) -> Next {
        let prospect = Prospect { expected, ..self.prospect() };
        self.manners.why(self.case(), &prospect, None, 10.0, self.now)
    }

    fn prospect(&self) -> Prospect {
        Prospect {
            out: false,
            seen: true,
            next_at: self.state.next_at,
            watched_until: None,
            hub_until: None,
            expected: None,
            worth: Some((0.4, 0.9)),
        }
    }
}

const FLOOR: Cause = Cause::Floor { seconds: HOUR, known: false };

#[test]
fn the_time_that_the_scheduler_keeps_follows_from_the_facts_again() {
    let skip = "<rss version=\"2.0\"><channel><title>x</title><ttl>90</ttl>\
                <skipHours><hour>23</hour><hour>0</hour></skipHours></channel></rss>";
    let tell: [fn(&mut Story) -> &mut Story; 10] = [
        |story| story.answers(200, &[]),
        |story| story.answers(200, &[("cache-control", "max-age=7200"), ("age", "600")]),
        |story| story.answers(200, &[("retry-after", "9000")]),
        |story| story.says(200, &[], "<p>no feed".into()),
        |story| story.answers(404, &[]).later(5.0 * HOUR).answers(404, &[]),
        |story| story.answers(500, &[("retry-after", "40000")]),
        |story| story.answers(429, &[("retry-after", "7200")]),
        |story| story.answers(503, &[]).later(2.0 * HOUR).fails(),
        |story| story.fails().later(2.0 * HOUR).fails().later(5.0).pushes(),
        |story| story.answers(410, &[]),
    ];
    for (number, tell) in tell.into_iter().enumerate() {
        let mut story = Story::new();
        tell(&mut story);
        assert_eq!(story.manners.next_at(story.case()), story.state.next_at, "story {number}");
    }
    let mut story = Story::new();
    story.says(200, &[], skip.into());
    assert_eq!(story.manners.next_at(story.case()), story.state.next_at);
    assert_eq!(story.causes()[0], Cause::SkippedTimes);
    assert_eq!(story.causes()[1], Cause::Period { seconds: 5_400.0 });
}

#[test]
fn the_reason_that_holds_longest_comes_first() {
    let mut story = Story::new();
    assert_eq!(story.causes(), []);
    story.answers(200, &[("cache-control", "max-age=7200")]);
    assert_eq!(story.causes(), [Cause::MaxAge { seconds: 7_200.0 }, FLOOR]);
    story.later(1.5 * HOUR);
    assert_eq!(story.causes(), [Cause::MaxAge { seconds: 7_200.0 }]);
    story.answers(200, &[("retry-after", "9000")]);
    assert_eq!(story.causes(), [Cause::RetryAfter, FLOOR]);
    story.later(3.0 * HOUR).fails();
    let back_off = Cause::BackOff { kind: FailureKind::Connect, failures: 1 };
    assert!(story.causes().contains(&back_off), "{:?}", story.causes());
}

#[test]
fn a_floor_that_is_lowered_counts_at_once_and_what_the_site_asked_for_stays() {
    let mut story = Story::new();
    story.answers(200, &[]);
    assert!(story.manners.next_at(story.case()) >= NOW + HOUR);
    story.manners.rules = RuleBook::new(Rules { floor: 60.0, ..Rules::default() });
    let next_at = story.manners.next_at(story.case());
    assert!((NOW + 60.0..NOW + 70.0).contains(&next_at), "{}", next_at - NOW);
    story.answers(200, &[("cache-control", "max-age=600")]);
    assert!(story.manners.next_at(story.case()) >= NOW + 600.0);
    assert_eq!(story.manners.named_host(story.case()), None);
    story.manners.rules.set("a.example", Rules::default());
    assert_eq!(story.manners.named_host(story.case()).as_deref(), Some("a.example"));
}

#[test]
fn whoever_insists_is_only_stopped_by_a_source_that_asked_for_quiet() {
    let mut story = Story::new();
    story.answers(200, &[("cache-control", "max-age=7200")]).later(10.0);
    assert_eq!(story.forbidden(Asking::Politely), Some(Cause::MaxAge { seconds: 7_200.0 }));
    assert_eq!(story.forbidden(Asking::Anyway), None);
    for (status, headers, named) in [
        (429, &[("retry-after", "600")][..], true),
        (429, &[][..], false),
        (503, &[("retry-after", "600")][..], true),
    ] {
        let mut story = Story::new();
        story.answers(status, headers).later(10.0);
        let quiet = Cause::Quiet { status: Some(status), named };
        assert_eq!(story.forbidden(Asking::Anyway), Some(quiet));
        story.later(3.0 * HOUR);
        assert_eq!(story.forbidden(Asking::Politely), None);
    }
    let mut story = Story::new();
    story.answers(503, &[]).later(10.0);
    assert!(story.forbidden(Asking::Politely).is_some());
    assert_eq!(story.forbidden(Asking::Anyway), None, "it did not say for how long");
    story.answers(410, &[]);
    assert_eq!(story.forbidden(Asking::Politely), Some(Cause::Ended { status: 410 }));
    assert_eq!(story.forbidden(Asking::Anyway), None);
}

#[test]
fn a_source_that_fails_may_be_tried_by_hand_after_a_minute() {
    let mut story = Story::new();
    story.fails().later(30.0);
    assert!(matches!(story.forbidden(Asking::Politely), Some(Cause::BackOff { .. })));
    story.later(31.0);
    assert_eq!(story.forbidden(Asking::Politely), None);
    story.answers(500, &[("retry-after", "600")]).later(61.0);
    assert_eq!(story.forbidden(Asking::Politely), Some(Cause::RetryAfter));
}

#[test]
fn what_an_earlier_version_stored_is_kept_and_explained_as_well_as_possible() {
    let mut story = Story::new();
    story.answers(200, &[("cache-control", "max-age=7200")]);
    story.state.courtesy.asked_until = story.state.next_at;
    story.manners.rules = RuleBook::new(Rules { floor: 60.0, ..Rules::default() });
    assert_eq!(story.manners.next_at(story.case()), story.state.next_at);
    let holds = story.manners.holds(story.case(), story.now);
    let expected = Hold { cause: Cause::MaxAge { seconds: 7_200.0 }, until: story.state.next_at };
    assert_eq!(holds[0], expected);
}

#[test]
fn what_may_be_asked_waits_until_it_is_worth_it_at_this_budget() {
    let mut story = Story::new();
    let fresh = Prospect { seen: false, worth: None, expected: Some(NOW), ..story.prospect() };
    let next = story.manners.why(story.case(), &fresh, None, 10.0, NOW);
    assert_eq!((next.at, next.reasons[0].why), (Some(NOW), Why::NeverRefreshed));
    story.answers(200, &[]);
    // It is taken as soon as the floor allows it.
    let free = story.state.next_at;
    let next = story.next(Some(free + 5.0));
    assert_eq!((next.at, next.reasons.len()), (Some(free + 5.0), 1));
    assert_eq!(next.reasons[0], Reason { why: Why::Held(FLOOR), until: Some(free) });
    // It is worth it later only.
    let next = story.next(Some(free + 500.0));
    let worth = Why::Worth { now: 0.4, least: 0.9 };
    assert_eq!(next.reasons[0], Reason { why: worth, until: Some(free + 500.0) });
    assert_eq!(next.reasons[1].why, Why::Held(FLOOR));
    // Nobody can say when.
    let next = story.later(2.0 * HOUR).next(None);
    assert_eq!(next.reasons, [Reason { why: worth, until: None }]);
    story.answers(410, &[]);
    let ended = story.next(Some(story.now));
    assert_eq!((ended.at, ended.reasons.len()), (None, 1));
}

#[test]
fn whoever_pushes_or_waits_for_its_site_is_named() {
    let mut story = Story::new();
    story.answers(200, &[]);
    let day = NOW + 24.0 * HOUR;
    let pushed = Prospect { hub_until: Some(day), expected: Some(day), ..story.prospect() };
    let next = story.manners.why(story.case(), &pushed, None, 10.0, NOW);
    assert_eq!(next.reasons[0], Reason { why: Why::Hub, until: Some(day) });
    let watched = Prospect { watched_until: Some(day), expected: Some(day), ..story.prospect() };
    let next = story.manners.why(story.case(), &watched, Some(day + 1.0), 10.0, NOW);
    let whys: Vec<Why> = next.reasons.iter().map(|reason| reason.why).collect();
    assert_eq!(whys, [Why::SiteQuiet, Why::Watched, Why::Held(FLOOR)]);
    let out = Prospect { out: true, ..story.prospect() };
    let next = story.manners.why(story.case(), &out, None, 10.0, NOW);
    assert_eq!((next.at, next.reasons[0].why), (Some(NOW), Why::UnderWay));
    let later = Prospect { next_at: day, expected: Some(day), ..story.prospect() };
    let next = story.manners.why(story.case(), &later, None, 10.0, NOW);
    assert_eq!(next.reasons[0].why, Why::SetBefore);
}

#[test]
fn a_peer_is_treated_by_the_rules_of_peers() {
    let mut story = Story::new();
    story.link = Some(Link::new(FEED, "F".into()));
    story.hears(Reply::Peer(PeerReply::Busy { retry_after: Some(40.0) }));
    assert_eq!(story.manners.next_at(story.case()), story.state.next_at);
    story.later(600.0).fails();
    assert_eq!(story.manners.next_at(story.case()), story.state.next_at);
    assert!(story.state.next_at < story.now + 100.0, "{}", story.state.next_at - story.now);
}

#[test]
fn a_source_that_was_paused_by_hand_waits_until_it_is_resumed() {
    let mut story = Story::new();
    story.state.courtesy.halted = true;
    assert_eq!(story.manners.next_at(story.case()), f64::INFINITY, "also before its first refresh");
    let hold = |story: &Story, asking| story.manners.forbids(story.case(), asking, story.now);
    assert_eq!(hold(&story, Asking::Politely).unwrap().cause, Cause::Halted);
    assert_eq!(hold(&story, Asking::Anyway), None, "whoever insists may ask it");
    // One refresh that was forced does not end the pause, well or not.
    story.answers(200, &[]);
    story.now += HOUR;
    story.fails();
    assert!(story.state.courtesy.halted);
    assert_eq!(story.manners.next_at(story.case()), f64::INFINITY);
    // What the site asks for holds besides, and stays when it is resumed.
    story.now += HOUR;
    story.answers(429, &[("retry-after", "7200")]);
    let quiet = hold(&story, Asking::Anyway).unwrap();
    assert!(matches!(quiet.cause, Cause::Quiet { status: Some(429), .. }), "{quiet:?}");
    story.state.courtesy.halted = false;
    let next = story.manners.next_at(story.case());
    assert!(next >= story.now + 7_200.0 && next.is_finite(), "{next}");
}
