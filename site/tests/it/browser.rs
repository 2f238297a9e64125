//! A browser that keeps its cookie and sends the forms that it was shown.

use std::collections::BTreeMap;

use pergola_accounts::{Role, UserId};
use pergola_store::people::NewUser;

use crate::place::Place;

/// The password of everybody here.
pub(crate) const PASSWORD: &str = "correct horse";
/// What must never come back as it was written.
pub(crate) const EVIL: &str = "\"><script>alert(1)</script>";

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Where it leads.
    pub(crate) to: String,
    pub(crate) text: String,
    pub(crate) headers: reqwest::header::HeaderMap,
}

impl Answer {
    /// Fails unless the text has all these parts.
    #[track_caller]
    pub(crate) fn says(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.text.contains(part), "{part}: {} {}", self.status, self.text);
        }
        self
    }

    /// Fails if the text has one of these parts.
    #[track_caller]
    pub(crate) fn never_says(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(!self.text.contains(part), "{part}: {} {}", self.status, self.text);
        }
        self
    }
}

/// A browser.
pub(crate) struct Browser<'p> {
    place: &'p Place,
    /// By name.
    cookies: BTreeMap<String, String>,
    /// As the last page with a form had it.
    token: Option<String>,
    from_afar: bool,
}

impl<'p> Browser<'p> {
    /// One on the node's own machine.
    pub(crate) fn new(place: &'p Place) -> Self {
        Self { place, cookies: BTreeMap::new(), token: None, from_afar: false }
    }

    /// One on another machine, behind a proxy.
    pub(crate) fn from_afar(place: &'p Place) -> Self {
        Self { from_afar: true, ..Self::new(place) }
    }

    /// One that has logged in as a user whom it adds.
    pub(crate) async fn of(place: &'p Place, name: &str, role: Role) -> Self {
        add(place, name, role).await;
        let mut browser = Self::from_afar(place);
        let answer = browser.log_in(name, PASSWORD).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        browser.get("/settings/account").await.says(&["form_token"]);
        browser
    }

    /// What it keeps while a node restarts.
    pub(crate) fn cookies(&self) -> BTreeMap<String, String> {
        self.cookies.clone()
    }

    /// One on another machine that keeps these.
    pub(crate) fn with_cookies(place: &'p Place, cookies: BTreeMap<String, String>) -> Self {
        Self { cookies, ..Self::from_afar(place) }
    }

    /// Another window of the same browser.
    pub(crate) fn tab(&self) -> Self {
        let (place, from_afar) = (self.place, self.from_afar);
        Self { place, cookies: self.cookies.clone(), token: self.token.clone(), from_afar }
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        let asked = self.place.client.get(self.place.url(path)).header("accept", "text/html");
        self.send(asked).await
    }

    /// Sends a form as this browser was shown it.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.token.clone();
        let own = token.as_deref().map(|token| ("form_token", token));
        let fields: Vec<(&str, &str)> = own.into_iter().chain(fields.iter().copied()).collect();
        self.post_as_it_is(path, &fields).await
    }

    /// Sends these fields and no others.
    pub(crate) async fn post_as_it_is(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body: String =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let sent = self
            .place
            .client
            .post(self.place.url(path))
            .header("accept", "text/html")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("origin", self.place.url(""))
            .body(body);
        self.send(sent).await
    }

    pub(crate) async fn log_in(&mut self, name: &str, password: &str) -> Answer {
        let fields = [("name", name), ("password", password), ("next", "read")];
        self.post_as_it_is("/login", &fields).await
    }

    pub(crate) async fn send(&mut self, mut request: reqwest::RequestBuilder) -> Answer {
        if !self.cookies.is_empty() {
            let pairs: Vec<_> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header("cookie", pairs.join("; "));
        }
        if self.from_afar {
            request = request.header("x-forwarded-for", "192.0.2.7");
        }
        let answer = request.send().await.unwrap();
        let headers = answer.headers().clone();
        for set in headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let to = headers.get("location").map_or("", |to| to.to_str().unwrap()).to_owned();
        let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        if let Some((_, rest)) = text.split_once("name=\"form_token\" value=\"") {
            self.token = rest.split('"').next().map(str::to_owned);
        }
        Answer { status, to, text, headers }
    }
}

/// Adds a user.
pub(crate) async fn add(place: &Place, name: &str, role: Role) -> UserId {
    let password = Some(PASSWORD.to_owned());
    let new = NewUser { name: name.to_owned(), role, password, subject: None };
    place.running.node.add_user(new).await.unwrap()
}

/// How often the text has a part.
pub(crate) fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}
