//! Recorded publication streams: a folder with `streams.tsv` and `items.tsv` (or `items.tsv.gz`).
//!
//! `streams.tsv` has a header line and one row per stream, of which only the column `stream_id` must
//! be there. `items.tsv` has no header; its rows are `stream_id`, `t` (seconds since the start),
//! `keywords` (comma-separated, may be empty) and `title`, sorted by time. A line that cannot be read
//! is an error that names the file, the line and what is wrong: a trace that is read in part would give wrong
//! figures.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// Seconds in a week; a trace lasts for whole weeks.
const WEEK: f64 = 604_800.0;
/// The longest line.
const LONGEST_LINE: u64 = 64 * 1024;
/// The largest file, decompressed.
const LARGEST_FILE: u64 = 4 << 30;

/// One recorded item.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceItem {
    /// Seconds since the start of the trace.
    pub at: f64,
    pub keywords: String,
    pub title: String,
}

/// One recorded stream.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceStream {
    pub id: String,
    /// In order of time.
    pub items: Vec<TraceItem>,
}

/// A folder of recorded streams.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// In the order of `streams.tsv`.
    pub streams: Vec<TraceStream>,
    /// Whole weeks that the trace lasts.
    pub weeks: usize,
}

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}, line {line}: {problem}", path.display())]
    Malformed { path: PathBuf, line: usize, problem: String },
    #[error("cannot write {}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("{} holds a trace already; name another folder", path.display())]
    Taken { path: PathBuf },
    #[error("{}: it has no items; a trace needs at least one", path.display())]
    Empty { path: PathBuf },
}

impl Trace {
    pub fn read(folder: &Path) -> Result<Self, TraceError> {
        let mut streams: Vec<TraceStream> = read_ids(&folder.join("streams.tsv"))?
            .into_iter()
            .map(|id| TraceStream { id, items: Vec::new() })
            .collect();
        let numbers: HashMap<String, usize> =
            streams.iter().enumerate().map(|(n, stream)| (stream.id.clone(), n)).collect();
        let plain = folder.join("items.tsv");
        let path = if plain.exists() { plain } else { folder.join("items.tsv.gz") };
        let mut last = 0.0;
        for_each_line(&path, |line, text| {
            let (id, item) = parse_item(text)?;
            let Some(&number) = numbers.get(id) else {
                return Err(format!("stream `{id}` is not listed in streams.tsv"));
            };
            if item.at < last {
                let at = item.at;
                return Err(format!(
                    "time {at} comes after {last} on line {}; items must be sorted by time",
                    line - 1
                ));
            }
            last = item.at;
            streams[number].items.push(item);
            Ok(())
        })?;
        if streams.iter().all(|stream| stream.items.is_empty()) {
            return Err(TraceError::Empty { path: folder.to_owned() });
        }
        // An item at the very end of a week belongs to that week.
        let weeks = ((last / WEEK).ceil() as usize).max(1);
        Ok(Self { streams, weeks })
    }

    /// Writes a folder that [`Trace::read`] reads. A folder that holds a trace already is left alone.
    pub fn write(&self, folder: &Path) -> Result<(), TraceError> {
        let unwritable = |source| TraceError::Unwritable { path: folder.to_owned(), source };
        if ["streams.tsv", "items.tsv", "items.tsv.gz"]
            .iter()
            .any(|name| folder.join(name).exists())
        {
            return Err(TraceError::Taken { path: folder.to_owned() });
        }
        fs::create_dir_all(folder).map_err(unwritable)?;
        let mut streams = String::from("stream_id\titems\n");
        let mut items: Vec<(&TraceItem, &str)> = Vec::new();
        for TraceStream { id, items: own } in &self.streams {
            streams.push_str(&format!("{id}\t{}\n", own.len()));
            items.extend(own.iter().map(|item| (item, id.as_str())));
        }
        // By time, then by stream: the sort is stable.
        items.sort_by(|a, b| a.0.at.total_cmp(&b.0.at));
        let lines: String = items
            .iter()
            .map(|(item, id)| format!("{id}\t{}\t{}\t{}\n", item.at, item.keywords, item.title))
            .collect();
        // The items first: without streams.tsv a half-written folder is not a trace.
        fs::write(folder.join("items.tsv"), lines).map_err(unwritable)?;
        fs::write(folder.join("streams.tsv"), streams).map_err(unwritable)
    }

    pub fn items(&self) -> usize {
        self.streams.iter().map(|stream| stream.items.len()).sum()
    }
}

fn parse_item(text: &str) -> Result<(&str, TraceItem), String> {
    let mut fields = text.splitn(4, '\t');
    let mut field = |name: &str| {
        fields.next().ok_or_else(|| {
            format!("the field `{name}` is missing; expected stream_id, t, keywords and title, separated by tabs")
        })
    };
    let (id, time) = (field("stream_id")?, field("t")?);
    let (keywords, title) = (field("keywords")?.to_owned(), field("title")?.to_owned());
    let at =
        time.parse().ok().filter(|at: &f64| at.is_finite() && *at >= 0.0).ok_or_else(|| {
            format!("time `{time}` is not a number of seconds; expected a number of at least 0")
        })?;
    Ok((id, TraceItem { at, keywords, title }))
}

