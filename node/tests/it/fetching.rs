//! The fetcher against a real server on this machine: rules 2, 4, 5, 7, 8 and 13.

use std::time::Duration;

use pergola_feed::Limits;
use pergola_manners::courtesy::{Courtesy, FailureKind, Outcome, Rules, Validators};
use pergola_manners::heard::{Hearing, hear};
use pergola_outside::fetch::{
    Answer, Ask, DecodeLimits, FetchError, FetchSettings, Fetcher, Stage,
};
use pergola_outside::guard::Guard;
use pergola_outside::surroundings::{Outside, ResolverFiles};
use pergola_store::archive::SourceKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use crate::origin::{Origin, Reply};

fn settings() -> FetchSettings {
    FetchSettings {
        contact: "https://node.example/about".to_owned(),
        guard: Guard::allowing(["127.0.0.1".parse().unwrap()]),
        ..FetchSettings::default()
    }
}

fn impatient() -> FetchSettings {
    FetchSettings { total_timeout: Duration::from_millis(300), ..settings() }
}

fn ask(url: Url) -> Ask {
    Ask::new(url, Validators::default(), 7)
}

async fn fetch(url: Url) -> Result<Answer, FetchError> {
    Fetcher::new(settings()).unwrap().fetch(&ask(url)).await
}

async fn failure(settings: FetchSettings, url: Url) -> FetchError {
    Fetcher::new(settings).unwrap().fetch(&ask(url)).await.unwrap_err()
}

#[tokio::test]
async fn rule_2_validators_are_sent_back_byte_for_byte_and_a_304_is_unchanged() {
    let etag = b"W/\"caf\xe9 \"quoted\"\"";
    let date = "Tue, 14 nov 2023 22:13:20 +0000";
    let feed = "<rss version='2.0'><channel><title>News</title></channel></rss>";
    let page = Reply::ok(feed).header("etag", etag).header("last-modified", date);
    let origin = Origin::builder().page("/feed", page.conditional()).start().await;
    let fetcher = Fetcher::new(settings()).unwrap();
    let mut courtesy = Courtesy::default();
    let mut outcomes = Vec::new();
    for now in [0.0, 3_600.0] {
        let ask = Ask::new(origin.url("/feed"), courtesy.request(now), 1);
        let answer = fetcher.fetch(&ask).await.unwrap();
        let conditional = !ask.validators.is_empty();
        let reply = answer.into_reply(conditional, None, fetcher.decode_limits());
        let (kind, last, formerly, limits) = (&SourceKind::Feed, 0, &[][..], &Limits::default());
        let heard = hear(reply, Hearing { kind, last, formerly, limits, now });
        let exchange = heard.exchange(0, &ask.url);
        outcomes.push(courtesy.after(&exchange, now, &Rules::default(), 0.0).outcome);
    }
    assert_eq!(outcomes, [Outcome::Changed, Outcome::Unchanged]);
    let requests = origin.requests("/feed");
    assert_eq!(requests[0].header("if-none-match"), None);
    assert_eq!(requests[1].header("if-none-match"), Some(&etag[..]));
    assert_eq!(requests[1].text("if-modified-since"), date);
}

#[tokio::test]
async fn rule_4_the_connection_is_kept_alive_whatever_was_answered() {
    let origin = Origin::builder()
        .page("/feed", Reply::ok("<rss/>"))
        .page("/busy", Reply::status(503).header("x", "y"))
        .page("/old", Reply::redirect(301, "/feed"))
        .start()
        .await;
    let fetcher = Fetcher::new(settings()).unwrap();
    for path in ["/feed", "/busy", "/old", "/nowhere", "/feed"] {
        fetcher.fetch(&ask(origin.url(path))).await.unwrap();
    }
    assert_eq!(origin.connections(), 1);
    assert_eq!(origin.requests("/feed").last().unwrap().connection, 1);
}

#[tokio::test]
async fn rule_5_no_second_attempt_after_429_and_503() {
    let refusals = [Reply::status(429).header("retry-after", "60"), Reply::status(503)];
    let origin = Origin::builder().script("/feed", refusals).start().await;
    for (attempt, status) in [(1, 429), (2, 503)] {
        let answer = fetch(origin.url("/feed")).await.unwrap();
        assert_eq!((answer.status, origin.hits("/feed")), (status, attempt));
    }
}

#[tokio::test]
async fn rule_7_encodings_are_asked_for_and_undone() {
    let text = "<rss>".repeat(1_000);
    let mut builder = Origin::builder().page("/plain", Reply::ok(text.as_str()));
    for encoding in ["zstd", "br", "gzip"] {
        builder = builder.page(&format!("/{encoding}"), Reply::ok(text.as_str()).packed(encoding));
    }
    let origin = builder.start().await;
    for path in ["/plain", "/zstd", "/br", "/gzip"] {
        let answer = fetch(origin.url(path)).await.unwrap();
        assert_eq!(answer.decoded(&DecodeLimits::default()).unwrap(), text.as_bytes(), "{path}");
        assert_eq!(answer.wire_bytes < 1_000, path != "/plain", "{path}");
        assert_eq!(origin.requests(path)[0].text("accept-encoding"), "zstd, br, gzip");
    }
}

