//! Pictures of items, which the node fetches for those who read here.

use pergola_accounts::Role;
use pergola_config::Pictures;

use crate::browser::{Answer, Browser};
use crate::origin::{Origin, Reply};
use crate::place::{Place, escaped};
use crate::reading::{feed_of, subscribe};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and more";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
/// Larger than any picture may be.
const HUGE: usize = 50 << 20;

async fn showing() -> Place {
    Place::with(|config| config.reading.pictures = Pictures::Proxy).await
}

/// Somebody who follows a source at an origin whose only item has this text.
async fn reader<'p>(place: &'p Place, origin: &Origin, text: &str) -> Browser<'p> {
    let item = format!(
        "<item><guid isPermaLink=\"false\">1</guid><title>An item</title><link>{}</link>\
         <description>{}</description></item>",
        origin.url("/item"),
        escaped(text),
    );
    let document =
        format!("<rss version=\"2.0\"><channel><title>News</title>{item}</channel></rss>");
    origin.set("/feed", Reply::ok(document).header("content-type", "application/rss+xml"));
    let id = feed_of(place, origin).await;
    let ada = Browser::of(place, "ada", Role::Reader).await;
    let user = place.running.node.find_user("ada").unwrap().unwrap().id;
    subscribe(place, user, id).await;
    ada
}

/// The page of the only item.
async fn item(browser: &mut Browser<'_>) -> Answer {
    let all = browser.get("/read?show=all").await;
    let (_, rest) = all.text.split_once("id=\"item-").unwrap();
    let number = rest.split('"').next().unwrap();
    browser.get(&format!("/read/item/{number}")).await
}

/// The addresses of pictures on a page of an item, from the root of the node.
fn pictures(page: &Answer) -> Vec<String> {
    let parts = page.text.split("<img src=\"../../").skip(1);
    parts
        .map(|part| format!("/{}", part.split('"').next().unwrap().replace("&amp;", "&")))
        .collect()
}

async fn origin() -> Origin {
    Origin::builder().page("/1.png", Reply::ok(PNG)).start().await
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_links_unless_the_configuration_wants_them() {
    let (place, origin) = (Place::start().await, origin().await);
    let mut ada = reader(&place, &origin, "<img src=\"/1.png\" alt=\"A goat\">").await;
    let page = item(&mut ada).await;
    page.says(&["Picture: A goat", origin.url("/1.png").as_str()]).never_says(&["<img"]);
    let asked = ada.get("/read/picture?source=1&address=http%3A%2F%2Fx%2F&proof=0").await;
    assert_eq!(asked.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_fetched_by_the_node_which_says_nothing_of_the_reader() {
    let (place, origin) = (showing().await, origin().await);
    let text = "<picture><source srcset=\"/no.webp\"><img src=\"/1.png\" alt=\"A goat\"></picture>\
                <img data-src=\"/1.png?lazy\"><img srcset=\"/no.png 100w, /1.png?set 1300w\">";
    for path in ["/1.png?lazy", "/1.png?set"] {
        origin.set(path, Reply::ok(PNG));
    }
    let mut ada = reader(&place, &origin, text).await;
    let page = item(&mut ada).await;
    page.says(&["alt=\"A goat\"", "loading=\"lazy\""])
        .never_says(&["/no.webp", "srcset", "data-src"]);
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("img-src 'self';"), "{policy}");
    let all = pictures(&page);
    assert_eq!(all.len(), 3, "{}", page.text);
    for path in &all {
        let picture = ada.get(path).await;
        assert_eq!(picture.status, 200, "{path}: {}", picture.text);
        for (name, value) in [
            ("content-type", "image/png"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "sandbox; default-src 'none'"),
        ] {
            assert_eq!(picture.headers[name].to_str().unwrap(), value);
        }
        assert!(picture.text.ends_with(" and more"));
    }
    let [asked] = &origin.requests("/1.png")[..] else { panic!("one request") };
    for name in ["cookie", "referer", "authorization", "x-forwarded-for"] {
        assert!(asked.header(name).is_none(), "{asked:?}");
    }
    assert_eq!(ada.get(&all[0]).await.status, 200);
    assert_eq!(origin.hits("/1.png"), 1, "it is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_picture_is_not_shown() {
    let (place, origin) = (showing().await, origin().await);
    let page = |bytes: &str| Reply::ok(bytes.to_owned()).header("content-type", "image/png");
    origin.set("/html", page("<!doctype html><script>alert(1)</script>"));
    origin.set("/svg", page(SVG));
    origin.set("/gone", Reply::status(410));
    origin.set("/huge", Reply::ok([PNG, &vec![0; HUGE]].concat()));
    let text = "<img src=\"/html\"><img src=\"/svg\"><img src=\"/gone\"><img src=\"/huge\"><img src=\"/1.png\">";
    let mut ada = reader(&place, &origin, text).await;
    let all = pictures(&item(&mut ada).await);
    let [html, svg, gone, huge, fine] = &all[..] else { panic!("{all:?}") };
    for (path, why) in
        [(html, "it is no PNG"), (svg, "it is no PNG"), (gone, "status 410"), (huge, "more than")]
    {
        let answer = ada.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        answer.says(&[why]).never_says(&["alert(1)"]);
    }
    assert_eq!(ada.get(fine).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_reaches_no_private_host_but_that_of_its_source() {
    let (place, origin) = (showing().await, origin().await);
    // The same server, by a name that nobody has named.
    let inside = origin.url("/secret.png").as_str().replace("127.0.0.1", "localhost");
    origin.set("/secret.png", Reply::ok(PNG));
    origin.set("/leads", Reply::redirect(302, &inside));
    origin.set("/here", Reply::redirect(302, "/1.png"));
    let text = format!(
        "<img src=\"{inside}\"><img src=\"/leads\"><img src=\"http://10.0.0.7/\"><img src=\"/here\">"
    );
    let mut ada = reader(&place, &origin, &text).await;
    let all = pictures(&item(&mut ada).await);
    let [refused @ .., here] = &all[..] else { panic!("{all:?}") };
    assert_eq!(refused.len(), 3);
    for path in refused {
        let answer = ada.get(path).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.text);
        answer.says(&["private"]);
    }
    assert_eq!(origin.hits("/secret.png"), 0);
    assert_eq!(ada.get(here).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_reads_here_gets_a_picture_and_only_by_an_address_that_the_node_has_made() {
    let (place, origin) = (showing().await, origin().await);
    let mut ada = reader(&place, &origin, "<img src=\"/1.png\">").await;
    let path = pictures(&item(&mut ada).await).remove(0);
    let (rest, proof) = path.split_once("&proof=").unwrap();
    let turned: String = proof.chars().rev().collect();
    assert_ne!(turned, proof);
    for altered in [
        format!("{rest}&proof={turned}"),
        format!("{rest}&proof="),
        path.replace("1.png", "2.png"),
        path.replace("source=", "source=1"),
    ] {
        assert_eq!(ada.get(&altered).await.status, 403, "{altered}");
    }
    assert_eq!(ada.get(rest).await.status, 400);
    let stranger = Browser::from_afar(&place).get(&path).await;
    assert_eq!(stranger.status, 303);
    assert!(stranger.to.starts_with("../login?"), "{stranger:?}");
    assert_eq!(origin.hits("/1.png") + origin.hits("/2.png"), 0);
    assert_eq!(ada.get(&path).await.status, 200);
}
