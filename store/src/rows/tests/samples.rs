//! Values with something in every field and every variant of every enum.

use std::collections::VecDeque;

use pergola_accounts::secret::Digest;
use pergola_accounts::{AppPassword, Following, Preferences, Role, Session, UserId, UserRecord};
use pergola_feed::html::Selectors;
use pergola_feed::identity::{IdentityParts, Policy, SourceIdentity};
use pergola_feed::{
    Category, Credit, Details, Enclosure, Hop, Item, Link, Media, Millis, NodeId, Origin, OriginId,
    Person, Picture, Series, Text, Timestamp,
};
use pergola_manners::Cooperation;
use pergola_manners::courtesy::{
    Courtesy, Ended, FailureKind, Failures, Moved, Outcome, Pace, Pause, QuietTimes, Validators,
};
use pergola_manners::link::{self, PeerNode, PeerQuality, Setback};
use pergola_manners::secret::Secret;
use pergola_manners::source::{
    Credentials, ItemKey, Known, KnownItem, Loop, PastRefresh, Proof, SourceId, SourceKind,
    SourceRecord, SourceState, Tally, unknown,
};
use pergola_profile::{Cohesion, StoredProfile};
use pergola_query::{AgedCount, QueryId, Selectivity, SelectivityParts};
use pergola_refresh::parts::{
    CalendarParts, ConstantParts, DynamoParts, GammaParts, GammaSlotsParts, HybridParts,
    LikelihoodParts, ModelParts, MovingAverageParts, PeriodicParts, RelayedParts, SingleParts,
};
use pergola_refresh::quality::{Estimate, EstimateParts};
use pergola_refresh::{Controller, Model, Source, Threshold, ThresholdParts};

