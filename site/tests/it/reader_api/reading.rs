//! Lists, pages and items.

use serde_json::json;

use super::{ALL, House, READ, STARRED, START, UNREAD, call, items, titles};

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_are_listed_with_their_folders() {
    let house = House::open().await;
    let app = house.reader().await;
    let list = app.json("subscription/list?output=json").await;
    let [one, two] = list["subscriptions"].as_array().unwrap().as_slice() else { panic!("{list}") };
    assert_eq!(one["title"], "Source /one");
    assert_eq!(one["categories"], json!([{"id": "user/-/label/Tech", "label": "Tech"}]));
    assert_eq!(one["url"], house.origin.url("/one").as_str());
    assert_eq!(one["iconUrl"], "");
    assert!(one["htmlUrl"].is_string() && one["firstitemmsec"].is_string(), "{one}");
    for own in [one, two] {
        let number = own["id"].as_str().unwrap().strip_prefix("feed/").unwrap();
        assert!(number.parse::<u32>().is_ok(), "some apps expect a number: {own}");
    }
    let tags = app.json("tag/list?output=json").await;
    let ids: Vec<_> =
        tags["tags"].as_array().unwrap().iter().map(|tag| tag["id"].clone()).collect();
    assert_eq!(ids, [STARRED, "user/-/label/News & more", "user/-/label/Tech"]);
    assert_eq!(tags["tags"][2]["type"], "folder");
    for (path, list) in [("preference/list", "prefs"), ("friend/list", "friends")] {
        assert_eq!(app.json(path).await[list], json!([]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_unread_is_counted() {
    let house = House::open().await;
    let app = house.reader().await;
    let first = app.all().await[0].clone();
    app.post("edit-tag", &[("i", &first), ("a", READ)]).await.is_ok();
    let counts = app.json("unread-count?output=json").await;
    assert_eq!(counts["max"], 4);
    let count = |id: &str| {
        let all = counts["unreadcounts"].as_array().unwrap();
        all.iter().find(|count| count["id"] == id).unwrap_or_else(|| panic!("{id}: {counts}"))
    };
    let newest = |at: i64| json!(format!("{}000000", START + at));
    for (id, unread, at) in [
        (ALL, 4, 50),
        ("user/-/label/Tech", 3, 30),
        ("user/-/label/News & more", 1, 50),
        (&app.feed("Source /two").await, 1, 50),
    ] {
        assert_eq!(count(id)["count"], unread, "{id}");
        assert_eq!(count(id)["newestItemTimestampUsec"], newest(at), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_come_in_pages_and_the_last_has_no_continuation() {
    let house = House::open().await;
    let app = house.reader().await;
    let all = app.all().await;
    assert_eq!(all.len(), 5);
    assert!(all.iter().all(|id| id.parse::<i64>().unwrap() >= 0), "63 bits: {all:?}");
    let (mut seen, mut rest) = (Vec::new(), String::new());
    for page in 0.. {
        let answer = app.json(&format!("stream/items/ids?s={ALL}&n=2{rest}")).await;
        let refs = answer["itemRefs"].as_array().unwrap();
        seen.extend(refs.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        assert!(refs.iter().all(|item| item["timestampUsec"].is_string()));
        match answer.get("continuation") {
            Some(next) => rest = format!("&c={}", next.as_str().unwrap()),
            None => {
                assert_eq!(page, 2);
                break;
            }
        }
    }
    assert_eq!(seen, all);
    let empty = app.json("stream/items/ids?s=user/-/label/None&n=1000").await;
    assert_eq!(empty, json!({"itemRefs": []}));
    let oldest_first: Vec<_> = all.iter().rev().cloned().collect();
    assert_eq!(app.ids("n=10000&r=o").await, oldest_first);
    let wrong = app.get("stream/items/ids?c=elsewhere").await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text.contains("`elsewhere` is no place in a stream"), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_filtered_by_state_and_arrival() {
    let house = House::open().await;
    let app = house.reader().await;
    let all = app.all().await;
    app.post("edit-tag", &[("i", &all[1]), ("i", &all[4]), ("a", READ)]).await.is_ok();
    app.post("edit-tag", &[("i", &all[4]), ("a", STARRED)]).await.is_ok();
    let some = |places: &[usize]| places.iter().map(|n| all[*n].clone()).collect::<Vec<_>>();
    assert_eq!(app.ids(&format!("s={ALL}&xt={READ}")).await, some(&[0, 2, 3]));
    assert_eq!(app.ids(&format!("xt={READ}")).await, some(&[0, 2, 3]), "without a stream");
    assert_eq!(app.ids(&format!("it={STARRED}")).await, some(&[4]));
    assert_eq!(app.ids(&format!("s={STARRED}")).await, some(&[4]));
    assert_eq!(app.ids(&format!("s={READ}")).await, some(&[1, 4]));
    assert_eq!(app.ids(&format!("s={UNREAD}")).await, some(&[0, 2, 3]));
    assert_eq!(app.ids("s=user/-/label/News%20%26%20more").await, some(&[0, 1]));
    assert_eq!(app.ids(&format!("s={}", app.feed("Source /one").await)).await, some(&[2, 3, 4]));
    let by_address = format!("s=feed/{}", house.origin.url("/one"));
    assert_eq!(app.ids(&by_address).await, some(&[2, 3, 4]));
    assert_eq!(app.ids("s=user/-/state/com.google/broadcast").await, some(&[]));
    let later = house.place.node.clock.now() as i64 + 60;
    assert_eq!(app.ids(&format!("ot={later}")).await, some(&[]));
    assert_eq!(app.ids(&format!("nt={later}")).await, all);
    assert_eq!(app.ids(&format!("ot={START}")).await, all, "arrival counts, not publication");
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_given_by_either_form_of_their_ids_in_the_order_asked() {
    let house = House::open().await;
    let app = house.reader().await;
    let all = app.all().await;
    let long = format!("tag:google.com,2005:reader/item/{:016x}", all[3].parse::<i64>().unwrap());
    let bare = format!("{:016x}", all[2].parse::<i64>().unwrap());
    let unknown = "-1";
    let form = [("i", all[0].as_str()), ("i", &long), ("i", unknown), ("i", &bare)];
    let page = app.post("stream/items/contents?output=json", &form).await.json();
    assert_eq!(titles(&page), items(&[5, 2, 3]));
    assert!(page.get("continuation").is_none());
    assert_eq!(page["items"][1]["id"], long);
    let none = app.post("stream/items/contents", &[]).await.json();
    assert_eq!(none["items"], json!([]));
    let wrong = app.post("stream/items/contents", &[("i", "feed/1")]).await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_has_what_apps_rely_on_and_harmless_html() {
    let house = House::open().await;
    let app = house.reader().await;
    let page = app.json(&format!("stream/contents/{ALL}?n=1")).await;
    assert_eq!(page["id"], ALL);
    assert!(page["updated"].is_i64() && page["continuation"].is_string(), "{page}");
    let item = &page["items"][0];
    let link = "https://news.example/5";
    assert_eq!((&item["title"], &item["published"]), (&json!("Item 5"), &json!(START + 50)));
    assert_eq!(item["canonical"], json!([{"href": link}]));
    assert_eq!(item["alternate"], json!([{"href": link, "type": "text/html"}]));
    assert!(item["crawlTimeMsec"].is_string() && item["timestampUsec"].is_string(), "{item}");
    assert!(item["author"].is_string());
    assert_eq!(item["categories"], json!([ALL, "user/-/label/News & more"]));
    assert_eq!(item["origin"]["streamId"], app.feed("Source /two").await.as_str());
    assert_eq!(item["origin"]["title"], "Source /two");
    assert!(item["origin"]["htmlUrl"].is_string());
    let html = item["summary"]["content"].as_str().unwrap();
    assert!(html.contains("<img src=\"https://news.example/5.png\""), "{html}");
    assert!(!html.contains("script"), "{html}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_may_be_encoded_in_the_path_or_left_out() {
    let house = House::open().await;
    let app = house.reader().await;
    let feed = app.feed("Source /one").await;
    assert_eq!(app.titles(&feed, "n=10").await, items(&[3, 2, 1]));
    let plain = app.json(&format!("stream/contents/{feed}?r=o&n=2")).await;
    assert_eq!(titles(&plain), items(&[1, 2]));
    assert_eq!(plain["title"], "Source /one");
    assert_eq!(app.titles("user/-/label/News & more", "").await, items(&[5, 4]));
    assert_eq!(titles(&app.json("stream/contents").await), items(&[5, 4, 3, 2, 1]));
    assert_eq!(titles(&app.json(&format!("stream/contents?s={feed}")).await), items(&[3, 2, 1]));
    // The second page of many has the rest.
    let page = app.json("stream/contents?n=3").await;
    let next = page["continuation"].as_str().unwrap();
    let rest = app.json(&format!("stream/contents?n=3&c={next}")).await;
    assert_eq!(titles(&rest), items(&[2, 1]));
    assert!(rest.get("continuation").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_apps_read_atom() {
    let house = House::open().await;
    let app = house.reader().await;
    let all = app.all().await;
    app.post("edit-tag", &[("i", &all[4]), ("a", READ)]).await.is_ok();
    let stream = app.feed("Source /one").await.replace('/', "%2F");
    let url = house.place.url(&format!("/reader-api/reader/atom/{stream}?n=100"));
    let answer = call(app.signed(house.place.client.get(url))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let options = pergola_feed::ParseOptions::default();
    let read = pergola_feed::parse(answer.text.as_bytes(), &options).unwrap();
    let titles: Vec<_> = read.items.iter().filter_map(|item| item.title.as_deref()).collect();
    assert_eq!(titles, ["Item 3", "Item 2", "Item 1"]);
    assert_eq!(answer.text.matches("label=\"read\"").count(), 1);
    assert_eq!(answer.text.matches("label=\"fresh\"").count(), 2);
}
