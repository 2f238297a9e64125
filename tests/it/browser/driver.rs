//! A client of WebDriver: chromedriver as a process, and the few commands that these tests need.
//!
//! WebDriver is JSON over HTTP, and an HTTP client is here already. The crates for it are not lean: one turns on
//! `serde_json/preserve_order` for the whole workspace, so that tests would see another order of JSON than users do;
//! the other brings second versions of `http`, `cookie` and `icu`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{http_client, missing};

/// The name of an element's id in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Chromium, driven by chromedriver; both end on drop.
pub(crate) struct Driver {
    process: Child,
    /// Of chromedriver.
    address: String,
    session: String,
    http: reqwest::Client,
    _folder: TempDir,
}

/// An element of a page.
#[derive(Debug, Clone)]
pub(crate) struct Element(String);

impl Driver {
    /// Starts a browser that reaches nothing but this machine; nothing if the test is to be skipped.
    pub(crate) async fn start(test: &str) -> Option<Self> {
        if missing("chromium", test) || missing("chromedriver", test) {
            return None;
        }
        let folder = TempDir::new().unwrap();
        let mut command = Command::new("chromedriver");
        command.args(["--port=0", "--log-level=SEVERE"]).env("HOME", folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut ports = lines.map_while(Result::ok).filter_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = ports.next().expect("chromedriver says its port");
        let mut driver = Self {
            process,
            address: format!("127.0.0.1:{port}"),
            session: String::new(),
            http: http_client(),
            _folder: folder,
        };
        let wanted = driver.capabilities();
        let opened = driver.send("", Some(json!({ "capabilities": { "alwaysMatch": wanted } })));
        driver.session = opened.await.unwrap()["sessionId"].as_str().unwrap().to_owned();
        Some(driver)
    }

    fn capabilities(&self) -> Value {
        let profile = format!("--user-data-dir={}", self._folder.path().join("profile").display());
        json!({
            "browserName": "chrome",
            "goog:chromeOptions": { "args": [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--force-color-profile=srgb", "--hide-scrollbars", "--lang=en-GB", "--window-size=1280,900",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", profile,
            ] },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        })
    }

    /// A command of the session; its value, or what was wrong.
    async fn send(&self, path: &str, body: Option<Value>) -> Result<Value, String> {
        let at = match self.session.as_str() {
            "" => format!("http://{}/session", self.address),
            session => format!("http://{}/session/{session}/{path}", self.address),
        };
        let request = match body {
            Some(body) => self.http.post(at).body(body.to_string()),
            None => self.http.get(at),
        };
        let answer = request.send().await.map_err(|error| format!("{error:?}"))?;
        let fine = answer.status().is_success();
        let text = answer.text().await.map_err(|error| format!("{error:?}"))?;
        let mut told: Value =
            serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        if fine { Ok(told["value"].take()) } else { Err(told["value"]["message"].to_string()) }
    }

    pub(crate) async fn open(&self, url: &str) {
        self.send("url", Some(json!({ "url": url }))).await.unwrap();
    }

    /// Loads the page again.
    pub(crate) async fn reload(&self) {
        self.send("refresh", Some(json!({}))).await.unwrap();
    }

    pub(crate) async fn url(&self) -> String {
        self.send("url", None).await.unwrap().as_str().unwrap().to_owned()
    }

    /// The first element that XPath finds.
    pub(crate) async fn find(&self, path: &str) -> Result<Element, String> {
        let asked = json!({ "using": "xpath", "value": path });
        let found = self.send("element", Some(asked)).await?;
        Ok(Element(found[ELEMENT].as_str().unwrap().to_owned()))
    }

    pub(crate) async fn click(&self, element: &Element) -> Result<(), String> {
        self.send(&format!("element/{}/click", element.0), Some(json!({}))).await.map(drop)
    }

    pub(crate) async fn clear(&self, element: &Element) -> Result<(), String> {
        self.send(&format!("element/{}/clear", element.0), Some(json!({}))).await.map(drop)
    }

    /// Types into an element.
    pub(crate) async fn keys(&self, element: &Element, text: &str) -> Result<(), String> {
        self.send(&format!("element/{}/value", element.0), Some(json!({ "text": text })))
            .await
            .map(drop)
    }

    /// Runs a function body in the page; it may return something. Works also while scripts of pages are off.
    pub(crate) async fn script(&self, body: &str) -> Result<Value, String> {
        self.send("execute/sync", Some(json!({ "script": body, "args": [] }))).await
    }

    /// Runs a function body that calls its last argument when it is done.
    pub(crate) async fn script_async(&self, body: &str) -> Result<Value, String> {
        self.send("execute/async", Some(json!({ "script": body, "args": [] }))).await
    }

    /// A command of the browser's own protocol.
    pub(crate) async fn command(&self, name: &str, values: Value) -> Value {
        let asked = json!({ "cmd": name, "params": values });
        self.send("goog/cdp/execute", Some(asked)).await.unwrap()
    }

    /// What was logged since the last time: `browser` (the console) or `performance` (the network).
    pub(crate) async fn log(&self, kind: &str) -> Vec<Value> {
        let told = self.send("se/log", Some(json!({ "type": kind }))).await.unwrap();
        told.as_array().unwrap().clone()
    }

    /// Strikes a key where the focus is: `Tab`, `Escape`, or a letter or sign.
    pub(crate) async fn strikes(&self, key: &str) {
        let down = match key {
            "Tab" => {
                json!({ "type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": 9 })
            }
            "Escape" => {
                json!({ "type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": 27 })
            }
            sign => json!({ "type": "keyDown", "key": sign, "text": sign }),
        };
        self.command("Input.dispatchKeyEvent", down).await;
        self.command("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key })).await;
    }

    /// The handles of all tabs.
    pub(crate) async fn tabs(&self) -> Vec<String> {
        let handles = self.send("window/handles", None).await.unwrap();
        serde_json::from_value(handles).unwrap()
    }

    /// Opens another tab and goes there; its handle.
    pub(crate) async fn new_tab(&self) -> String {
        let made = self.send("window/new", Some(json!({ "type": "tab" }))).await.unwrap();
        let handle = made["handle"].as_str().unwrap().to_owned();
        self.switch_to(&handle).await;
        handle
    }

    /// The handle of the tab that is driven.
    pub(crate) async fn tab(&self) -> String {
        self.send("window", None).await.unwrap().as_str().unwrap().to_owned()
    }

    pub(crate) async fn switch_to(&self, handle: &str) {
        self.send("window", Some(json!({ "handle": handle }))).await.unwrap();
    }

    /// Ends the session without an executor, so that no browser is left behind by a test that failed.
    fn end_session(&self) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let (address, session) = (&self.address, &self.session);
        write!(
            stream,
            "DELETE /session/{session} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        stream.read_to_end(&mut Vec::new()).map(drop)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.end_session();
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