fn read_ids(path: &Path) -> Result<Vec<String>, TraceError> {
    let mut column = None;
    let mut ids: Vec<String> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for_each_line(path, |line, text| {
        let mut fields = text.split('\t');
        let Some(column) = column else {
            let found = fields.position(|name| name == "stream_id");
            column = Some(found.ok_or("the header has no column `stream_id`")?);
            return Ok(());
        };
        let id = fields.nth(column).filter(|id| !id.is_empty());
        let id = id.ok_or("the field `stream_id` is missing")?.to_owned();
        if let Some(before) = seen.insert(id.clone(), line) {
            return Err(format!("stream `{id}` is listed already on line {before}"));
        }
        ids.push(id);
        Ok(())
    })?;
    Ok(ids)
}

/// Calls `f(line number, line)` for each line of a plain or gzipped file.
fn for_each_line(
    path: &Path,
    mut f: impl FnMut(usize, &str) -> Result<(), String>,
) -> Result<(), TraceError> {
    let unreadable = |source| TraceError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|ending| ending == "gz") {
        Box::new(GzDecoder::new(BufReader::new(file)))
    } else {
        Box::new(file)
    };
    let mut reader = BufReader::new(reader.take(LARGEST_FILE));
    let mut bytes = Vec::new();
    for line in 1.. {
        let malformed = |problem| TraceError::Malformed { path: path.to_owned(), line, problem };
        bytes.clear();
        let read =
            (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut bytes).map_err(unreadable)?;
        if read == 0 {
            return Ok(());
        }
        if read as u64 == LONGEST_LINE {
            return Err(malformed(format!("the line is longer than {LONGEST_LINE} bytes")));
        }
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| malformed("the line is not UTF-8".to_owned()))?
            .trim_end_matches(['\n', '\r']);
        if !text.is_empty() {
            f(line, text).map_err(malformed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A folder of its own for each test, gone when the test ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, items: &str) -> Self {
            let path = std::env::temp_dir().join(format!("pergola-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("streams.tsv"), "kind\tstream_id\nrss\ta\nrss\tb\n").unwrap();
            fs::write(path.join("items.tsv"), items).unwrap();
            Self(path)
        }

        fn error(&self) -> String {
            let text = Trace::read(&self.0).unwrap_err().to_string();
            text.replace(&format!("{}/", self.0.display()), "")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const GOOD: &str = "a\t5\tx,y\tFirst\nb\t5\t\tSecond\na\t700000\tx\tThird\n";

    #[test]
    fn a_trace_is_read_plain_or_gzipped() {
        let folder = Folder::new("good", GOOD);
        let plain = Trace::read(&folder.0).unwrap();
        assert_eq!((plain.streams.len(), plain.items(), plain.weeks), (2, 3, 2));
        assert_eq!(plain.streams[0].items[1].title, "Third");
        fs::remove_file(folder.0.join("items.tsv")).unwrap();
        let file = File::create(folder.0.join("items.tsv.gz")).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        gzip.write_all(GOOD.as_bytes()).unwrap();
        gzip.finish().unwrap();
        assert_eq!(Trace::read(&folder.0).unwrap(), plain);
    }

    #[test]
    fn what_is_written_is_read_back_and_never_overwritten() {
        let folder = Folder::new("written", GOOD);
        let trace = Trace::read(&folder.0).unwrap();
        assert!(matches!(trace.write(&folder.0), Err(TraceError::Taken { .. })));
        let copy = folder.0.join("copy");
        trace.write(&copy).unwrap();
        assert_eq!(Trace::read(&copy).unwrap(), trace);
    }

    #[test]
    fn a_bad_line_is_named_with_its_file_its_number_and_what_is_expected() {
        let cases = [
            (
                "time",
                "a\t5\t\tx\na\tsoon\t\ty\n",
                "items.tsv, line 2: time `soon` is not a number of seconds; expected a number of at least 0",
            ),
            (
                "negative",
                "a\t-3\t\tx\n",
                "items.tsv, line 1: time `-3` is not a number of seconds; expected a number of at least 0",
            ),
            (
                "order",
                "a\t5\t\tx\na\t4\t\ty\n",
                "items.tsv, line 2: time 4 comes after 5 on line 1; items must be sorted by time",
            ),
            (
                "unknown",
                "z\t5\t\tx\n",
                "items.tsv, line 1: stream `z` is not listed in streams.tsv",
            ),
            (
                "short",
                "a\t5\n",
                "items.tsv, line 1: the field `keywords` is missing; expected stream_id, t, keywords and title, separated by tabs",
            ),
        ];
        for (name, items, expected) in cases {
            assert_eq!(Folder::new(name, items).error(), expected);
        }
    }

    #[test]
    fn missing_files_and_empty_traces_are_errors_too() {
        let folder = Folder::new("empty", "");
        assert!(folder.error().contains("there is no item in it"));
        fs::remove_file(folder.0.join("streams.tsv")).unwrap();
        assert_eq!(folder.error(), "cannot read streams.tsv");
        let folder = Folder::new("header", GOOD);
        fs::write(folder.0.join("streams.tsv"), "name\na\n").unwrap();
        assert_eq!(folder.error(), "streams.tsv, line 1: the header has no column `stream_id`");
        fs::write(folder.0.join("streams.tsv"), "stream_id\na\na\n").unwrap();
        assert_eq!(folder.error(), "streams.tsv, line 3: stream `a` is listed already on line 2");
    }
}
