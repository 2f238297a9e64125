//! Who is taken for whom, and what each may read and take.

use std::net::{SocketAddr, TcpListener, TcpStream};

use axum::extract::ConnectInfo;
use http::header::{AUTHORIZATION, HOST};
use http::{HeaderValue, Request, Version};
use pergola_config::{Config, Fingerprint, Secret};
use pergola_port::access::{Access, ByFolder, Caller, ClientCertificate, ListensOn, NotNear};
use pergola_store::archive::FeedId;

const FEED: FeedId = FeedId(7);
const ALICES: [u8; 32] = [0xa1; 32];

fn access(token: Option<&str>) -> Access {
    access_with(token, "")
}

/// A node with two readers; `node` stands below `[node]`.
fn access_with(token: Option<&str>, node: &str) -> Access {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pergola.toml");
    let print = Fingerprint(ALICES);
    let text = format!(
        "[node]\n{node}\n[peers]\nstreams = 2\nrequests_per_minute = 3\n\
         [[reader]]\nname = \"alice\"\ntoken = \"alice's secret\"\ncertificate = \"{print}\"\n\
         [[reader]]\nname = \"bob\"\ntoken = \"bob's secret\"\nrequests_per_minute = 1\n"
    );
    std::fs::write(&file, text).unwrap();
    let mut config = Config::load(Some(&file), []).unwrap();
    config.api.token = token.map(Secret::new);
    Access::new(&config)
}

/// A connection within this machine, and what a request by it looks like to a node.
struct Direct {
    listener: TcpListener,
    client: TcpStream,
}

impl Direct {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        Self { listener, client }
    }

    fn request(&self) -> Request<()> {
        let mut request = Request::new(());
        request.headers_mut().insert(HOST, HeaderValue::from_static("localhost:8080"));
        request.extensions_mut().insert(ConnectInfo(self.client.local_addr().unwrap()));
        request.extensions_mut().insert(ListensOn(self.listener.local_addr().unwrap()));
        request
    }
}

/// How a caller is called here.
fn name(access: &Access, request: &Request<()>) -> String {
    match access.caller(request) {
        Caller::Operator => "operator".to_owned(),
        Caller::Reader(reader) => reader.name.clone(),
        Caller::Stranger { wrong: true, .. } => "wrong".to_owned(),
        Caller::Stranger { .. } => "stranger".to_owned(),
    }
}

/// How a caller is called who sends and shows this, by a request that is otherwise like `request`.
fn who(
    access: &Access,
    mut request: Request<()>,
    sent: Option<&str>,
    shown: Option<[u8; 32]>,
) -> String {
    if let Some(sent) = sent {
        request.headers_mut().insert(AUTHORIZATION, HeaderValue::from_str(sent).unwrap());
    }
    if let Some(shown) = shown {
        request.extensions_mut().insert(ClientCertificate(Fingerprint(shown)));
    }
    name(access, &request)
}

fn from(address: &str) -> Request<()> {
    let mut request = Direct::new().request();
    let from: SocketAddr = format!("{address}:4711").parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(from));
    request
}

#[test]
fn callers_are_known_by_what_they_send_and_show() {
    let access = access(Some("the operator's"));
    let far = || from("192.0.2.1");
    for (sent, shown, expected) in [
        (None, None, "stranger"),
        (Some("Bearer the operator's"), None, "operator"),
        (Some("Bearer alice's secret"), None, "alice"),
        (Some("bearer bob's secret"), None, "bob"),
        // "anything:bob's secret", and the operator's token as a password.
        (Some("Basic YW55dGhpbmc6Ym9iJ3Mgc2VjcmV0"), None, "bob"),
        (Some("Basic eDp0aGUgb3BlcmF0b3Incw=="), None, "wrong"),
        (Some("Bearer alice's secre"), None, "wrong"),
        (Some("Bearer "), None, "wrong"),
        (None, Some(ALICES), "alice"),
        (None, Some([0; 32]), "stranger"),
        (Some("Bearer bob's secret"), Some(ALICES), "bob"),
        (Some("Bearer nobody's"), Some(ALICES), "wrong"),
    ] {
        assert_eq!(who(&access, far(), sent, shown), expected, "{sent:?} {shown:?}");
    }
    assert_eq!(name(&access, &Direct::new().request()), "stranger");
}

#[test]
fn without_a_token_whoever_is_near_is_the_operator_unless_it_says_otherwise() {
    let (access, direct) = (access(None), Direct::new());
    assert_eq!(who(&access, direct.request(), None, None), "operator");
    assert_eq!(who(&access, from("192.0.2.1"), None, None), "stranger");
    assert_eq!(who(&access, direct.request(), Some("Bearer alice's secret"), None), "alice");
    assert_eq!(who(&access, direct.request(), Some("Bearer nobody's"), None), "wrong");
}

