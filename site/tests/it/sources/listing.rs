use super::*;
use crate::vectors::{VECTORS, assert_harmless};

/// Titles in the order in which a page of the list shows them.
fn titles(page: &str) -> Vec<String> {
    let rows = page.split("<th scope=\"row\">").skip(1);
    let title = |row: &str| {
        let link = row.split_once('>').map_or("", |(_, rest)| rest);
        link.split("</a>").next().unwrap_or_default().to_owned()
    };
    rows.map(title).collect()
}

/// A list of many sources that nobody needs to ask.
fn many(count: usize) -> String {
    let outlines: String = (0..count)
        .map(|n| {
            let folder = n % 4;
            format!(
                "<outline text=\"Folder {folder}\"><outline text=\"Source {:05}\" type=\"rss\" \
                 xmlUrl=\"http://192.0.2.1/{n}\"/></outline>",
                (n * 7919) % count
            )
        })
        .collect();
    format!("<opml version=\"2.0\"><body>{outlines}</body></opml>")
}

#[tokio::test]
async fn ten_thousand_sources_are_sorted_searched_and_shown_in_pages() {
    // The first cycle is far away: the list is what matters here.
    let place =
        Place::with(|config| config.schedule.cycle = std::time::Duration::from_secs(3_600)).await;
    let (status, text) = upload(&place, "/sources/import", &many(10_000)).await;
    assert_eq!(status, 200);
    assert!(text.contains("<dt>Added</dt><dd>10\u{202f}000<"), "{text}");
    let (_, first) = place.page("/sources").await;
    let shown = titles(&first);
    assert_eq!((shown.len(), &*shown[0], &*shown[49]), (50, "Source 00000", "Source 00049"));
    assert!(first.contains("1 to 50 of 10\u{202f}000") && first.contains("Page 1 of 200"));
    assert!(first.len() < 100_000, "{} bytes", first.len());
    let (_, last) = place.page("/sources?sort=title&page=200").await;
    assert_eq!(titles(&last).last().unwrap(), "Source 09999");
    assert!(last.contains("rel=\"prev\"") && !last.contains("rel=\"next\""));
    let (_, back) = place.page("/sources?sort=title&descending=yes").await;
    assert_eq!(titles(&back)[0], "Source 09999");
    assert!(back.contains("aria-sort=\"descending\""), "{back}");
    let (_, found) = place.page("/sources?search=source+0123&folder=Folder+1").await;
    let found = titles(&found);
    assert!(!found.is_empty() && found.len() < 10, "{found:?}");
    assert!(found.iter().all(|title| title.starts_with("Source 0123")), "{found:?}");
    for sort in ["last-refresh", "next-refresh", "items-per-day", "standing", "nonsense"] {
        let (status, page) = place.page(&format!("/sources?sort={sort}&page=2")).await;
        assert_eq!((status, titles(&page).len()), (200, 50), "{sort}");
    }
    let (_, none) = place.page("/sources?standing=ended").await;
    assert!(none.contains("No source is like that."), "{none}");
    let (_, beyond) = place.page("/sources?page=999999999999").await;
    assert!(titles(&beyond).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_follows_ten_thousand_sources_has_small_pages_with_the_titles_that_matter() {
    let place =
        Place::with(|config| config.schedule.cycle = std::time::Duration::from_secs(3_600)).await;
    upload(&place, "/sources/import", &many(10_000)).await;
    let (_, all) = place.page("/read").await;
    assert!(all.len() < 100_000 && all.contains("Folder 1<"), "{} bytes", all.len());
    let (_, folder) = place.page("/read?folder=Folder+1").await;
    assert!(folder.len() < 100_000, "{} bytes", folder.len());
    let names = folder.matches("<span class=\"title\">Source 0").count();
    assert!((50..100).contains(&names), "{names} of the folder are named");
    assert!(!folder.contains("<span class=\"title\"></span>"), "one has no title");
    let (_, rest) = folder.split_once("href=\"./read?source=").unwrap();
    let id = rest.split('"').next().unwrap();
    let (status, one) = place.page(&format!("/read?source={id}")).await;
    assert_eq!(status, 200, "{one}");
    assert!(one.contains("<h1>Source 0"), "{one}");
}

#[tokio::test]
async fn titles_addresses_and_folders_are_shown_as_text_on_every_page() {
    let place = Place::start().await;
    for (index, vector) in VECTORS.iter().enumerate() {
        let url = format!("http://192.0.2.1/{index}?q={vector}");
        let fields = [("url", &*url), ("title", vector), ("folders", vector), ("do", "anyway")];
        let (status, leads, text) = place.send("/sources/new", &fields).await;
        assert!(leads.is_some(), "{status} {vector:?}: {text}");
        let leads = leads.unwrap();
        let id = leads.trim_start_matches("../sources/").split('?').next().unwrap();
        for path in ["", "/edit", "/remove"] {
            let (status, page) = place.page(&format!("/sources/{id}{path}")).await;
            assert_eq!(status, 200, "{page}");
            assert_harmless(&page, vector, path);
        }
    }
    let (_, list) = place.page("/sources").await;
    let (_, rest) = place.page("/sources?page=2").await;
    let (_, overview) = place.page("/").await;
    for vector in VECTORS {
        for (page, name) in [(&list, "list"), (&rest, "list"), (&overview, "overview")] {
            assert_harmless(page, vector, name);
        }
        let said: String = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("search", vector)
            .finish();
        let (_, page) = place.page(&format!("/sources?{said}&folder={}", &said[7..])).await;
        assert_harmless(&page, vector, "the search");
        let lost: String = url::form_urlencoded::byte_serialize(vector.as_bytes()).collect();
        let (status, page) = place.page(&format!("/nowhere/{lost}")).await;
        assert_eq!(status, 404);
        assert_harmless(&page, vector, "a lost address");
    }
}