use super::Written;
use crate::records::{
    Entry, Every, FeedRecord, FeedTally, HostTally, HubTally, Lease, Manifest, NodeRecord,
    Notification, ProfileRecord, Push, Removed, Sample, SegmentRecord, Starred, Subscription,
    Suspect, Trouble, Way,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Numbers that grow from 1 in steps of a quarter.
fn numbers<const N: usize>() -> [f32; N] {
    std::array::from_fn(|n| 1.0 + n as f32 / 4.0)
}

pub(super) fn items(written: &mut Written) {
    written.is("item-bare", &Item::new("urn:item:0"));
    let item = Item {
        guid: some("guid"),
        title: some("Tïtle"),
        link: some("https://example.org/1"),
        links: vec![
            Link { media_type: some("text/html"), ..Link::new("via", "https://example.org/") },
            Link::new("related", "https://example.org/2"),
        ],
        summary: Some(Text::plain("short")),
        content: Some(Text::html("<p>long</p>")),
        authors: vec![Person { name: some("Ada"), uri: some("https://a/"), email: some("a@b") }],
        categories: vec![Category { scheme: some("scheme"), ..Category::new("term") }],
        published: Some(Timestamp::from_unix(-5)),
        updated: Some(Timestamp::from_unix(1_794_880_800)),
        first_seen: Some(Timestamp::from_unix(1_794_880_801)),
        enclosures: vec![Enclosure {
            url: "https://example.org/1.mp3".into(),
            media_type: some("audio/mpeg"),
            length: Some(1 << 40),
            ..Enclosure::default()
        }],
        origin: Some(Origin {
            id: some("id"),
            title: some("Origin"),
            feed: some("https://example.org/feed"),
            home: some("https://example.org/home"),
            ..Origin::default()
        }),
        hops: vec![
            Hop::at(NodeId("one".into())),
            Hop {
                node: NodeId("two".into()),
                fetched: Some(Millis::from_unix(1_794_880_800_250)),
                published: Some(Millis::from_unix(-250)),
            },
        ],
        ..Item::new("urn:item:1")
    };
    written.is("item-full", &item);
    let details =
        Details { medium: some("video"), width: Some(640), height: None, duration: Some(61) };
    let file = |details| Enclosure { details, ..item.enclosures[0].clone() };
    let origin = Origin {
        identity: Some(OriginId(u128::MAX / 5)),
        series: Some(Box::new(Series {
            image: some("https://example.org/cover.jpg"),
            author: some("Ada"),
            kind: some("serial"),
            explicit: Some(false),
            categories: vec!["Science".into()],
        })),
        ..Origin::default()
    };
    let media = Media {
        thumbnails: vec![Picture { url: "https://a/1.jpg".into(), width: Some(75), height: None }],
        image: some("https://a/2.jpg"),
        duration: Some(3723),
        season: Some(2),
        episode: Some(300),
        kind: some("bonus"),
        explicit: Some(true),
        title: some("Short"),
        author: some("Grace"),
        subtitle: some("Sub"),
        summary: some("Sum"),
        credits: vec![Credit { name: "Ada".into(), role: some("photographer") }],
    };
    let podcast = Item {
        enclosures: vec![file(None), file(Some(Box::new(details)))],
        media: Some(Box::new(media)),
        origin: Some(origin),
        ..Item::new("urn:item:2")
    };
    written.is("item-media", &podcast);
}

pub(super) fn sources(written: &mut Written) {
    let feed = SourceRecord {
        url: "https://example.org/feed".into(),
        formerly: vec!["https://example.org/old".into(), "https://example.org/older".into()],
        title: some("A title"),
        kind: SourceKind::Feed,
        importance: 2.5,
        added_at: 1_794_880_800.5,
        wanted: true,
        declared: false,
        lists: vec![SourceId(7), SourceId(300)],
        origin: OriginId(u128::MAX),
        private: true,
        credentials: Some(Credentials {
            origin: "https://example.org".into(),
            proof: Proof::Password { user: "bob".into(), password: Secret::new("sesame") },
        }),
        folders: vec!["Tech".into(), "Friends".into()],
        only_new: true,
    };
    written.is("source-feed", &feed);
    let selectors = Selectors {
        item: "article".into(),
        title: some("h2"),
        link: some("a"),
        date: some("time"),
        content: None,
    };
    let kind = SourceKind::Page(selectors);
    let proof = Proof::Header { name: "X-Key".into(), value: Secret::new("sesame") };
    let credentials = feed.credentials.clone().map(|given| Credentials { proof, ..given });
    written.is("source-page", &SourceRecord { kind, title: None, credentials, ..feed.clone() });
    let list = SourceRecord {
        kind: SourceKind::List,
        lists: vec![],
        private: false,
        credentials: None,
        folders: vec![],
        only_new: false,
        ..feed.clone()
    };
    written.is("source-list", &list);
    written.is("removed-source", &Removed { at: 1_794_880_900.5, what: feed });

    written.is("state-new", &SourceState::new(unknown()));
    let outcomes =
        [Outcome::Changed, Outcome::Unchanged, Outcome::Delta, Outcome::Paused, Outcome::Gone];
    let failed = FailureKind::ALL.map(Outcome::Failed);
    let recent = outcomes.into_iter().chain(failed).enumerate().map(|(n, outcome)| PastRefresh {
        at: 1000.0 + n as f64,
        outcome,
        new_items: n as u32,
        bytes: 100 * n as u32,
    });
    let mut recent: VecDeque<PastRefresh> = recent.collect();
    // In two pieces in memory, as a ring buffer that has been in use.
    let first = recent.pop_front().unwrap();
    recent.push_back(first);
    written.is(
        "state-full",
        &SourceState {
            schedule: unknown(),
            unchanged_at: Some(5.5),
            courtesy: courtesy(),
            next_at: 6.5,
            title: some("Document"),
            home: some("https://example.org/"),
            document: u64::MAX,
            tally: Tally {
                requests: 1,
                not_modified: 2,
                failures: 3,
                bytes: 1 << 33,
                items: 5,
                updates: 6,
                overruns: 7,
            },
            quality: Estimate::from_parts(EstimateParts {
                delivered: 1.5,
                lost: 2.5,
                stale: 3.5,
                time: 4.5,
            })
            .unwrap(),
            recent,
            trouble: some("no feed found"),
        },
    );
    written.is("known-nothing", &Known::default());
    for (name, policy) in
        [("known-id", Policy::Id), ("known-link", Policy::Link), ("known-digest", Policy::Digest)]
    {
        let lately = VecDeque::from([(1, u64::MAX), (3, 4)]);
        let parts = IdentityParts { policy, judged: 500, bad: 2, lately };
        let item = |n: u32| KnownItem {
            key: ItemKey(u128::MAX - u128::from(n)),
            digest: 1 << 100,
            chunk: 70_000 + n,
            index: 31,
            first_seen: 1.25,
            seen_at: 2.25,
        };
        let identity = SourceIdentity::from_parts(parts);
        written.is(name, &Known { identity, items: vec![item(0), item(1)], next_chunk: 9 });
    }
}

fn courtesy() -> Courtesy {
    let mut courtesy = Courtesy { asked_until: f64::INFINITY, ..Courtesy::default() };
    courtesy.validators =
        Validators { etag: Some(b"W/\"\xff\"".to_vec()), last_modified: Some(b"Mon".to_vec()) };
    courtesy.lifetime = Some(600.0);
    courtesy.period = Some(1800.0);
    courtesy.quiet_times = QuietTimes::from_bits(0x80_0001, 0x41);
    courtesy.pause = Some(Pause { until: 7.5, status: Some(429), count: 2 });
    courtesy.failures = Some(Failures { count: 3, since: 8.5, kind: FailureKind::Tls });
    courtesy.forbidden = 4;
    courtesy.moved = Some(Moved { to: "https://example.org/new".into(), since: 9.5 });
    courtesy.ended = Some(Ended { status: 410, at: 10.5 });
    courtesy.last_unconditional = Some(11.5);
    courtesy.pace = Pace::from_parts(1.5, 2.5, Some(3.5));
    courtesy
}

fn single() -> SingleParts {
    SingleParts { rate: 0.5, alpha: 0.25, errors: Some((numbers(), 300)) }
}

fn periodic() -> PeriodicParts {
    PeriodicParts { slot_length: 3600.0, slots: 24, alpha: 0.125, rates: numbers() }
}

fn gamma() -> GammaParts {
    GammaParts { prior_time: 0.5, memory: 1.5, items: 2.5, time: 3.5 }
}

fn moving_average(next: u8) -> MovingAverageParts {
    let (counts, spans) = (numbers(), numbers());
    MovingAverageParts { prior: 0.5, counts, spans, next, idle: 1.5 }
}

pub(super) fn models(written: &mut Written) {
    let mut is = |name: &str, parts: ModelParts<'_>| {
        written.is(name, &Model::from_parts(parts).unwrap());
    };
    is("model-constant", ModelParts::Constant(ConstantParts { rate: 0.5 }));
    is("model-single", ModelParts::Single(SingleParts { errors: None, ..single() }));
    is("model-single-dynamic", ModelParts::Single(single()));
    is("model-periodic", ModelParts::Periodic(periodic()));
    is(
        "model-hybrid",
        ModelParts::Hybrid(HybridParts {
            single: single(),
            periodic: periodic(),
            single_errors: numbers(),
            periodic_errors: numbers(),
            next: 4,
        }),
    );
    let profile = std::array::from_fn(|n| (n as f32, n as f32 / 2.0, n % 2 == 1));
    is(
        "model-likelihood",
        ModelParts::Likelihood(LikelihoodParts { rate: 0.5, profile, next: 15 }),
    );
    is("model-gamma", ModelParts::Gamma(gamma()));
    is(
        "model-gamma-slots",
        ModelParts::GammaSlots(GammaSlotsParts {
            slot_length: 1800.0,
            slots: 23,
            prior_time: 0.75,
            uses_dates: true,
            items: numbers(),
            time: numbers(),
        }),
    );
    let cells: Vec<(f32, f32)> = (0..492).map(|n| (n as f32, n as f32 / 8.0)).collect();
    is(
        "model-calendar",
        ModelParts::Calendar(CalendarParts {
            prior_time: 0.5,
            items: 1.5,
            time: 2.5,
            cells: cells.into(),
            scale: 3.5,
            credit: numbers(),
        }),
    );
    is("model-moving-average", ModelParts::MovingAverage(moving_average(7)));
    is(
        "model-relayed",
        ModelParts::Relayed(RelayedParts {
            beyond: Box::new(ModelParts::Gamma(gamma())),
            made: 100.5,
            until: 200.5,
            planned: vec![(150.5, 3.5), (200.5, 4.5)],
        }),
    );
    is(
        "model-dynamo",
        ModelParts::Dynamo(DynamoParts {
            interval: 0.5,
            items: 1.5,
            alpha: 0.75,
            series: numbers::<3>().to_vec(),
            unsought: 2,
            idle: 3.5,
        }),
    );
    written.is(
        "schedule",
        &Source {
            model: Model::from_parts(ModelParts::Gamma(gamma())).unwrap(),
            window: 300,
            last: Some(1.5),
            relevance: 2.5,
            cost: 3.5,
            shown: 20,
            dispersion: 4.5,
        },
    );
}

