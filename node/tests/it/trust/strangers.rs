//! Who may call what: every call that a node answers, made by everybody in every way.
//!
//! The calls come from the router, the OpenAPI description and the compiled contract, so a new one is walked by itself
//! and has to be in the table of `docs/security.md`.

use std::collections::BTreeSet;
use std::path::Path;

use http::Method;
use pergola_config::Secret;
use pergola_node::api::Access;
use prost::Message;
use prost_types::FileDescriptorSet;
use reqwest::{Client, StatusCode};
use tempfile::TempDir;

use super::reader;
use crate::house::{House, plain_client, quick_config};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/security.md");
const BEGIN: &str = "<!-- calls:begin -->\n";
const END: &str = "<!-- calls:end -->";
/// Rewrites the table.
const WRITE: &str = "PERGOLA_WRITE_DOCS";

/// A call that a node answers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    kind: Kind,
    path: String,
    method: String,
    who: Who,
    /// For gRPC: the number of the field that names the feed, if there is one.
    feed: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Rest,
    Page,
    Grpc,
    WebSub,
}

/// Who may make a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Anybody,
    /// Whoever may read the feed that it names.
    Readers,
    Operator,
    /// Whoever knows an address that the node made up for a hub.
    Hub,
}

impl Who {
    fn words(self) -> &'static str {
        match self {
            Self::Anybody => "anybody",
            Self::Readers => "readers of the feed",
            Self::Operator => "the operator",
            Self::Hub => "the hub that was told the address",
        }
    }
}

/// What somebody sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sends {
    Nothing,
    Wrong,
    /// The token of alice, who may read the closed feed.
    Alice,
    Bob,
    Operator,
}

const EVERYBODY: [Sends; 5] =
    [Sends::Nothing, Sends::Wrong, Sends::Alice, Sends::Bob, Sends::Operator];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Direct,
    Proxied,
    Socket,
}

/// Whom a node takes somebody for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Stranger,
    Wrong,
    Alice,
    Bob,
    Operator,
}

fn taken_for(sends: Sends, way: Way, has_token: bool) -> Taken {
    match sends {
        Sends::Alice => Taken::Alice,
        Sends::Bob => Taken::Bob,
        Sends::Operator if has_token => Taken::Operator,
        Sends::Operator | Sends::Wrong => Taken::Wrong,
        Sends::Nothing if way == Way::Socket || way == Way::Direct && !has_token => Taken::Operator,
        Sends::Nothing => Taken::Stranger,
    }
}

/// How somebody is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered {
    LetIn,
    Refused,
    NotFound,
}

/// What may be answered.
fn expected(who: Who, taken: Taken) -> &'static [Answered] {
    use Answered::{LetIn, NotFound, Refused};
    match (who, taken) {
        (Who::Anybody, _) => &[LetIn],
        (Who::Operator, Taken::Operator) => &[LetIn, NotFound],
        (Who::Operator, _) => &[Refused],
        (Who::Readers, Taken::Operator | Taken::Alice) => &[LetIn],
        (Who::Readers, Taken::Wrong) => &[Refused, NotFound],
        (Who::Readers, Taken::Bob | Taken::Stranger) => &[NotFound],
        (Who::Hub, _) => &[NotFound],
    }
}

fn in_words(who: Who, sends: Sends) -> &'static str {
    let taken = taken_for(sends, Way::Proxied, true);
    match (who, expected(who, taken)[0]) {
        (Who::Hub, _) => "not found",
        (_, Answered::LetIn) => "yes",
        (Who::Readers, _) => "not found",
        (_, Answered::Refused) => "refused",
        (_, Answered::NotFound) => "not found",
    }
}

