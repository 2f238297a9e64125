//! How fast published feeds are served, beside nginx serving the same bytes as static files.
//!
//! Both are asked by `wrk`, in the same run, in turns, so that whatever else the machine does falls on
//! both; the medians of the rounds are compared. What is not installed is skipped, by name.

mod nginx;
mod stall;
mod wrk;

use std::fmt;

use anyhow::Context;
use serde::Serialize;

use nginx::Nginx;
use stall::Stall;

/// How the measurement is made.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Rounds; each asks both servers for everything once.
    pub rounds: usize,
    /// Seconds for each measurement.
    pub seconds: u64,
    /// Connections kept open.
    pub connections: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rounds: 5, seconds: 3, connections: 64 }
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Bytes of the document.
    pub document_bytes: usize,
    /// Bytes of it in gzip.
    pub gzip_bytes: usize,
    /// Connections kept open.
    pub connections: usize,
    /// Rounds of which the medians are shown.
    pub rounds: usize,
    /// One row for each kind of answer.
    pub rows: Vec<Row>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
}

/// Requests per second for one kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The kind of answer.
    pub answer: &'static str,
    /// By this node.
    pub ours: f64,
    /// By nginx.
    pub nginx: Option<f64>,
    /// Ours for one of nginx.
    pub ratio: Option<f64>,
}

/// A kind of answer, and how each server is asked for it.
struct Case {
    answer: &'static str,
    status: u16,
    bytes: usize,
    ours: Question,
    nginx: Option<Question>,
}

/// A request as `wrk` repeats it.
#[derive(Debug, Clone)]
struct Question {
    url: String,
    headers: Vec<String>,
}

/// Measures, for as long as the settings say.
///
/// # Errors
/// When a server does not start, or does not send what the other one does.
pub fn run(settings: &Settings) -> anyhow::Result<Report> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.context("cannot start the threads of the server")?;
    let stall = runtime.block_on(Stall::open(folder.path()))?;
    let mut skipped = Vec::new();
    let nginx = match nginx::is_installed() {
        true => Some(runtime.block_on(Nginx::start(folder.path(), &stall))?),
        false => {
            skipped.push("nginx is not installed: there is nothing to compare with".to_owned());
            None
        }
    };
    let rows = match wrk::is_installed() {
        true => measure(settings, &cases(&stall, nginx.as_ref())?)?,
        false => {
            skipped.push("wrk is not installed: nothing was measured".to_owned());
            Vec::new()
        }
    };
    Ok(Report {
        document_bytes: stall.plain.len(),
        gzip_bytes: stall.gzip.len(),
        connections: settings.connections,
        rounds: settings.rounds.max(1),
        rows,
        skipped,
    })
}

fn cases(stall: &Stall, nginx: Option<&Nginx>) -> anyhow::Result<Vec<Case>> {
    let gzip = || vec!["Accept-Encoding: gzip".to_owned()];
    let known = |tag: &str| vec![format!("If-None-Match: {tag}")];
    let ours = |headers| Question { url: stall.url.clone(), headers };
    let theirs = |headers: &dyn Fn(&Nginx) -> Vec<String>| {
        nginx.map(|nginx| Question { url: nginx.url.clone(), headers: headers(nginx) })
    };
    let cases = vec![
        Case {
            answer: "200",
            status: 200,
            bytes: stall.plain.len(),
            ours: ours(Vec::new()),
            nginx: theirs(&|_| Vec::new()),
        },
        Case {
            answer: "200, gzip",
            status: 200,
            bytes: stall.gzip.len(),
            ours: ours(gzip()),
            nginx: theirs(&|_| gzip()),
        },
        Case {
            answer: "304",
            status: 304,
            bytes: 0,
            ours: ours(known(&stall.tag)),
            nginx: theirs(&|nginx| known(&nginx.tag)),
        },
    ];
    for case in &cases {
        for question in std::iter::once(&case.ours).chain(&case.nginx) {
            let sent = wrk::ask_once(question)?;
            let (status, bytes) = (sent.status, sent.body);
            anyhow::ensure!(
                (status, bytes) == (case.status, case.bytes),
                "{} answers {status} with {bytes} bytes instead of {} with {}",
                question.url,
                case.status,
                case.bytes
            );
        }
    }
    Ok(cases)
}

fn measure(settings: &Settings, cases: &[Case]) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for case in cases {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..settings.rounds.max(1) {
            ours.push(wrk::requests_per_second(settings, &case.ours)?);
            if let Some(question) = &case.nginx {
                theirs.push(wrk::requests_per_second(settings, question)?);
            }
        }
        let ours = median(&mut ours).unwrap_or(0.0);
        let nginx = median(&mut theirs);
        let ratio = nginx.map(|nginx| ours / nginx.max(1.0));
        rows.push(Row { answer: case.answer, ours, nginx, ratio });
    }
    Ok(rows)
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values {
        [] => None,
        values if values.len() % 2 == 1 => Some(values[middle]),
        values => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "one feed of {} bytes ({} in gzip), {} connections, median of {} rounds in turns",
            self.document_bytes, self.gzip_bytes, self.connections, self.rounds
        )?;
        writeln!(f, "{:<12}{:>14}{:>14}{:>8}", "answer", "pergola req/s", "nginx req/s", "ratio")?;
        for row in &self.rows {
            let number = |value: Option<f64>, places: usize| {
                value.map_or("–".to_owned(), |value| format!("{value:.places$}"))
            };
            let (nginx, ratio) = (number(row.nginx, 0), number(row.ratio, 2));
            writeln!(f, "{:<12}{:>14.0}{nginx:>14}{ratio:>8}", row.answer, row.ours)?;
        }
        self.skipped.iter().try_for_each(|skipped| writeln!(f, "skipped: {skipped}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_ratios_and_what_was_skipped() {
        let row = |nginx: Option<f64>| Row {
            answer: "304",
            ours: 900.4,
            nginx,
            ratio: nginx.map(|nginx| 900.4 / nginx),
        };
        let report = Report {
            document_bytes: 20_000,
            gzip_bytes: 3000,
            connections: 64,
            rounds: 5,
            rows: vec![row(Some(1000.0)), row(None)],
            skipped: vec!["something: it is not there".into()],
        };
        let table = report.to_string();
        assert!(table.contains("304                    900          1000    0.90\n"), "{table}");
        assert!(table.contains("304                    900             –       –\n"), "{table}");
        assert!(table.ends_with("skipped: something: it is not there\n"), "{table}");
    }

    #[test]
    fn a_median_is_the_middle_or_between_the_two_middle_ones() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }
}
