//! What goes wrong under a person's hands: a message to act on, and nothing lost.

use super::town::{home, rss};
use super::window::{Scripts, Window};
use crate::harness::{Home, Node, run};
use crate::origin::{Origin, Reply};

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_a_session_that_has_ended_are_told_and_what_was_typed_stays() {
    let test = "a_wrong_password_and_a_session_that_has_ended_are_told_and_what_was_typed_stays";
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    let home = home("Terrace", "");
    let node = home.start().await;
    add_user(&home).await;
    window.goes_to(&node.url("/sources/new")).await;
    window.types("Name", "ada").await;
    window.types("Password", "wrong").await;
    window.clicks("//main//button[normalize-space()='Log in']").await;
    window.sees("The name or the password is wrong.").await;
    assert_eq!(window.value("#name").await, "ada", "the name stays");
    log_in(&window).await;
    // The form that was wanted before the login.
    window.sees("Add a source").await;
    window.types("Address of a feed or a page", "news.example/typed").await;
    // In another tab, everybody is logged out.
    let first = window.driver.tab().await;
    window.driver.new_tab().await;
    window.goes_to(&node.url("/")).await;
    window.presses("Log out").await;
    window.sees("You have logged out.").await;
    window.driver.switch_to(&first).await;
    window.presses("Add").await;
    window.sees("Your session has ended, or you have logged out in another window. Nothing was changed.").await;
    window.sees("news.example/typed").await;
    window.presses("Log in").await;
    window.sees("Password").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_tells_that_its_node_is_away_and_goes_on_when_it_is_back_without_moving() {
    let test = "a_page_tells_that_its_node_is_away_and_goes_on_when_it_is_back_without_moving";
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    let origin = Origin::builder()
        .page("/feed.xml", Reply::ok(rss("Herald", &[("One", "1")])))
        .page("/other.xml", Reply::ok(rss("Gazette", &[("Two", "2")])))
        .start()
        .await;
    let home = home("Terrace", "");
    let node = home.start().await;
    node.create_feed(&format!("CREATE FEED All AS RETURN \"{}\";", origin.url("/feed.xml"))).await;
    node.shows("All", "One").await;
    let address = node.address();
    // A form that is being filled in meanwhile, in another tab.
    let first = window.driver.tab().await;
    let form = window.driver.new_tab().await;
    window.goes_to(&node.url("/sources/new")).await;
    window.types("Address of a feed or a page", origin.url("/other.xml").as_str()).await;
    window.driver.switch_to(&first).await;
    window.goes_to(&node.url("/")).await;
    window.sees("Overview").await;
    let figures = "return document.querySelector('.figures').innerText";
    let before = window.driver.script(figures).await.unwrap();
    // What the page has moved while it was loaded is not meant here.
    window.moved().await;
    crate::harness::eventually("a figure to change by itself", async || {
        let now = window.driver.script(figures).await?;
        if now == before { Err(now.to_string()) } else { Ok(()) }
    })
    .await;
    assert!(window.moved().await < 0.001, "the page moves when its figures change");
    node.kill();
    window.sees("The node does not answer at the moment.").await;
    let node = restarted(&home, address).await;
    crate::harness::eventually("the page to go on", async || {
        let text = window.text().await;
        if text.contains("does not answer at the moment") { Err(text) } else { Ok(()) }
    })
    .await;
    assert!(window.moved().await < 0.001, "the page moves when it tells of its node");
    window.driver.switch_to(&form).await;
    window.presses("Add").await;
    window.sees("It was added.").await;
    window.sees("Gazette").await;
    drop(node);
}

/// The node once more, on the port that the open page knows.
async fn restarted(home: &Home, address: std::net::SocketAddr) -> Node {
    let file = home.path().join("pergola.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("127.0.0.1:0", &address.to_string())).unwrap();
    home.start().await
}

async fn add_user(home: &Home) {
    let secret = home.path().join("ada.txt");
    std::fs::write(&secret, "correct horse battery").unwrap();
    let mut command = home.command(&["user", "add", "ada", "--password-stdin"]);
    let added = tokio::task::spawn_blocking(move || {
        command.stdin(std::fs::File::open(secret).unwrap()).output().unwrap()
    });
    let added = added.await.unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let listed = run(home.command(&["user", "list"])).await;
    assert!(listed.stdout.contains("ada"), "{listed:?}");
}

async fn log_in(window: &Window) {
    window.types("Name", "ada").await;
    window.types("Password", "correct horse battery").await;
    window.clicks("//main//button[normalize-space()='Log in']").await;
}