#[tokio::test]
async fn rule_7_a_delta_is_asked_for_only_together_with_a_validator() {
    let delta = Reply::status(226).header("im", "feed").header("etag", "\"2\"");
    let origin = Origin::builder().page("/feed", delta).start().await;
    let fetcher = Fetcher::new(settings()).unwrap();
    let etag = Some(b"\"1\"".to_vec());
    let mut asked = Ask { delta: true, ..ask(origin.url("/feed")) };
    fetcher.fetch(&asked).await.unwrap();
    asked.validators = Validators { etag, last_modified: None };
    let answer = fetcher.fetch(&asked).await.unwrap();
    assert_eq!((answer.status, answer.head.im.unwrap().as_bytes()), (226, &b"feed"[..]));
    let requests = origin.requests("/feed");
    assert_eq!(requests[0].header("a-im"), None);
    assert_eq!(requests[1].text("a-im"), "feed");
}

#[tokio::test]
async fn rule_7_five_redirects_are_followed_and_recorded_and_the_sixth_is_refused() {
    let mut builder = Origin::builder().page("/6", Reply::ok("<rss/>"));
    for (step, status) in [301, 302, 303, 307, 308, 301].into_iter().enumerate() {
        let to = format!("/{}", step + 1);
        builder = builder.page(&format!("/{step}"), Reply::redirect(status, &to));
    }
    let origin = builder.start().await;
    let answer = fetch(origin.url("/1")).await.unwrap();
    assert_eq!((answer.status, &answer.url), (200, &origin.url("/6")));
    let hops: Vec<(u16, &str)> =
        answer.hops.iter().map(|hop| (hop.status, hop.to.path())).collect();
    assert_eq!(hops, [(302, "/2"), (303, "/3"), (307, "/4"), (308, "/5"), (301, "/6")]);

    let error = fetch(origin.url("/0")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects { most: 5, .. }), "{error}");
    assert_eq!(origin.hits("/6"), 1, "what must not be followed is not asked for");
}

#[tokio::test]
async fn rule_7_an_endless_body_is_cut_off() {
    let origin = Origin::builder()
        .page("/endless", Reply::endless())
        .page("/announced", Reply::announcing(1 << 40))
        .start()
        .await;
    for path in ["/endless", "/announced"] {
        let limited = FetchSettings { max_body: 100_000, ..settings() };
        let error = failure(limited, origin.url(path)).await;
        assert!(matches!(error, FetchError::TooLarge { most: 100_000, .. }), "{error}");
    }
}

#[tokio::test]
async fn rule_7_dripping_bytes_do_not_extend_the_deadline() {
    let origin = Origin::builder()
        .page("/drip", Reply::dripping(Duration::from_millis(20)))
        .page("/silent", Reply::silence())
        .start()
        .await;
    for (path, expected) in [("/drip", Stage::Body), ("/silent", Stage::Headers)] {
        let error = failure(impatient(), origin.url(path)).await;
        assert!(matches!(error, FetchError::Timeout { stage, .. } if stage == expected), "{error}");
    }
}

#[tokio::test]
async fn rule_7_a_bomb_does_not_unpack() {
    let bomb = Reply::ok(vec![0; 9 * 1024 * 1024]).packed("gzip");
    let origin = Origin::builder().page("/bomb", bomb).start().await;
    let answer = fetch(origin.url("/bomb")).await.unwrap();
    assert!(answer.wire_bytes < 20_000);
    let error = answer.decoded(&DecodeLimits::default()).unwrap_err();
    assert!(matches!(error, FetchError::Bomb { ratio: 100, .. }), "{error}");
}

#[tokio::test]
async fn rule_8_the_user_agent_says_who_we_are_and_for_how_many() {
    let origin = Origin::builder().page("/feed", Reply::ok("<rss/>")).start().await;
    fetch(origin.url("/feed")).await.unwrap();
    let request = &origin.requests("/feed")[0];
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("Pergola/{version} (+https://node.example/about; 7 subscribers)");
    assert_eq!(request.text("user-agent"), expected);
    assert_eq!(request.method, "GET");
    assert!(request.text("accept").contains("application/atom+xml"));
}

