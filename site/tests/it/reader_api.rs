//! The API for reader apps, as apps call it.

mod login;
mod marking;
mod reading;
mod subscribing;

use pergola_accounts::{Role, UserId};
use pergola_config::Config;
use pergola_feed::write::write_atom;
use pergola_feed::{Document, Format, Item, Text, Timestamp};
use pergola_node::node::{Follow, Followed};
use pergola_store::archive::SourceId;
use pergola_store::people::NewUser;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use crate::origin::{Origin, Reply};
use crate::place::Place;

const PASSWORD: &str = "correct horse";
/// When the items of documents begin.
const START: i64 = 1_600_000_000;

const READ: &str = "user/-/state/com.google/read";
const UNREAD: &str = "user/-/state/com.google/kept-unread";
const STARRED: &str = "user/-/state/com.google/starred";
const ALL: &str = "user/-/state/com.google/reading-list";

/// A node with sources, and apps that read there.
struct House {
    place: Place,
    origin: Origin,
}

/// An answer.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A change that was made: exactly this text, which apps compare.
    fn is_ok(&self) {
        assert_eq!((self.status, self.text.as_str()), (200, "OK"), "{self:?}");
        let kind = self.headers["content-type"].to_str().unwrap();
        assert!(kind.starts_with("text/plain"), "{kind}");
    }
}

impl House {
    async fn open() -> Self {
        Self::open_with(|_| ()).await
    }

    async fn open_with(set: impl FnOnce(&mut Config)) -> Self {
        let origin = Origin::builder().start().await;
        Self { place: Place::with(set).await, origin }
    }

    fn show(&self, path: &str, items: &[(u32, i64)]) {
        let mut document = Document::new(Format::Atom);
        document.title = Some(format!("Source {path}"));
        document.items = items
            .iter()
            .map(|(number, at)| Item {
                title: Some(format!("Item {number}")),
                link: Some(format!("https://news.example/{number}")),
                content: Some(Text::html(format!(
                    "<p>Text {number}<img src=\"https://news.example/{number}.png\"></p><script>1</script>"
                ))),
                published: Some(Timestamp::from_unix(START + at)),
                ..Item::new(format!("urn:item:{number}"))
            })
            .collect();
        let reply = Reply::ok(write_atom(&document)).header("content-type", "application/atom+xml");
        self.origin.set(path, reply);
    }

    /// A source with these items: their numbers and the seconds after [`START`] when they were published.
    async fn source(&self, path: &str, items: &[(u32, i64)]) -> SourceId {
        self.show(path, items);
        let url = self.place.url("/api/v1/sources");
        let asked = self.place.client.post(url).header("content-type", "application/json");
        let body = json!({"url": self.origin.url(path).as_str()}).to_string();
        let answer = asked.body(body).send().await.unwrap();
        assert_eq!(answer.status(), 201);
        let added: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        SourceId(added["source"]["id"].as_u64().unwrap() as u32)
    }

    async fn user(&self, name: &str, role: Role) -> UserId {
        let (name, password) = (name.to_owned(), Some(PASSWORD.to_owned()));
        let new = NewUser { name, role, password, subject: None };
        self.place.node.add_user(new).await.unwrap()
    }

    async fn follow(&self, user: UserId, source: SourceId, folders: &[&str]) {
        let folders = Some(folders.iter().map(|name| (*name).to_owned()).collect());
        let how = Follow { title: None, folders };
        self.place.node.subscribe(user, Followed::Source(source), how).await.unwrap();
    }

    /// Somebody who has logged in with an app password.
    async fn app(&self, user: UserId) -> App<'_> {
        let (_, password) = self.place.node.make_app_password(user, "phone").await.unwrap();
        let name = self.place.node.user(user).unwrap().unwrap().name;
        self.log_in(&name, &password).await
    }

    /// Somebody who reads two sources in folders: items 1 to 3 and 4 to 5, the later the newer.
    async fn reader(&self) -> App<'_> {
        let one = self.source("/one", &[(1, 10), (2, 20), (3, 30)]).await;
        let two = self.source("/two", &[(4, 40), (5, 50)]).await;
        let ada = self.user("ada", Role::Reader).await;
        self.follow(ada, one, &["Tech"]).await;
        self.follow(ada, two, &["News & more"]).await;
        self.app(ada).await
    }

    async fn try_log_in(&self, name: &str, password: &str) -> Answer {
        let form = [("Email", name), ("Passwd", password), ("service", "reader")];
        call(self.post("/reader-api/accounts/ClientLogin", &form)).await
    }

    async fn log_in(&self, name: &str, password: &str) -> App<'_> {
        let answer = self.try_log_in(name, password).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let key = answer.text.lines().find_map(|line| line.strip_prefix("Auth=")).unwrap();
        App { house: self, key: key.to_owned() }
    }

    fn post(&self, path: &str, form: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let asked = self.place.client.post(self.place.url(path));
        asked.header("content-type", "application/x-www-form-urlencoded").body(body)
    }
}

async fn call(asked: reqwest::RequestBuilder) -> Answer {
    let answer = asked.send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Answer { status, headers, text: answer.text().await.unwrap() }
}

/// An app that has logged in.
struct App<'h> {
    house: &'h House,
    key: String,
}

impl App<'_> {
    fn signed(&self, asked: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        asked.header("authorization", format!("GoogleLogin auth={}", self.key))
    }

    async fn get(&self, path: &str) -> Answer {
        let url = self.house.place.url(&format!("/reader-api/reader/api/0/{path}"));
        call(self.signed(self.house.place.client.get(url))).await
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        call(self.signed(self.house.post(&format!("/reader-api/reader/api/0/{path}"), form))).await
    }

    async fn json(&self, path: &str) -> Value {
        self.get(path).await.json()
    }

    /// The short ids of a page.
    async fn ids(&self, parameters: &str) -> Vec<String> {
        let page = self.json(&format!("stream/items/ids?output=json&{parameters}")).await;
        let refs = page["itemRefs"].as_array().unwrap().iter();
        refs.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The titles of a page, by `stream/contents`.
    async fn titles(&self, stream: &str, parameters: &str) -> Vec<String> {
        let stream: String = url::form_urlencoded::byte_serialize(stream.as_bytes()).collect();
        let stream = stream.replace('+', "%20");
        titles(&self.json(&format!("stream/contents/{stream}?{parameters}")).await)
    }

    /// The ids of all items, newest first.
    async fn all(&self) -> Vec<String> {
        self.ids("n=1000").await
    }

    /// The id of the subscription with this title.
    async fn feed(&self, title: &str) -> String {
        let list = self.json("subscription/list?output=json").await;
        let all = list["subscriptions"].as_array().unwrap();
        let found = all.iter().find(|own| own["title"] == title);
        found.unwrap_or_else(|| panic!("{list}"))["id"].as_str().unwrap().to_owned()
    }
}

fn titles(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

fn items(numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(|number| format!("Item {number}")).collect()
}