/// Every call of a node.
fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for (method, path, allows) in pergola_node::api::listed() {
        let who = match allows {
            Access::Operator => Who::Operator,
            Access::Anybody if path.contains("{name}") => Who::Readers,
            Access::Anybody => Who::Anybody,
        };
        let kind = if path.starts_with("/api/") { Kind::Rest } else { Kind::Page };
        calls.push(Call {
            kind,
            path: path.to_owned(),
            method: method.to_string(),
            who,
            feed: None,
        });
    }
    for path in pergola_node::publish::PATHS {
        let who = if path.contains("{name}") { Who::Readers } else { Who::Anybody };
        calls.push(Call {
            kind: Kind::Page,
            path: path.to_owned(),
            method: "GET".into(),
            who,
            feed: None,
        });
    }
    let websub = [
        ("POST", pergola_node::websub::HUB, Who::Anybody),
        ("GET", pergola_node::websub::CALLBACK, Who::Hub),
        ("POST", pergola_node::websub::CALLBACK, Who::Hub),
    ];
    calls.extend(websub.map(|(method, path, who)| Call {
        kind: Kind::WebSub,
        path: path.to_owned(),
        method: method.to_owned(),
        who,
        feed: None,
    }));
    calls.extend(methods(pergola_proto::FILE_DESCRIPTOR_SET));
    calls.extend(methods(tonic_health::pb::FILE_DESCRIPTOR_SET));
    calls.extend(methods(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET));
    calls.sort();
    calls
}

/// The methods of a compiled contract. One whose question names a feed is for its readers.
fn methods(contract: &[u8]) -> Vec<Call> {
    let files = FileDescriptorSet::decode(contract).unwrap().file;
    let mut methods = Vec::new();
    for file in &files {
        for service in &file.service {
            for method in &service.method {
                let question = method.input_type().rsplit('.').next().unwrap();
                let message = file.message_type.iter().find(|message| message.name() == question);
                let fields = message.map(|message| &message.field[..]).unwrap_or_default();
                let feed = fields.iter().find(|field| field.name() == "feed");
                methods.push(Call {
                    kind: Kind::Grpc,
                    path: format!("/{}.{}/{}", file.package(), service.name(), method.name()),
                    method: "gRPC".to_owned(),
                    who: if feed.is_some() { Who::Readers } else { Who::Anybody },
                    feed: feed.map(|field| u8::try_from(field.number()).unwrap()),
                });
            }
        }
    }
    methods
}

/// A node with the closed feed Hidden, which alice may read.
async fn house(token: Option<&str>) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.schedule.cycle = std::time::Duration::from_secs(86_400);
    config.api.token = token.map(Secret::new);
    config.readers = vec![reader("alice"), reader("bob")];
    config.websub.hub = true;
    config.websub.subscribe = true;
    let house = House::open(folder, config).await;
    let query =
        r#"CREATE FEED Hidden AS RETURN "http://127.0.0.1:9/b" WHERE ITEM CONTAINS "hidden";"#;
    house.node().run_script(query, "test").await.unwrap();
    house.node().set_readers("Hidden", Some(vec!["alice".to_owned()])).await.unwrap();
    house
}

/// Clients for HTTP/1.1 and for gRPC, by the socket or over the network.
fn clients(house: &House, way: Way) -> [Client; 2] {
    let socket = house.folder.path().join("data").join(pergola_outside::surroundings::SOCKET);
    let client = || match way {
        Way::Socket => plain_client().unix_socket(socket.as_path()),
        Way::Direct | Way::Proxied => plain_client().no_proxy(),
    };
    [client().build().unwrap(), client().http2_prior_knowledge().build().unwrap()]
}

impl Call {
    /// The address, with something in the place of each parameter.
    fn address(&self) -> String {
        let feed = if self.who == Who::Readers { "Hidden" } else { "Nothing" };
        let archive = self.path.contains("/archive/");
        let path = self
            .path
            .replace("{name}", feed)
            .replace("{id}", "999")
            .replace("{key}", "no.such")
            .replace("{user}", "ada");
        let path =
            path.replace("{volume}", if archive { "0" } else { "" }).replace("{token}", "unknown");
        let path = path.replace("{file}", "style.css");
        if path.ends_with("/search") { format!("{path}?q=hidden") } else { path }
    }

