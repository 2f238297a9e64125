//! The provider `oidc-provider-mock` from PyPI, which is not ours.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use pergola_accounts::Role;

use crate::browser::{Browser, add};
use crate::place::Place;

/// The provider, which ends with the test.
struct Mock(Child);

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Python with the provider, from `.ci/run`; nothing if the test is skipped.
fn python(test: &str) -> Option<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/bin/python3");
    let tried = Command::new(&place)
        .args(["-c", "import oidc_provider_mock"])
        .stderr(Stdio::null())
        .status();
    if tried.is_ok_and(|status| status.success()) {
        return Some(place);
    }
    let why = "Python cannot import oidc_provider_mock; `.ci/run` installs it";
    assert!(std::env::var_os("PERGOLA_REQUIRE_ALL").is_none(), "{test} cannot run: {why}");
    eprintln!("skipped: {test}: {why}");
    None
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_logs_in_at_a_provider_that_is_not_ours() {
    let Some(python) = python("somebody_logs_in_at_a_provider_that_is_not_ours") else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let said = r#"{"sub": "grace", "preferred_username": "Grace Hopper"}"#;
    let mut command = Command::new(python);
    command.args(["-m", "oidc_provider_mock", "--require-nonce", "true", "--user-claims", said]);
    command.args(["--port", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut mock = Mock(command.spawn().unwrap());
    let issuer = format!("http://127.0.0.1:{port}");
    let mut own = super::settings_of(&issuer);
    own.client_id = "any".to_owned();
    let place = Place::with(|config| config.openid = Some(own)).await;
    add(&place, "root", Role::Admin).await;
    let configuration = format!("{issuer}/.well-known/openid-configuration");
    // It takes a moment to start.
    while place.client.get(&configuration).send().await.is_err() {
        assert_eq!(mock.0.try_wait().unwrap(), None, "the provider has ended");
        tokio::task::yield_now().await;
    }
    let mut browser = Browser::from_afar(&place);
    let led = browser.get("/login/openid?next=read").await;
    assert_eq!(led.status, 303, "{led:?}");
    let form =
        place.client.post(&led.to).header("content-type", "application/x-www-form-urlencoded");
    let answer = form.body("sub=grace").send().await.unwrap();
    let back = answer.headers()["location"].to_str().unwrap().to_owned();
    let (_, path) = back.split_once("/login/openid/back").unwrap();
    let let_in = browser.get(&format!("/login/openid/back{path}")).await;
    assert_eq!((let_in.status, let_in.to.as_str()), (303, "../../read"), "{let_in:?}");
    browser.get("/read").await.says(&[">Grace-Hopper<"]);
    let grace = place.node.find_user("grace-hopper").unwrap().unwrap();
    assert_eq!(grace.subject, Some(format!("{issuer} grace")));
    // This provider forgets the state when somebody declines, so that nobody knows which login it was.
    let mut other = Browser::from_afar(&place);
    let led = other.get("/login/openid").await;
    let form =
        place.client.post(&led.to).header("content-type", "application/x-www-form-urlencoded");
    let answer = form.body("action=deny").send().await.unwrap();
    let back = answer.headers()["location"].to_str().unwrap().to_owned();
    let (_, path) = back.split_once("/login/openid/back").unwrap();
    let declined = other.get(&format!("/login/openid/back{path}")).await;
    assert_eq!(declined.status, 400, "{declined:?}");
    declined.says(&["Begin again", "Log in with Example ID"]);
}
