//! Asking for pages, and what that costs.

use std::io::Write as _;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use pergola_outside::clock::Clock;
use reqwest::RequestBuilder;
use url::form_urlencoded;

use super::filled::Filled;
use super::list::{Body, Page, Who};
use super::{BYTES, Row};
use crate::bench::client;
use crate::bench::usage::Usage;

/// Somebody who asks, in each way that there is.
pub(super) struct Asking {
    client: reqwest::Client,
    base: String,
    cookie: String,
    token: String,
    key: String,
}

/// What one request cost.
struct Cost {
    cpu: f64,
    clock: f64,
}

impl Asking {
    /// Logs in.
    pub(super) async fn new(filled: &Filled) -> Result<Self> {
        let (node, user) = (filled.node(), filled.user);
        let session = node.open_session(user, "bench").await?;
        let (_, password) = node.make_app_password(user, "bench").await?;
        let (client, base) = (client::plain()?, format!("http://127.0.0.1:{}", filled.port()));
        let login = [("Email", "ada"), ("Passwd", password.as_str())];
        let asked = client.post(format!("{base}/reader-api/accounts/ClientLogin"));
        let answer = with_form(asked, login).send().await?.error_for_status()?.text().await?;
        let key = answer.lines().find_map(|line| line.strip_prefix("Auth="));
        let key = key.context("an app cannot log in")?.to_owned();
        let cookie = format!("pergola-{}={}", filled.port(), session.reveal());
        let mut asking = Self { client, base, cookie, token: String::new(), key };
        let account = asking.asked(Who::Admin, "/settings/account", None).send().await?;
        let text = account.text().await?;
        let (_, rest) =
            text.split_once("name=\"form_token\" value=\"").context("nobody is logged in")?;
        asking.token = rest.split('"').next().unwrap_or_default().to_owned();
        Ok(asking)
    }

    fn asked(&self, who: Who, path: &str, body: Option<&Body>) -> RequestBuilder {
        let address = format!("{}{path}", self.base);
        let asked = match body {
            None => self.client.get(address),
            Some(fields) => {
                let token = ("form_token", self.token.as_str());
                let asked = self.client.post(address).header("origin", &self.base);
                with_form(asked, [token].into_iter().chain(fields.iter().copied()))
            }
        };
        match who {
            Who::Stranger => asked.header("accept", "text/html"),
            Who::Admin => asked.header("accept", "text/html").header("cookie", &self.cookie),
            Who::App => asked.header("authorization", format!("GoogleLogin auth={}", self.key)),
        }
    }

    /// Asks for a page often.
    pub(super) async fn measured(&self, page: &Page, times: usize) -> Result<Row> {
        let (first, mut largest) = self.once(page, 0).await?;
        let mut costs = Vec::new();
        for turn in 1..=times.max(1) {
            let (cost, text) = self.once(page, turn).await?;
            costs.push(cost);
            if text.len() > largest.len() {
                largest = text;
            }
        }
        let cpu = Sorted::new(costs.iter().map(|cost| cost.cpu));
        let clock = Sorted::new(costs.iter().map(|cost| cost.clock));
        Ok(Row {
            what: page.what,
            bytes: largest.len(),
            gzip: gzipped(&largest)?,
            first: first.cpu,
            median: cpu.at(0.5),
            p95: cpu.at(0.95),
            worst: cpu.at(1.0),
            clock: clock.at(0.95),
            most_bytes: (page.who != Who::App).then_some(BYTES),
        })
    }

    async fn once(&self, page: &Page, turn: usize) -> Result<(Cost, Vec<u8>)> {
        let path = &page.paths[turn % page.paths.len()];
        let asked = self.asked(page.who, path, page.body.as_ref());
        let (watch, before) = (Clock::real(), Usage::now());
        let start = watch.now();
        let answer = asked.send().await?;
        let status = answer.status().as_u16();
        let text = answer.bytes().await?;
        let clock = 1e3 * (watch.now() - start);
        let cpu = 1e3 * Usage::now().cpu_since(&before);
        ensure!(status == page.status, "{path}: {status}: {}", String::from_utf8_lossy(&text));
        Ok((Cost { cpu, clock }, text.to_vec()))
    }
}

fn with_form<'f>(
    asked: RequestBuilder,
    fields: impl IntoIterator<Item = (&'f str, &'f str)>,
) -> RequestBuilder {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    asked.header("content-type", "application/x-www-form-urlencoded").body(body)
}

/// Figures in order.
struct Sorted(Vec<f64>);

impl Sorted {
    fn new(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_by(f64::total_cmp);
        Self(figures)
    }

    fn at(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * share).round() as usize).copied().unwrap_or(0.0)
    }
}

fn gzipped(text: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text)?;
    Ok(encoder.finish()?.len())
}
