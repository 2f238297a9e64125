//! Texts that would run a script if anybody forgot to escape or to clean them: in titles, contents, names, links, lists
//! and queries. None runs on any page, not even while the pages' policy against scripts is switched off.

use serde_json::json;

use super::pages::furnished;
use super::town::{Town, escaped, rss};
use super::vectors::VECTORS;
use super::window::{Scripts, Window};
use crate::harness::eventually;
use crate::origin::Reply;

/// Elements with a handler, or that lead to a script; and those that no page of ours has.
const INJECTED: &str = "const leads = (a) => ['href', 'src', 'action', 'formaction', 'data', 'xlink:href'].includes(a.name)\n\
        && /^(javascript|data|vbscript):/i.test(a.value.replace(/[\\s\\x00-\\x20]/g, ''));\n\
    return [...document.querySelectorAll('*')].filter((e) =>\n\
        [...e.attributes].some((a) => a.name.startsWith('on') || leads(a))\n\
        || e.matches('iframe, object, embed, base, style, marquee, meta[http-equiv], xss')\n\
        || (e.matches('script') && !e.src.startsWith(location.origin + '/assets/'))\n\
        || (e.matches('link') && !e.href.startsWith(location.origin)))\n\
      .map((e) => e.outerHTML.slice(0, 300));";

/// At least this many texts.
const WANTED: usize = 200;

/// The texts that the site's own tests know, and every handler at elements that call it by themselves.
fn vectors() -> Vec<String> {
    let elements = ["img", "svg", "video", "audio", "input", "body", "details open", "iframe"];
    let handlers = [
        "onerror",
        "onload",
        "onfocus",
        "ontoggle",
        "onmouseover",
        "onclick",
        "onanimationstart",
        "onbegin",
        "onscroll",
        "onpageshow",
        "oncanplay",
        "onloadstart",
        "onpointerenter",
        "onfocusin",
        "onwheel",
        "onresize",
        "onhashchange",
        "onbeforeinput",
    ];
    let known = VECTORS.iter().map(|vector| (*vector).to_owned());
    let made = elements.iter().flat_map(|element| {
        handlers.iter().map(move |handler| {
            format!("\"><{element} src=x tabindex=1 autofocus {handler}=alert(1)>")
        })
    });
    known.chain(made).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_of_others_runs_on_any_page() {
    let Some(window) = Window::open("no_text_of_others_runs_on_any_page", Scripts::On).await else {
        return;
    };
    let vectors = vectors();
    assert!(vectors.len() >= WANTED, "{}", vectors.len());
    let town = Town::start().await;
    let mut paths: Vec<String> = furnished(&town).await.into_iter().map(|(_, path)| path).collect();
    paths.extend(poisoned(&town, &vectors).await);
    window.driver.command("Page.enable", json!({})).await;
    window.driver.command("Page.setBypassCSP", json!({ "enabled": true })).await;
    for path in paths {
        window.goes_to(&town.node().url(&path)).await;
        let injected = window.driver.script(INJECTED).await.unwrap();
        assert_eq!(injected, json!([]), "at {path}");
    }
    let host = town.node().address().to_string();
    window.was_good(&[&host], &[404]).await;
}

/// Gives a node all texts in every place; the pages that show them.
async fn poisoned(town: &Town, vectors: &[String]) -> Vec<String> {
    let node = town.node();
    let items: Vec<(&str, &str)> =
        vectors.iter().map(|text| (text.as_str(), text.as_str())).collect();
    let evil = format!("</title>{}", vectors[0]);
    town.origin.set("/evil.xml", Reply::ok(rss(&evil, &items)));
    let url = town.origin.url("/evil.xml").to_string();
    let words: Vec<String> = vectors
        .iter()
        .filter(|text| !text.contains(['\\', '\t']))
        .take(20)
        .map(|text| text.replace('"', "\\\""))
        .collect();
    let words = words.join("\" OR \"");
    node.create_feed(&format!("CREATE FEED Evil AS RETURN \"{url}\";")).await;
    node.create_feed(&format!(
        "CREATE FEED Asked AS RETURN \"{url}\" WHERE NOT ITEM CONTAINS (\"{words}\");"
    ))
    .await;
    // A list whose titles, folders and addresses are hostile.
    let outlines: String = vectors
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let text = escaped(text);
            let address = town.origin.url(&format!("/list/{number}?{number}={text}"));
            let address = escaped(address.as_str());
            format!("<outline text=\"{text}\"><outline text=\"{text}\" type=\"rss\" xmlUrl=\"{address}\"/></outline>")
        })
        .collect();
    let list = format!("<opml version=\"2.0\"><body>{outlines}</body></opml>");
    let (status, text) = node.post("/api/v1/opml", &json!({ "opml": list })).await;
    assert_eq!(status, 200, "{text}");
    eventually("all hostile items", async || {
        let held = node.archive("Evil", 0).await.map_or(0, |items| items.len());
        if held == vectors.len() { Ok(()) } else { Err(format!("{held} of {}", vectors.len())) }
    })
    .await;
    let mut paths =
        vec!["/feeds/Evil".to_owned(), "/feeds/Evil/manage".into(), "/feeds/Asked/manage".into()];
    paths.extend(["/sources", "/feeds", "/read/subscriptions", "/"].map(str::to_owned));
    paths.extend(items_of(town).await);
    paths
}

/// Every page of the stream, and every item of it.
async fn items_of(town: &Town) -> Vec<String> {
    let mut paths = vec!["/read?all=&show=all".to_owned()];
    let mut next = Some(paths[0].clone());
    while let Some(page) = next {
        let (status, text) = town.node().get(&page).await;
        assert_eq!(status, 200, "{page}");
        let items = text.split("data-whole=\"./").skip(1);
        paths.extend(items.map(|rest| format!("/{}", rest.split('"').next().unwrap())));
        let further = text.split("rel=\"next\" href=\"./").nth(1);
        next = further
            .map(|rest| format!("/{}", rest.split('"').next().unwrap().replace("&amp;", "&")));
        paths.extend(next.clone());
    }
    assert!(paths.len() > WANTED, "{}", paths.len());
    paths
}
