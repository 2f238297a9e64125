//! Full-text search in what somebody reads.

use pergola_accounts::Role;

use crate::browser::{Browser, count};
use crate::place::Place;
use crate::reading::{feed, source, subscribe};

#[tokio::test(flavor = "multi_thread")]
async fn a_search_finds_the_items_with_these_words_newest_first_and_marks_them() {
    let place = Place::start().await;
    let (_one, id) = source(&place, &feed("News", 70)).await;
    let (_two, _) = source(&place, &feed("Views", 3)).await;
    let mut browser = Browser::new(&place);
    let form = browser.get("/read").await;
    form.says(&["role=\"search\"", "name=\"q\"", "method=\"get\" action=\"./read\""]);
    let found = browser.get("/read?all=&q=views+text").await;
    assert_eq!((found.status, count(&found.text, "<article")), (200, 3));
    found.says(&["The <mark>text</mark> of <mark>Views</mark> 1.", "End the search"]);
    found.never_says(&["News 1", "Mark all as read"]);
    let places = [1, 2, 3].map(|n| found.text.find(&format!(">Views {n}<")).unwrap());
    assert!(places.is_sorted(), "{places:?}");
    let mut path = format!("/read?source={id}&q=%22text+of%22");
    let mut pages = Vec::new();
    loop {
        let page = browser.get(&path).await;
        assert!(page.text.len() < 100_000, "{}", page.text.len());
        page.never_says(&["Views 1"]);
        pages.push(count(&page.text, "<article"));
        let Some((_, rest)) = page.text.split_once("rel=\"next\" href=\".") else { break };
        path = rest.split('"').next().unwrap().replace("&amp;", "&");
        assert!(path.contains("q="), "{path}");
    }
    assert_eq!(pages.iter().sum::<usize>(), 70, "{pages:?}");
    assert!(pages.len() > 1, "{pages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_and_starred_is_found_too_and_can_be_opened_in_place() {
    let place = Place::start().await;
    let (_origin, _) = source(&place, &feed("News", 3)).await;
    let mut browser = Browser::new(&place);
    let found = browser.get("/read?q=%22news+2%22").await;
    assert_eq!(count(&found.text, "<article"), 1);
    let (_, rest) = found.text.split_once("id=\"item-").unwrap();
    let number = rest.split('"').next().unwrap().to_owned();
    let open = browser.get(&format!("/read?all=&q=%22news+2%22&open={number}")).await;
    open.says(&["class=\"whole\"", "The text of News 2.", "Mark unread"]);
    browser.post(&format!("/read/item/{number}/mark"), &[("star", "1")]).await;
    let starred = browser.get("/read?starred=&q=news").await;
    assert_eq!(count(&starred.text, "<article"), 1, "{}", starred.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_without_result_or_that_cannot_be_made_says_what_to_do() {
    let place = Place::start().await;
    let (_origin, id) = source(&place, &feed("News", 1)).await;
    let mut browser = Browser::new(&place);
    let nothing = browser.get(&format!("/read?source={id}&q=volcano")).await;
    assert_eq!(nothing.status, 200);
    nothing.says(&["No item here has these words.", "Search everything that you follow", "volc*"]);
    let evil = "/read?q=*%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    for (path, why) in
        [("/read?q=-ash", "without `-`"), ("/read?q=a*b", "end of a word"), (evil, "end of a word")]
    {
        let wrong = browser.get(path).await;
        assert_eq!(wrong.status, 400);
        wrong.says(&["This cannot be searched for", why, "aria-invalid=\"true\"", "name=\"q\""]);
        wrong.never_says(&["<script>alert"]);
    }
    let long = browser.get(&format!("/read?q={}", "word+".repeat(300))).await;
    assert_eq!(long.status, 400);
    long.says(&["too long"]);
    assert_eq!(browser.get("/read?q=news&after=nonsense").await.status, 400);
    browser.get("/read?q=+").await.says(&["News 1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_finds_what_it_does_not_read() {
    let place = Place::start().await;
    let (_one, followed) = source(&place, &feed("News", 2)).await;
    let (_two, other) = source(&place, &feed("Secret", 2)).await;
    let mut ada = Browser::of(&place, "ada", Role::Reader).await;
    let user = place.running.node.find_user("ada").unwrap().unwrap().id;
    subscribe(&place, user, followed).await;
    assert_eq!(count(&ada.get("/read?q=text").await.text, "<article"), 2);
    ada.get("/read?q=secret").await.says(&["No item here"]).never_says(&["Secret 1"]);
    assert_eq!(ada.get(&format!("/read?source={other}&q=secret")).await.status, 404);
    let mut stranger = Browser::from_afar(&place);
    let led = stranger.get("/read?q=text").await;
    assert_eq!(led.status, 303);
    assert!(led.to.contains("login"), "{}", led.to);
}