    /// Makes the call.
    async fn made(
        &self,
        [http, grpc]: &[Client; 2],
        house: &House,
        sends: Sends,
        way: Way,
    ) -> (Answered, String) {
        let method: Method = self.method.parse().unwrap();
        let url = house.url(&self.address());
        let mut request = match self.kind {
            Kind::Grpc => {
                let mut body = vec![0, 0, 0, 0, 0];
                if let Some(field) = self.feed {
                    body.extend([field << 3 | 2, 6]);
                    body.extend(b"Hidden");
                    body[4] = 8;
                }
                grpc.post(url)
                    .header("content-type", "application/grpc")
                    .header("te", "trailers")
                    .body(body)
            }
            Kind::WebSub => http
                .request(method, url)
                .header("content-type", "application/x-www-form-urlencoded")
                .body("hub.mode=subscribe"),
            _ if method == Method::GET => http.get(url),
            _ => http.request(method, url).header("content-type", "application/json").body("{}"),
        };
        if way == Way::Proxied {
            request = request.header("x-forwarded-for", "192.0.2.7");
        }
        let token = match sends {
            Sends::Nothing => None,
            Sends::Wrong => Some("the token of nobody"),
            Sends::Alice => Some("the token of alice"),
            Sends::Bob => Some("the token of bob"),
            Sends::Operator => Some("the operator's token"),
        };
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let response = request.send().await.unwrap();
        let code =
            response.headers().get("grpc-status").map(|code| code.to_str().unwrap().to_owned());
        let answered = match (response.status(), code.as_deref()) {
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => Answered::Refused,
            (_, Some("16" | "7")) => Answered::Refused,
            // An archive that does not exist yet is one of a feed that exists.
            (StatusCode::GONE, _) if self.kind == Kind::WebSub => Answered::NotFound,
            (StatusCode::NOT_FOUND, _) if !self.path.contains("/archive/") => Answered::NotFound,
            (_, Some("5")) => Answered::NotFound,
            _ => Answered::LetIn,
        };
        // Streams go on; what matters has been said.
        let body =
            if self.kind == Kind::Grpc { String::new() } else { response.text().await.unwrap() };
        let missing = self.path.contains("/archive/") && body.contains("no feed");
        (if missing { Answered::NotFound } else { answered }, body)
    }
}

fn table(calls: &[Call]) -> String {
    let mut text = String::from(
        "| call | who may | no token | wrong token | a reader of the feed | another reader | the operator |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for call in calls {
        let name = match call.kind {
            Kind::Grpc => format!("gRPC `{}`", call.path.trim_start_matches('/')),
            _ => format!("`{} {}`", call.method, call.path),
        };
        let answers = EVERYBODY.map(|sends| in_words(call.who, sends)).join(" | ");
        text.push_str(&format!("| {name} | {} | {answers} |\n", call.who.words()));
    }
    text
}

#[test]
fn the_table_of_the_documentation_has_every_call() {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = document.split_once(BEGIN).unwrap();
    let (found, after) = rest.split_once(END).unwrap();
    let table = table(&calls());
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(DOCUMENT, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    let advice = format!("run: {WRITE}=1 cargo test --workspace --test node strangers");
    assert!(found == table, "the table of docs/security.md is out of date; {advice}");
}

#[test]
fn no_route_is_made_elsewhere_than_in_the_listed_tables() {
    let mut found = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let routes = text.matches(".route(").count() + text.matches(".route_service(").count();
            if routes > 0 {
                let shown = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
                found.insert((shown.display().to_string(), routes));
            }
        }
    }
    let listed = [
        // Every listed route, and one that answers what is no route.
        ("src/api.rs", 2),
        // Every method of three contracts, and one of them once more by a shorter way.
        ("src/peer.rs", 4),
        ("src/publish/serve.rs", 5),
        ("src/websub/hub/door.rs", 1),
        ("src/websub/subscriber.rs", 1),
    ];
    let listed: BTreeSet<_> = listed.map(|(file, routes)| (file.to_owned(), routes)).into();
    assert_eq!(found, listed, "a new route belongs into a table that `calls` reads");
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_may_do_what_the_table_says_whichever_way_they_come() {
    let calls = calls();
    let mut made = 0;
    for token in [Some("the operator's token"), None] {
        let house = house(token).await;
        for way in [Way::Direct, Way::Proxied, Way::Socket] {
            let clients = clients(&house, way);
            for call in &calls {
                for sends in EVERYBODY {
                    let taken = taken_for(sends, way, token.is_some());
                    let (answered, body) = call.made(&clients, &house, sends, way).await;
                    let case = format!("{call:?} {sends:?} {way:?}, token: {token:?}: {body}");
                    assert!(expected(call.who, taken).contains(&answered), "{answered:?}: {case}");
                    let may_know = matches!(taken, Taken::Operator | Taken::Alice);
                    let asked = call.address().contains("idden");
                    assert!(may_know || asked || !body.contains("Hidden"), "it is told of: {case}");
                    made += 1;
                }
            }
        }
    }
    assert_eq!(made, calls.len() * 2 * 3 * EVERYBODY.len());
}
