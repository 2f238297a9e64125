//! Feeds: the form, the editor, trying before saving, managing.

use serde_json::Value;

use crate::origin::{Origin, Reply};
use crate::place::Place;

/// A document with items of these titles.
fn rss(titles: &[&str]) -> Reply {
    let items: String = titles
        .iter()
        .enumerate()
        .map(|(number, title)| {
            format!("<item><title>{title}</title><guid>urn:{title}:{number}</guid></item>")
        })
        .collect();
    Reply::ok(format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Fire &amp; ash</title>{items}</channel></rss>"
    ))
}

/// A node that has read a source with four items.
async fn with_source() -> (Place, Origin, String) {
    let titles = ["A volcano", "Lava flows", "A film about a volcano", "Rain"];
    let origin = Origin::builder().page("/rss", rss(&titles)).start().await;
    let place = Place::start().await;
    let url = origin.url("/rss").to_string();
    let added = place
        .client
        .post(place.url("/api/v1/sources"))
        .header("content-type", "application/json")
        .body(serde_json::json!({ "url": url }).to_string());
    assert_eq!(added.send().await.unwrap().status(), 201);
    (place, origin, url)
}

async fn json(place: &Place, path: &str) -> Value {
    let answer = place.client.get(place.url(path)).send().await.unwrap();
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

/// What a field of a form holds.
fn area(page: &str) -> String {
    let start = page.find("<textarea id=\"query\"").unwrap();
    let text = &page[start..start + page[start..].find("</textarea>").unwrap()];
    let text = text.split_once('>').unwrap().1.trim_start_matches('\n');
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_writes_the_query_and_what_is_tried_is_what_is_published() {
    let (place, _origin, url) = with_source().await;
    let (status, page) = place.page("/feeds/new").await;
    assert_eq!(status, 200);
    assert!(page.contains("Fire &amp; ash") && page.contains(&url), "{page}");
    let form = [
        ("name", "Fire"),
        ("source", &url),
        ("contain", "volcano\r\nlava"),
        ("exclude", "film"),
        ("window", "30"),
    ];
    let pressed = |button| [&form[..], &[("do", button)]].concat();
    let (status, _, page) = place.send("/feeds/new", &pressed("write")).await;
    assert_eq!(status, 200, "{page}");
    let query = area(&page);
    let expected = format!(
        "CREATE FEED Fire AS\nRETURN \"{url}\"\n\
         WHERE (ITEM CONTAINS \"volcano\" OR ITEM CONTAINS \"lava\") AND NOT ITEM CONTAINS \"film\"\n\
         WINDOW 30;\n"
    );
    assert_eq!(query, expected);
    assert!(page.contains("<strong>2 items</strong> of 4 stored items"), "{page}");
    assert!(page.contains("Lava flows") && !page.contains("Rain"), "{page}");
    assert!(page.contains("because") && page.contains("ITEM CONTAINS &quot;lava&quot;"), "{page}");
    assert!(page.contains("name=\"contain\" rows=\"2\">\nvolcano\nlava<"), "the form is kept");
    assert_eq!(json(&place, "/api/v1/feeds").await["feeds"], serde_json::json!([]));

    let (status, leads, _) = place.send("/feeds/new", &[("query", &query), ("do", "save")]).await;
    assert_eq!((status, leads.as_deref()), (303, Some("Fire/manage?note=created")));
    let feed = json(&place, "/api/v1/feeds/Fire").await;
    assert_eq!((&feed["published"], &feed["last_week"]), (&2.into(), &2.into()), "{feed}");
    let (status, page) = place.page("/feeds/Fire/manage?note=created").await;
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("role=\"status\">The feed is saved"), "{page}");
    assert!(page.contains("<span class=\"k\">RETURN</span>"), "{page}");
    let (_, list) = place.page("/feeds").await;
    assert!(list.contains("feeds/Fire/manage") && list.contains("feeds/Fire.json"), "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typo_is_told_at_its_place_and_the_text_is_kept() {
    let (place, _origin, url) = with_source().await;
    let typed = format!("CREATE FEED Fire AS\nRETURN \"{url}\"\nWHERE ITEM CONTIANS \"<b>\"");
    for button in ["check", "try", "save"] {
        let fields = [("query", typed.as_str()), ("name", "kept"), ("do", button)];
        let (status, _, page) = place.send("/feeds/new", &fields).await;
        assert_eq!(status, 400, "{button}");
        assert_eq!(area(&page), typed, "{button}");
        assert!(page.contains("Line 3, column 12"), "{page}");
        assert!(page.contains("did you mean `CONTAINS`?"), "{page}");
        assert!(page.contains("<mark class=\"n\">CONTIANS</mark>"), "{page}");
        assert!(page.contains("value=\"kept\"") && !page.contains("<b>"), "{page}");
    }
    let (status, _, told) = place.send("/feeds/check", &[("query", &typed)]).await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((status, &told["place"]["line"]), (200, &3.into()), "{told}");
    let start = told["place"]["start"].as_u64().unwrap() as usize;
    assert!(typed[start..].starts_with("CONTIANS"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_in_the_form_is_told_beside_it() {
    let (place, _origin, _) = with_source().await;
    let fields = [("name", "<script>alert(1)</script>"), ("contain", "x"), ("do", "write")];
    let (status, _, page) = place.send("/feeds/new", &fields).await;
    assert_eq!(status, 422);
    assert!(page.contains("Choose at least one source"), "{page}");
    let fields = [("name", "<script>alert(1)</script>"), ("all", "yes"), ("do", "save")];
    let (status, _, page) = place.send("/feeds/new", &fields).await;
    assert_eq!(status, 400);
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert"), "{page}");
    assert!(page.contains("Line 1, column 13"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_leads_nowhere_is_named_and_can_be_saved_all_the_same() {
    let (place, origin, _) = with_source().await;
    let query = format!("CREATE FEED Gone AS RETURN \"{}\";", origin.url("/none"));
    let (_, _, page) = place.send("/feeds/new", &[("query", &query), ("do", "try")]).await;
    assert!(page.contains("Nothing is stored yet") && page.contains("/none</code>"), "{page}");
    let (status, _, page) = place.send("/feeds/new", &[("query", &query), ("do", "save")]).await;
    assert_eq!(status, 422);
    assert!(page.contains("name=\"force\"") && area(&page) == query, "{page}");
    let fields = [("query", query.as_str()), ("force", "yes"), ("do", "save")];
    let (status, leads, _) = place.send("/feeds/new", &fields).await;
    assert_eq!((status, leads.as_deref()), (303, Some("Gone/manage?note=warned")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_is_closed_changed_renamed_dropped_and_restored() {
    let (place, _origin, url) = with_source().await;
    let query = format!("CREATE FEED Über AS RETURN \"{url}\";");
    let (_, leads, page) = place.send("/feeds/new", &[("query", &query), ("do", "save")]).await;
    let manage = format!("/feeds/{}", leads.unwrap_or_else(|| panic!("{page}")));
    let manage = manage.split_once('?').unwrap().0;
    let (status, page) = place.page(manage).await;
    assert_eq!(status, 200, "{page}");
    let shown = area(&page);
    assert!(shown.starts_with("ALTER FEED Über AS"), "{shown}");

    let readers = [("who", "nobody"), ("do", "readers")];
    let (status, leads, _) = place.send(manage, &readers).await;
    assert_eq!((status, leads.as_deref()), (303, Some("manage?note=readers")));
    assert!(place.page(manage).await.1.contains("<span class=\"chip shut\">closed</span>"));

    let changed = shown.replace(';', "WHERE TITLE CONTAINS \"rain\";");
    let (_, _, page) = place.send(manage, &[("query", &changed), ("do", "try")]).await;
    assert!(page.contains("<strong>1 item</strong> of 4"), "{page}");
    let (status, _, page) = place.send(manage, &[("query", &changed), ("do", "save")]).await;
    assert_eq!(status, 303, "{page}");
    assert!(place.page(manage).await.1.contains("rain"));

    let (status, _, page) =
        place.send(manage, &[("to", "B; DROP FEED Über"), ("do", "rename")]).await;
    assert_eq!(status, 400, "{page}");
    assert!(page.contains("value=\"B; DROP FEED Über\""), "{page}");
    let (status, leads, _) = place.send(manage, &[("to", "Regen"), ("do", "rename")]).await;
    assert_eq!((status, leads.as_deref()), (303, Some("../Regen/manage?note=renamed")));

    let (status, _, _) = place.send("/feeds/Regen/manage", &[("do", "drop")]).await;
    assert_eq!(status, 400, "not without a word");
    let sure = [("sure", "yes"), ("do", "drop")];
    let (status, leads, _) = place.send("/feeds/Regen/manage", &sure).await;
    assert_eq!((status, leads.as_deref()), (303, Some("../../feeds?note=dropped")));
    assert!(place.page("/feeds").await.1.contains("action=\"feeds/Regen/restore\""));
    let (status, leads, _) = place.send("/feeds/Regen/restore", &[]).await;
    assert_eq!((status, leads.as_deref()), (303, Some("manage?note=restored")));
    assert_eq!(place.page("/feeds/Regen/manage").await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_offered_while_typing() {
    let (place, _origin, url) = with_source().await;
    let offered = async |before: &str| -> Vec<String> {
        let (status, _, told) = place.send("/feeds/complete", &[("before", before)]).await;
        assert_eq!(status, 200, "{told}");
        let told: Value = serde_json::from_str(&told).unwrap();
        let offers = told["offered"].as_array().unwrap().iter();
        offers.map(|offer| offer["insert"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(offered("CREATE FEED A AS RET").await, ["RETURN"]);
    assert_eq!(offered("RETURN \"fire").await, [url], "by its title");
    assert!(offered("RETURN \"elsewhere").await.is_empty());
}

#[tokio::test]
async fn strangers_see_and_change_nothing_of_it() {
    let place = Place::start().await;
    let as_stranger = async |path: &str, post: bool| {
        let asked = match post {
            true => place.client.post(place.url(path)).header("origin", place.url("")),
            false => place.client.get(place.url(path)),
        };
        let asked = asked.header("x-forwarded-for", "192.0.2.7").header("accept", "text/html");
        let answer = asked.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let (status, page) = as_stranger("/feeds", false).await;
    assert!(status == 200 && page.contains("Feeds of ") && !page.contains("New feed"), "{page}");
    assert_eq!(as_stranger("/feeds/new", false).await.0, 404, "no feed is called so");
    for path in ["/mesh", "/settings", "/settings/prediction", "/feeds/News/manage"] {
        assert_eq!(as_stranger(path, false).await.0, 403, "{path}");
    }
    for path in [
        "/feeds/new",
        "/feeds/check",
        "/feeds/complete",
        "/feeds/News/manage",
        "/feeds/News/restore",
        "/settings",
    ] {
        assert_eq!(as_stranger(path, true).await.0, 403, "{path}");
    }
}