#[tokio::test]
async fn rule_8_no_cookies_no_referer_no_cache_busting() {
    let moved = Reply::redirect(302, "/feed").header("set-cookie", "a=b; Path=/");
    let feed = Reply::ok("<rss/>").header("set-cookie", "c=d; Path=/");
    let origin = Origin::builder().page("/old", moved).page("/feed", feed).start().await;
    let fetcher = Fetcher::new(settings()).unwrap();
    for _ in 0..2 {
        fetcher.fetch(&ask(origin.url("/old"))).await.unwrap();
    }
    assert_eq!((origin.hits("/old"), origin.hits("/feed")), (2, 2));
    for request in origin.requests("/feed").iter().chain(&origin.requests("/old")) {
        let mut names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"]);
    }
}

#[tokio::test]
async fn rule_13_a_redirect_into_a_private_network_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    std::fs::write(&hosts, "127.0.0.1 allowed.example\n127.0.0.3 inner.example\n").unwrap();
    let files = ResolverFiles { hosts, resolv_conf: folder.path().join("missing") };
    let origin = Origin::builder().page("/feed", Reply::ok("<rss/>")).start().await;
    let port = origin.url("/").port().unwrap();
    let settings = FetchSettings { outside: Outside::resolving_by(&files), ..settings() };
    for host in ["127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "0x7f000002", "inner.example"] {
        origin.set("/old", Reply::redirect(302, &format!("http://{host}:{port}/feed")));
        let error = failure(settings.clone(), origin.url("/old")).await;
        assert!(error.private_address().is_some(), "{host}: {error}");
        assert!(error.to_string().contains("`pergola source add`"), "{error}");
    }
    assert_eq!(origin.hits("/feed"), 0);
    let allowed = Url::parse(&format!("http://allowed.example:{port}/feed")).unwrap();
    assert_eq!(Fetcher::new(settings).unwrap().fetch(&ask(allowed)).await.unwrap().status, 200);
}

#[tokio::test]
async fn rule_13_private_addresses_are_refused_at_the_first_hop_too() {
    let origin = Origin::builder().start().await;
    let error = failure(FetchSettings::default(), origin.url("/feed")).await;
    assert_eq!(error.kind(), FailureKind::PrivateAddress);
    assert_eq!(origin.connections(), 0);
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_a_tls_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_u8().await.unwrap();
        stream.write_all(b"this is no handshake\r\n").await.unwrap();
        stream.read_to_end(&mut Vec::new()).await.unwrap_or_default();
    });
    let url = Url::parse(&format!("https://{address}/feed")).unwrap();
    let error = failure(settings(), url).await;
    assert!(matches!(error, FetchError::Tls { .. }), "{error:?}");
    assert!(error.to_string().contains("crawl.extra_ca"), "{error}");
    serving.await.unwrap();
}

#[tokio::test]
async fn a_name_that_does_not_exist_fails_soon() {
    let folder = tempfile::tempdir().unwrap();
    let resolv_conf = folder.path().join("resolv.conf");
    std::fs::write(&resolv_conf, "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n").unwrap();
    let files = ResolverFiles { hosts: folder.path().join("missing"), resolv_conf };
    let settings = FetchSettings { outside: Outside::resolving_by(&files), ..settings() };
    let url = Url::parse("http://name.invalid/feed").unwrap();
    let error = failure(settings, url).await;
    assert!(matches!(error, FetchError::Dns { .. }), "{error:?}");
    assert!(error.to_string().contains("name.invalid"), "{error}");
}

#[tokio::test]
async fn a_refused_connection_names_the_host() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = failure(settings(), Url::parse(&format!("http://{address}/")).unwrap()).await;
    assert!(matches!(error, FetchError::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[tokio::test]
async fn what_is_no_http_or_leads_nowhere_is_said() {
    let origin = Origin::builder()
        .page("/raw", Reply::raw("220 mail.example ESMTP\r\n"))
        .page("/lost", Reply::status(302))
        .page("/ftp", Reply::redirect(301, "ftp://a.example/feed"))
        .page("/bytes", Reply::status(301).header("location", b"http://\xff/"))
        .start()
        .await;
    for (path, expected) in [
        ("/raw", FailureKind::Protocol),
        ("/lost", FailureKind::Redirect),
        ("/ftp", FailureKind::Redirect),
        ("/bytes", FailureKind::Redirect),
    ] {
        let error = failure(settings(), origin.url(path)).await;
        assert_eq!(error.kind(), expected, "{error}");
    }
    let error = failure(settings(), Url::parse("ftp://a.example/feed").unwrap()).await;
    assert!(error.to_string().contains("http://"), "{error}");
}

#[tokio::test]
async fn a_named_proxy_is_asked_instead() {
    let proxy = Origin::builder().page("http://a.example/feed", Reply::ok("<rss/>")).start().await;
    let settings = FetchSettings { proxy: Some(proxy.url("/")), ..settings() };
    let url = Url::parse("http://a.example/feed").unwrap();
    let answer = Fetcher::new(settings).unwrap().fetch(&ask(url)).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"<rss/>"[..]));
    assert_eq!(proxy.hits("http://a.example/feed"), 1);
}
