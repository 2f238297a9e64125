use super::*;

#[tokio::test]
async fn a_source_tells_its_next_refresh_and_why_its_rhythm_and_what_its_site_asks() {
    let feed = rss("Told", &[("1", "First"), ("2", "Second")])
        .replace("<channel>", "<channel><ttl>90</ttl><skipHours><hour>3</hour></skipHours>");
    let reply = Reply::ok(feed).header("cache-control", "max-age=7200").header("etag", "\"1\"");
    let origin = Origin::builder().page("/feed", reply).start().await;
    let place = Place::start().await;
    let id = added(&place, &[("url", origin.url("/feed").as_str())]).await;
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    for told in [
        "Next refresh",
        "Not earlier, because the site asked for it (max-age 7200)",
        "Daily rhythm",
        "id=\"hours-desc\"",
        "Last refreshes",
        "2 items new",
        "What its site asks for",
        "skipHours",
        "yes (ETag, Last-Modified)",
        "not asked: feeds are published to be fetched",
        "Risk of losing items",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let (status, _) = place.page("/sources/999").await;
    assert_eq!(status, 404);
    let (status, text) = place.page("/sources/nonsense").await;
    assert_eq!(status, 404, "{text}");
}

#[tokio::test]
async fn a_refused_refresh_says_why_and_can_be_forced_unless_the_site_asked_for_quiet() {
    let feed = rss("Held", &[("1", "First")]);
    let held = Reply::ok(feed).header("cache-control", "max-age=7200");
    let quiet = Reply::status(429).header("retry-after", "3600");
    let origin = Origin::builder().script("/feed", [held.clone(), held, quiet]).start().await;
    let place = Place::start().await;
    let id = added(&place, &[("url", origin.url("/feed").as_str())]).await;
    let asked = origin.hits("/feed");
    let refresh = format!("/sources/{id}/refresh");
    let (status, _, text) = place.send(&refresh, &[]).await;
    assert_eq!(status, 429);
    assert!(text.contains("max-age 7200") && text.contains("Refresh anyway"), "{text}");
    assert!(text.contains(&format!("action=\"../../sources/{id}/refresh\"")), "{text}");
    assert_eq!(origin.hits("/feed"), asked);
    let (status, leads, text) = place.send(&refresh, &[("force", "yes")]).await;
    assert_eq!((status, leads), (303, Some(format!("../../sources/{id}?note=failed"))), "{text}");
    let (status, _, text) = place.send(&refresh, &[("force", "yes")]).await;
    assert_eq!(status, 429);
    assert!(text.contains("cannot be forced") && !text.contains("Refresh anyway"), "{text}");
}

#[tokio::test]
async fn a_paused_source_is_left_alone_until_it_is_resumed() {
    let origin = origin_with_feed("/feed", "Paused").await;
    let place = Place::start().await;
    let id = added(&place, &[("url", origin.url("/feed").as_str())]).await;
    let (status, leads, _) = place.send(&format!("/sources/{id}/pause"), &[]).await;
    assert_eq!((status, leads), (303, Some(format!("../../sources/{id}?note=paused"))));
    let asked = origin.hits("/feed");
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(text.contains("paused by hand") && text.contains("None is planned"), "{text}");
    assert!(text.contains("it was paused by hand; nothing is asked of it until it is resumed"));
    let (_, overview) = place.page("/").await;
    assert!(overview.contains("is paused by hand."), "{overview}");
    let (_, list) = place.page("/sources?standing=paused").await;
    assert!(list.contains(">Paused</a>"), "{list}");
    let (status, _, text) = place.send(&format!("/sources/{id}/refresh"), &[]).await;
    assert_eq!(status, 429);
    assert!(text.contains("Refresh anyway"), "{text}");
    assert_eq!(origin.hits("/feed"), asked, "it is left alone");
    // Insisting asks it once, and it stays paused.
    let (status, _, _) = place.send(&format!("/sources/{id}/refresh"), &[("force", "yes")]).await;
    assert_eq!((status, origin.hits("/feed")), (303, asked + 1));
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(text.contains("paused by hand"), "{text}");
    place.send(&format!("/sources/{id}/resume"), &[]).await;
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(!text.contains("paused by hand") && text.contains(">Pause<"), "{text}");
}

#[tokio::test]
async fn what_is_edited_is_kept_and_a_mistake_loses_nothing() {
    let origin = origin_with_feed("/feed", "Old").await;
    let place = Place::start().await;
    let id = added(&place, &[("url", origin.url("/feed").as_str())]).await;
    let edit = format!("/sources/{id}/edit");
    let fields = [
        ("title", "New & better"),
        ("folders", "Tech/Rust, Friends"),
        ("importance", "2.5"),
        ("private", "yes"),
        ("credentials", "password"),
        ("user", "bob"),
        ("password", "sesame"),
    ];
    let (status, leads, text) = place.send(&edit, &fields).await;
    assert_eq!((status, leads), (303, Some(format!("../../sources/{id}?note=changed"))), "{text}");
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    for told in [
        "New &amp; better",
        "Tech/Rust, Friends",
        "2.5",
        "published nowhere",
        "a password, only to",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let (_, form) = place.page(&edit).await;
    assert!(
        form.contains("Keep the password that is stored") && !form.contains("sesame"),
        "{form}"
    );
    let wrong = [("title", "T"), ("importance", "much"), ("credentials", "keep")];
    let (status, _, text) = place.send(&edit, &wrong).await;
    assert_eq!(status, 400);
    assert!(text.contains("role=\"alert\"") && text.contains("value=\"much\""), "{text}");
    let wrong = [("title", "T"), ("importance", "0"), ("credentials", "keep")];
    assert_eq!(place.send(&edit, &wrong).await.0, 400);
    // Without a title it is called as it calls itself.
    let plain = [("title", ""), ("importance", "1"), ("credentials", "none")];
    assert_eq!(place.send(&edit, &plain).await.0, 303);
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(text.contains("<h1>Old</h1>") && text.contains("<dd>nothing</dd>"), "{text}");
}

#[tokio::test]
async fn a_source_is_removed_after_a_question_and_can_be_restored() {
    let origin = origin_with_feed("/feed", "Short-lived").await;
    let place = Place::start().await;
    let id = added(&place, &[("url", origin.url("/feed").as_str())]).await;
    let (status, text) = place.page(&format!("/sources/{id}/remove")).await;
    assert_eq!(status, 200);
    assert!(text.contains("Remove Short-lived?") && text.contains("Keep it"), "{text}");
    let (status, leads, _) = place.send(&format!("/sources/{id}/remove"), &[]).await;
    assert_eq!((status, leads.as_deref()), (303, Some("../../sources?note=removed")));
    assert_eq!(place.page(&format!("/sources/{id}")).await.0, 404);
    let (_, text) = place.page("/sources/removed").await;
    assert!(text.contains(origin.url("/feed").as_str()) && text.contains("Restore"), "{text}");
    let (status, leads, _) = place.send(&format!("/sources/{id}/restore"), &[]).await;
    assert_eq!((status, leads), (303, Some(format!("../../sources/{id}?note=restored"))));
    assert_eq!(place.page(&format!("/sources/{id}")).await.0, 200);
}

#[tokio::test]
async fn a_source_that_a_feed_names_says_so_instead_of_going() {
    let origin = origin_with_feed("/feed", "Wanted").await;
    let place = Place::start().await;
    let id = added(&place, &[("url", origin.url("/feed").as_str())]).await;
    let query = format!("CREATE FEED Mine AS RETURN \"{}\";", origin.url("/feed"));
    let body = serde_json::json!({ "query": query }).to_string();
    let made =
        place.client.post(place.url("/api/v1/feeds")).header("content-type", "application/json");
    assert_eq!(made.body(body).send().await.unwrap().status(), 200);
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(
        text.contains("Feeds that read it") && text.contains("href=\"../feeds/Mine\""),
        "{text}"
    );
    let (status, _, text) = place.send(&format!("/sources/{id}/remove"), &[]).await;
    assert_eq!(status, 409);
    assert!(text.contains("role=\"alert\"") && text.contains("Mine"), "{text}");
}