/// A moving average whose ring goes on beyond its end.
pub(super) fn model_bytes_with_a_wrong_place() -> Vec<u8> {
    let model = Model::from_parts(ModelParts::MovingAverage(moving_average(7))).unwrap();
    let mut bytes = super::encode(&model);
    let next = bytes.len() - 5;
    assert_eq!(bytes[next], 7);
    bytes[next] = 8;
    bytes
}

pub(super) fn peers(written: &mut Written) {
    let bare = link::Link::new("https://peer.example/feeds/F", "F".into());
    written.is("link-new", &bare);
    written.is(
        "link-full",
        &link::Link {
            node: Some(PeerNode { id: "abc".into(), name: "Peer".into() }),
            cursor: "c7".into(),
            moved_at: Some(1.5),
            sequence: Some(300),
            window: 50,
            from_oldest: true,
            begun_again_at: Some(2.5),
            setback: Some(Setback { until: 3.5, count: 4, why: "reset".into() }),
            quality: Some(PeerQuality { completeness: 0.5, freshness: 0.75 }),
            ..bare
        },
    );
    written.is("wish", &Cooperation { hints: true, watch: false, archive: true });
    let nodes = ["a", "b", "a"].map(|name| NodeId(name.into())).to_vec();
    written.is("loop", &Loop { since: 1.5, seen: 2.5, nodes });
    let push = Push {
        source: SourceId(300),
        hub: "https://hub.example/".into(),
        topic: "https://example.org/feed".into(),
        secret: "secret".into(),
        wanted: true,
        lease: Some(Lease { since: 1.5, from: 2.5, until: 3.5 }),
        asked_at: Some(4.5),
        next_ask: f64::INFINITY,
        tries: 5,
        trouble: some("refused"),
        polled_at: 6.5,
        suspect: Some(Suspect { items: 7, at: 8.5 }),
        tally: HubTally {
            pushes: 1,
            items: 2,
            missed: 3,
            forged: 4,
            failures: 500,
            lately_told: 6.5,
            lately_missed: 7.5,
        },
    };
    written.is("push-full", &push);
    let bare = Push { lease: None, asked_at: None, trouble: None, suspect: None, ..push };
    written.is("push-bare", &bare);
}