#[test]
fn whoever_does_not_come_directly_is_not_near_and_learns_why() {
    let direct = Direct::new();
    let spoilt = |spoil: &dyn Fn(&mut Request<()>)| {
        let access = access(None);
        let mut request = direct.request();
        spoil(&mut request);
        let operator = name(&access, &request) == "operator";
        let why = access.not_near(&request);
        assert_eq!(operator, why.is_none(), "{request:?}");
        (why, access.lacks_token())
    };
    assert_eq!(spoilt(&|_| ()), (None, false));
    for header in [
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-forwarded-port",
        "x-forwarded-server",
        "x-real-ip",
        "x-original-host",
        "cf-connecting-ip",
        "cdn-loop",
    ] {
        let passed_on = |request: &mut Request<()>| {
            let name = http::HeaderName::from_static(header);
            request.headers_mut().insert(name, HeaderValue::from_static("127.0.0.1"));
        };
        assert_eq!(spoilt(&passed_on), (Some(NotNear::PassedOn), true), "{header}");
    }
    let old = |request: &mut Request<()>| *request.version_mut() = Version::HTTP_10;
    assert_eq!(spoilt(&old), (Some(NotNear::PassedOn), true), "nginx as it comes");
    for host in ["node.example", "rebound.example:8080", "192.168.1.7", "0.0.0.0:8080", ""] {
        let named = |request: &mut Request<()>| {
            request.headers_mut().insert(HOST, HeaderValue::from_str(host).unwrap());
        };
        assert_eq!(spoilt(&named), (Some(NotNear::OtherName), false), "{host}");
    }
    let unnamed = |request: &mut Request<()>| _ = request.headers_mut().remove(HOST);
    assert_eq!(spoilt(&unnamed), (Some(NotNear::OtherName), false));
    let stranger = |request: &mut Request<()>| {
        let from: SocketAddr = "127.0.0.1:1".parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(from));
    };
    assert_eq!(spoilt(&stranger), (Some(NotNear::OtherUser), true), "nobody knows whose it is");
}

#[test]
fn a_node_with_a_public_name_or_a_proxy_trusts_nobody_for_being_near() {
    let direct = Direct::new();
    for (node, near) in [
        ("public_url = \"http://127.0.0.1:8080/\"", true),
        ("public_url = \"http://localhost/\"", true),
        ("public_url = \"https://node.example/\"", false),
        ("public_url = \"http://192.168.1.7:8080/\"", false),
        ("behind_proxy = true", false),
    ] {
        let access = access_with(None, node);
        let expected = if near { "operator" } else { "stranger" };
        assert_eq!(name(&access, &direct.request()), expected, "{node}");
        assert_eq!(
            access.not_near(&direct.request()),
            (!near).then_some(NotNear::Exposed),
            "{node}"
        );
    }
}

#[test]
fn whoever_comes_by_the_folder_is_the_operator_unless_it_says_otherwise() {
    for token in [None, Some("the operator's")] {
        let access = access_with(token, "public_url = \"https://node.example/\"");
        let by_folder = || {
            let mut request = Request::new(());
            request.extensions_mut().insert(ByFolder);
            request
        };
        assert_eq!(who(&access, by_folder(), None, None), "operator");
        assert_eq!(who(&access, by_folder(), Some("Bearer bob's secret"), None), "bob");
        assert_eq!(who(&access, by_folder(), Some("Bearer nobody's"), None), "wrong");
    }
}

#[test]
fn a_closed_feed_exists_for_its_readers_and_the_operator_only() {
    let access = access(None);
    let reader = |name: &str| {
        let mut request = Request::new(());
        let token = HeaderValue::from_str(&format!("Bearer {name}'s secret")).unwrap();
        request.headers_mut().insert(AUTHORIZATION, token);
        access.caller(&request)
    };
    let stranger = Caller::Stranger { address: None, wrong: false };
    assert!(access.may_read(&stranger, FEED));
    access.set(FEED, Some(&["alice".to_owned()]));
    assert!(access.may_read(&reader("alice"), FEED) && access.may_read(&Caller::Operator, FEED));
    assert!(!access.may_read(&reader("bob"), FEED) && !access.may_read(&stranger, FEED));
    assert!(access.may_read(&stranger, FeedId(8)));
    access.set(FEED, Some(&[]));
    assert!(!access.may_read(&reader("alice"), FEED));
    access.set(FEED, None);
    assert!(access.may_read(&stranger, FEED) && access.all_open());
}
