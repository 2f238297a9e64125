//! Everything by keyboard alone: Tab reaches all that can be pressed or filled in, and reading has keys of its own.

use serde_json::{Value, json};

use super::pages::{Look, furnished};
use super::town::{Town, home};
use super::window::{Scripts, Window};
use crate::harness::{Node, eventually};
use crate::origin::{Origin, Reply};

/// Remembers what Tab should reach, in the order of the page, and writes down what it does reach. Of the choices of a
/// group only one is reached: the chosen one, or the first.
const WATCH: &str = "const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[aria-hidden=true]');\n\
    const group = (e) => [...document.querySelectorAll('input[type=radio]')].filter((o) => o.name === e.name && o.form === e.form);\n\
    const stands = (e) => e.type !== 'radio' || e === (group(e).find((o) => o.checked) ?? group(e)[0]);\n\
    window.wanted = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]\n\
      .filter((e) => shown(e) && !e.disabled && stands(e));\n\
    window.reached = [];\n\
    document.addEventListener('focusin', (event) => {\n\
      const place = window.wanted.indexOf(event.target);\n\
      if (place < 0) return;\n\
      const style = getComputedStyle(event.target), box = event.target.getBoundingClientRect();\n\
      const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;\n\
      const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;\n\
      window.reached.push([place, outlined && inside]);\n\
    });\n\
    return [window.wanted.length, document.querySelector('[autofocus]') !== null];";

/// What was reached so far: place and whether the focus can be seen.
const REACHED: &str = "return window.reached;";

