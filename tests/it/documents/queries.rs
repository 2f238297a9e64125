//! The examples of the query language: each selects from the items of its page what the page says.

use pergola_query::syntax::{FeedBody, Moment, SourceRef, Statement};
use pergola_query::{Catalogue, FeedFilter, ItemView, PreparedItem, parse};

use super::page::{Page, pages};

const PAGE: &str = "docs/query-language.md";

/// A row of the page's table of items.
struct Item {
    number: String,
    cells: Vec<String>,
}

#[test]
fn queries_are_accepted() {
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.info == "query") {
            let place = format!("{}:{}", page.path, block.line);
            let script = parse(&block.text);
            let script =
                script.unwrap_or_else(|error| panic!("{}", error.render(&block.text, &place)));
            let ran = Catalogue::new().run(&script);
            ran.unwrap_or_else(|error| panic!("{}", error.render(&block.text, &place)));
        }
    }
}

#[test]
fn examples_select_what_the_page_says() {
    let page = pages().into_iter().find(|page| page.path == PAGE).unwrap();
    let (items, now) = (items(&page), today(&page));
    let examples = examples(&page);
    assert!(!examples.is_empty(), "{PAGE} has no examples");
    for (line, query, expected) in examples {
        let script = parse(&query).unwrap_or_else(|error| panic!("{}", error.render(&query, PAGE)));
        let Statement::Create(feed) = &script.statements[0].value else {
            panic!("{PAGE}:{line}: an example creates a feed");
        };
        let found = items.iter().filter(|item| selects(&feed.body, item, now));
        let found: Vec<&str> = found.map(|item| item.number.as_str()).collect();
        assert_eq!(found.join(", "), expected, "{PAGE}:{line}: {query}");
    }
}

/// Each example: its line, its query, and the numbers that it selects.
fn examples(page: &Page) -> Vec<(usize, String, String)> {
    let lines: Vec<&str> = page.text.lines().collect();
    let mut examples = Vec::new();
    for block in page.blocks.iter().filter(|block| block.info == "query") {
        let after = block.line + block.text.lines().count() + 2;
        if let Some(told) = lines.get(after).and_then(|line| line.strip_prefix("Selects ")) {
            let numbers = told.split([':', '.']).next().unwrap();
            examples.push((block.line, block.text.clone(), numbers.to_owned()));
        }
    }
    for (line, row) in table(page, "filter") {
        let filter = row[0].trim_matches('`');
        let query = format!("CREATE FEED Example AS RETURN OPML \"all\" WHERE {filter}");
        examples.push((line, query, row[1].clone()));
    }
    examples
}

fn items(page: &Page) -> Vec<Item> {
    let item = |(_, cells): (usize, Vec<String>)| Item { number: cells[0].clone(), cells };
    table(page, "item").into_iter().map(item).collect()
}

/// The last moment of the day that the page calls today.
fn today(page: &Page) -> i64 {
    let (_, rest) = page.text.split_once("Today is ").expect("the page says which day it is");
    Moment::parse(&rest[..10]).unwrap().end()
}

/// The rows of the table whose first column has this name.
fn table(page: &Page, first: &str) -> Vec<(usize, Vec<String>)> {
    let rows = page
        .text
        .lines()
        .enumerate()
        .skip_while(|(_, line)| !line.starts_with(&format!("| {first} |")));
    let rows = rows.skip(2).take_while(|(_, line)| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim_matches('|');
        inner.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    rows.map(|(index, line)| (index + 1, cells(line))).collect()
}

fn selects(body: &FeedBody, item: &Item, now: i64) -> bool {
    let cell = |column: usize| item.cells[column].trim_matches('`');
    let categories: Vec<&str> = cell(6).split(", ").collect();
    let (address, authors) = ([cell(1)], [cell(5)]);
    let view = ItemView {
        title: cell(3),
        content: cell(4),
        authors: &authors,
        categories: &categories,
        link: "",
        source: &address,
        published: Moment::parse(cell(7)).map(Moment::start),
    };
    let (filter, prepared) = (FeedFilter::compile(body).unwrap(), PreparedItem::new(view));
    let clauses = body.sources.iter().enumerate();
    let mut reading = clauses.filter(|(_, clause)| reads(&clause.source.value, cell(1), cell(2)));
    reading.any(|(index, _)| filter.keeps(index, &prepared, now))
}

/// Whether a clause reads the source with this address, in this folder.
fn reads(clause: &SourceRef, address: &str, folder: &str) -> bool {
    match clause {
        SourceRef::Url(url) => url == address,
        SourceRef::Opml(list) => list == "all",
        SourceRef::Folder(name) => folder
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        SourceRef::Feed(_) | SourceRef::Peer { .. } => panic!("the examples read sources"),
    }
}