pub(super) fn feeds(written: &mut Written) {
    let feed = FeedRecord {
        name: "Volcanoes".into(),
        statement: "CREATE FEED Volcanoes AS RETURN OPML \"all\";".into(),
        created_at: 1.5,
        declared: true,
    };
    written.is("feed", &feed);
    written.is("removed-feed", &Removed { at: 1_794_880_900.5, what: feed });
    written.is("feed-tally", &FeedTally { next: 300, edition: 7, changed_at: 2.5 });
    written.is(
        "entry",
        &Entry {
            key: ItemKey(u128::MAX / 3),
            source: SourceId(300),
            chunk: 70_000,
            index: 31,
            at: 1.5,
            changed_at: 2.5,
            dated: 0.5,
        },
    );
    written.is("old-ids", &crate::records::OldIds { before: 300, except: vec![7, 200] });
    written.is("member", &300_u64);
    written.is("readers", &vec!["ada".to_owned(), "grace".to_owned()]);
    let subscription = Subscription {
        feed: crate::records::FeedId(300),
        form: 2,
        topic: "https://node.example/feeds/Volcanoes.atom".into(),
        callback: "https://reader.example/".into(),
        secret: Some(b"\xffsecret".to_vec()),
        since: 1.5,
        expires_at: 2.5,
        delivered: 400,
        tries: 3,
        next_try: 4.5,
    };
    written.is(
        "notifications",
        &vec![
            Notification {
                id: "0a1b".into(),
                way: Way::Webhook {
                    url: "https://hook.example/in".into(),
                    secret: "sesame".into(),
                },
                since: 1.5,
                next: 300,
                until: 320,
                due_at: 2.5,
                delivered_at: None,
                trouble: Some(Trouble { since: 1.75, tries: 3, last: "it answered 500".into() }),
                paused: true,
            },
            Notification {
                id: "2c3d".into(),
                way: Way::Mail { address: "ada@reader.example".into(), every: Every::Week },
                since: 1.5,
                next: 0,
                until: 0,
                due_at: 3.5,
                delivered_at: Some(2.25),
                trouble: None,
                paused: false,
            },
        ],
    );
    written.is("subscription", &subscription);
    written.is("subscription-open", &Subscription { secret: None, ..subscription });
    written.is(
        "profile",
        &ProfileRecord {
            kept: StoredProfile {
                items: vec![vec!["lava".into(), "lava flow".into()], vec![], vec!["ash".into()]],
                cohesion: Cohesion::from_parts(300, 0.5, 0.25).unwrap(),
            },
            seen: 1.5,
            novel: 0.5,
        },
    );
}