#[tokio::test(flavor = "multi_thread")]
async fn tab_reaches_every_link_button_and_field_in_order_and_shows_where_it_is() {
    let test = "tab_reaches_every_link_button_and_field_in_order_and_shows_where_it_is";
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    let town = Town::start().await;
    let mut wrong = Vec::new();
    let pages = furnished(&town).await;
    Look { wide: true, dark: false }.at(&window).await;
    for (name, path) in pages {
        window.goes_to(&town.node().url(&path)).await;
        let told = window.driver.script(WATCH).await.unwrap();
        let count = told[0].as_u64().unwrap() as usize;
        assert!(count > 3, "{name} has little to press: {told}");
        // A field of several parts takes several presses, and what scrolls takes one of its own.
        for round in 0..2 * count + 10 {
            window.driver.strikes("Tab").await;
            if round >= count && reached(&window).await.len() >= count {
                break;
            }
        }
        let reached = reached(&window).await;
        if let Some(problem) = problem(&reached, count, told[1] == true) {
            let element = format!("return window.wanted[{}].outerHTML.slice(0, 200);", problem.0);
            let element = window.driver.script(&element).await.unwrap();
            wrong.push(format!("{name}: {}: {element}", problem.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn reached(window: &Window) -> Vec<(usize, bool)> {
    let reached = window.driver.script(REACHED).await.unwrap();
    let pair = |pair: &Value| (pair[0].as_u64().unwrap() as usize, pair[1] == true);
    reached.as_array().unwrap().iter().map(pair).collect()
}

/// The first element with which something is wrong, and what.
fn problem(reached: &[(usize, bool)], count: usize, begins: bool) -> Option<(usize, &'static str)> {
    let Some((first, _)) = reached.first() else { return Some((0, "Tab reaches nothing")) };
    if *first != 0 && !begins {
        return Some((*first, "it is not the first of the page"));
    }
    let unseen = reached.iter().find(|(_, seen)| !seen);
    if let Some((place, _)) = unseen {
        return Some((*place, "its focus cannot be seen"));
    }
    let expected = (0..count).map(|step| (first + step) % count);
    let mut pairs =
        expected.zip(reached.iter().map(|(place, _)| Some(*place)).chain([None; 1_000]));
    pairs
        .find(|(wanted, place)| Some(*wanted) != *place)
        .map(|(wanted, _)| (wanted, "not reached in its turn"))
}

/// Three items, each with a page of its own.
async fn start() -> (Origin, crate::harness::Home, Node) {
    let origin = Origin::builder().start().await;
    let items: String = ["Newest", "Middle", "Oldest"]
        .iter()
        .enumerate()
        .map(|(age, title)| {
            let link = origin.url(&format!("/{title}"));
            format!(
                "<item><title>{title}</title><guid>{link}</guid><link>{link}</link>\
                 <pubDate>Mon, 0{} Jun 2026 10:00:00 GMT</pubDate><description>&lt;p&gt;The text of {title}.&lt;/p&gt;\
                 </description></item>",
                9 - age
            )
        })
        .collect();
    let page = "<html><head><title>A page</title></head><body>The page itself</body></html>";
    origin.set("/Newest", Reply::ok(page).header("content-type", "text/html"));
    let text = format!("<rss version=\"2.0\"><channel><title>News</title>{items}</channel></rss>");
    origin.set("/feed.xml", Reply::ok(text).header("content-type", "application/rss+xml"));
    let home = home("Terrace", "");
    let node = home.start().await;
    let url = format!("http://localhost:{}/feed.xml", origin.url("/").port().unwrap());
    let (status, text) = node.post("/api/v1/sources", &json!({ "url": url })).await;
    assert_eq!(status, 201, "{text}");
    (origin, home, node)
}

/// Waits until a line of script, of which `item` is the one that is chosen, is true.
async fn comes(window: &Window, truth: &str) {
    let script = format!(
        "const item = document.querySelector('article.is-current'); return Boolean({truth});"
    );
    eventually(truth, async || match window.driver.script(&script).await? {
        Value::Bool(true) => Ok(()),
        _ => Err(window.text().await),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_read_starred_and_visited_by_keys() {
    let test = "items_are_read_starred_and_visited_by_keys";
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    let (_origin, _home, node) = start().await;
    window.goes_to(&node.url("/read?all=&show=all")).await;
    window.sees_after_reloading("Oldest").await;
    let is = |title: &str| format!("item?.querySelector('h2').innerText.includes('{title}')");
    for (key, title) in [
        ("j", "Newest"),
        ("j", "Middle"),
        ("j", "Oldest"),
        ("j", "Oldest"),
        ("k", "Middle"),
        ("k", "Newest"),
    ] {
        window.driver.strikes(key).await;
        comes(&window, &is(title)).await;
        comes(&window, "item.contains(document.activeElement)").await;
    }
    window.driver.strikes("o").await;
    comes(&window, "item.querySelector('.whole')?.checkVisibility()").await;
    comes(&window, "item.classList.contains('is-read')").await;
    window.driver.strikes("o").await;
    comes(&window, "!item.querySelector('.whole').checkVisibility()").await;
    window.driver.strikes("m").await;
    comes(&window, "!item.classList.contains('is-read')").await;
    window.driver.strikes("s").await;
    comes(&window, "item.querySelector('button.star').innerText === '★ Starred'").await;
    let before = window.driver.tabs().await;
    window.driver.strikes("v").await;
    let visited = eventually("another tab", async || {
        let tabs = window.driver.tabs().await;
        tabs.iter().find(|tab| !before.contains(tab)).cloned().ok_or(format!("{tabs:?}"))
    })
    .await;
    window.driver.switch_to(&visited).await;
    window.sees("The page itself").await;
    window.driver.switch_to(&before[0]).await;
    window.driver.strikes("?").await;
    comes(&window, "document.getElementById('keys').open").await;
    window.driver.strikes("Escape").await;
    comes(&window, "!document.getElementById('keys').open").await;
    window.driver.strikes("/").await;
    comes(&window, "document.activeElement.id === 'q'").await;
    // In a field, keys are letters.
    for key in ["j", "?"] {
        window.driver.strikes(key).await;
    }
    comes(&window, "document.getElementById('q').value === 'j?'").await;
    comes(&window, &is("Newest")).await;
    comes(&window, "!document.getElementById('keys').open").await;
    // It is stored.
    window.goes_to(&node.url("/read?starred=")).await;
    window.sees("Newest").await;
    assert!(!window.text().await.contains("Middle"));
    window.goes_to(&node.url("/read")).await;
    window.sees("Newest").await;
}
