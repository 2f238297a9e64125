//! The doctor's score of manners: the crawler gets full marks, and a careless client does not.

use pergola_commands::doctor::politeness::{Facts, Score, Server, of_weeks, score};
use pergola_config::Config;
use pergola_outside::clock::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_crawler_keeps_every_rule_of_its_manners() {
    let score = score(&Config::default()).await.unwrap();
    assert!(score.is_full(), "{score}");
    assert!(score.marks.len() > 45, "{score}");
    for point in 1..=9 {
        assert!(score.marks.iter().any(|mark| mark.point == point), "nothing about point {point}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_careless_client_is_told_what_it_did_wrong() {
    // Slow enough that even a loaded machine asks far too often.
    let clock = Clock::accelerated(60.0);
    let trials = of_weeks();
    let server = Server::start(clock.clone(), &trials).await.unwrap();
    let urls: Vec<Url> = trials
        .iter()
        .filter(|trial| !matches!(trial.name, "endless" | "dripping"))
        .flat_map(|trial| server.sources(trial))
        .collect();
    for round in 0..20 {
        let asking = urls.iter().map(|url| tokio::spawn(ask_carelessly(url.clone(), round)));
        let asking: Vec<_> = asking.collect();
        for asked in asking {
            asked.await.unwrap();
        }
    }
    let facts = Facts {
        speed: 60.0,
        floor: 3_600.0,
        floor_known: 900.0,
        spacing: 2.0,
        max_body: 10 << 20,
        timeout: 3.0,
        max_redirects: 5,
        ..Facts::default()
    };
    let log = server.log();
    let score = Score::of(&trials, &log, &facts).with_what_always_holds(&log);
    let evidence = |rule: &str| {
        let mark = score.marks.iter().find(|mark| mark.rule == rule).unwrap();
        assert!(!mark.kept, "{rule} was kept: {}", mark.evidence);
        mark.evidence.clone()
    };
    for rule in ["max-age on a 304", "RSS ttl", "429: no second attempt", "max-age on a 404"] {
        assert!(evidence(rule).starts_with("came back after"), "{}", evidence(rule));
    }
    assert!(evidence("validators byte for byte").contains("was nothing"));
    assert!(evidence("never unconditional but first and audit").contains("forgot what they had"));
    assert!(evidence("410 ends it").contains("times more after 410"));
    assert!(evidence("three URLs say 429: the host rests").contains("asked again after"));
    assert!(evidence("no cookies").starts_with("0 of"));
    assert!(evidence("no cache busting").starts_with("0 of"));
    assert!(evidence("Pergola/VERSION (+URL; N subscribers)").starts_with("0 of"));
    evidence("never two requests to a host at once");
    evidence("60 minutes without evidence");
    evidence("errors back off up to 7 days");
    assert!(score.kept() < score.marks.len() / 3, "{score}");
}

/// Everything at once, again and again, with a cookie, a disguise and a number against caches.
async fn ask_carelessly(url: Url, round: u32) {
    let address = (url.host_str().unwrap(), url.port().unwrap());
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET {}?{round} HTTP/1.1\r\nHost: {}\r\nCookie: visitor=42\r\nUser-Agent: Mozilla/5.0\r\n\
         Accept-Encoding: gzip\r\nPragma: no-cache\r\n\r\n",
        url.path(),
        address.0
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    // A server that hangs up has been asked all the same.
    let _ = stream.read_exact(&mut answer).await;
}