pub(super) fn node(written: &mut Written) {
    let node = |threshold| NodeRecord {
        id: "0123456789abcdef".into(),
        threshold,
        next_source: 300,
        next_feed: 4,
    };
    written.is("node-new", &node(None));
    for (name, controller) in [
        ("node-literal", Controller::Literal),
        ("node-steady", Controller::Steady { horizon: 1440.0 }),
    ] {
        let threshold = Threshold::from_parts(ThresholdParts {
            value: 0.5,
            controller,
            excess: -1.5,
            recent: 2.5,
            searching: 3,
            since_passing: 4.5,
        });
        written.is(name, &node(Some(threshold.unwrap())));
    }
    written.is(
        "host",
        &HostTally {
            requests: 300,
            not_modified: 2,
            bytes: 1 << 33,
            pauses: 4,
            hints: 5,
            last: 6.5,
        },
    );
    let segment =
        SegmentRecord { number: 299, documents: 4_000, gone: 5, newest: -7, bytes: 1 << 20 };
    written.is("manifest", &Manifest { whole: true, next: 300, segments: vec![segment] });
    written.is(
        "sample",
        &Sample {
            threshold: 0.5,
            budget: 1.5,
            refreshes: 300,
            not_modified: 2,
            failures: 3,
            items: 4,
            bytes: 1 << 33,
            completeness: 0.75,
            freshness: 0.25,
        },
    );
    let count = |count: f64, at: i64| AgedCount { count, at };
    let (source, feed) = (pergola_query::SourceId, QueryId);
    written.is(
        "selectivity",
        &Selectivity::from_parts(SelectivityParts {
            half_life: 2_592_000,
            seen: vec![(source(1), count(1.5, -7)), (source(300), count(2.5, 1_794_880_800))],
            pairs: vec![
                (source(1), feed(4), [count(0.5, 8), count(0.25, 9)]),
                (source(300), feed(2), [count(3.5, 10), count(4.5, 11)]),
            ],
        }),
    );
}

pub(super) fn people(written: &mut Written) {
    let bare = UserRecord {
        name: "Ada".into(),
        role: Role::Admin,
        password: None,
        subject: None,
        created_at: 1.5,
        preferences: Preferences::default(),
    };
    written.is("user-admin", &bare);
    let preferences = Preferences {
        zone: some("Europe/Rome"),
        others: vec![("order".into(), "oldest".into()), ("view".into(), "list".into())],
    };
    written.is(
        "user-reader",
        &UserRecord {
            role: Role::Reader,
            password: some("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"),
            subject: some("248289761001"),
            preferences,
            ..bare
        },
    );
    let session =
        Session { user: UserId(300), created_at: 1.5, seen_at: 2.5, agent: "Browser/1".into() };
    written.is("session", &session);
    let password = AppPassword {
        name: "My phone".into(),
        digest: Digest(std::array::from_fn(|n| n as u8 * 8)),
        created_at: 1.5,
        used_at: None,
    };
    written.is("app-password", &password);
    written.is("app-password-used", &AppPassword { used_at: Some(2.5), ..password });
    written.is("following", &Following { title: None, folders: None, since: 1.5 });
    let folders = Some(vec!["Tech/Rust".to_owned(), "Friends".to_owned()]);
    written.is("following-own", &Following { title: some("Mine"), folders, since: 1.5 });
    written.is("mark", &1.5_f64);
    let entry = Entry {
        key: ItemKey(u128::MAX / 3),
        source: SourceId(300),
        chunk: 70_000,
        index: 31,
        at: 1.5,
        changed_at: 2.5,
        dated: 0.5,
    };
    let feed = crate::records::FeedId(300);
    written.is("starred", &Starred { feed, sequence: 400, entry, item: Item::new("urn:item:0") });
}
