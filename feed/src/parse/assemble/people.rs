//! The authors of a feed and of its items.

use feed_rs::model as parsed;

use crate::model::Person;
use crate::parse::survey::{Extras, Field, ItemExtras};

/// The authors of the feed.
pub(super) fn of_feed(given: Vec<parsed::Person>, extras: &Extras) -> Vec<Person> {
    let mut list: Vec<Person> = Vec::new();
    for person in given.into_iter().filter_map(known) {
        push(&mut list, person);
    }
    gather(&mut list, &extras.fields);
    if list.is_empty() {
        let editors = extras.all("editor").chain(extras.all("itunes:author"));
        editors.filter_map(Person::parse).for_each(|editor| push(&mut list, editor));
    }
    list
}

/// The authors of an item. Outside Atom we parse names ourselves, because feed-rs keeps the parentheses
/// of `desk@example.org (News desk)`.
pub(super) fn of_item(given: Vec<parsed::Person>, extras: &ItemExtras, atom: bool) -> Vec<Person> {
    let mut list: Vec<Person> = Vec::new();
    if atom {
        given.into_iter().filter_map(known).for_each(|person| push(&mut list, person));
    }
    gather(&mut list, &extras.fields);
    if list.is_empty() {
        let podcast = extras.fields.iter().filter(|field| field.name == "itunes:author");
        podcast.filter_map(|f| Person::parse(&f.text)).for_each(|author| push(&mut list, author));
    }
    list
}

/// Collects people in the order of the document. An Atom person completes a preceding equal name.
fn gather(list: &mut Vec<Person>, fields: &[Field]) {
    let mut open: Option<Person> = None;
    for field in fields {
        let text = Some(field.text.trim().to_owned()).filter(|text| !text.is_empty());
        match (field.name, &mut open) {
            ("author/name", Some(author)) => author.name = text,
            ("author/uri", Some(author)) => author.uri = text,
            ("author/email", Some(author)) => author.email = text,
            ("author", _) => {
                open.take().into_iter().for_each(|author| add(list, author));
                open = Some(Person::default());
            }
            ("person" | "own-person", _) => {
                open.take().into_iter().for_each(|author| add(list, author));
                Person::parse(&field.text).into_iter().for_each(|author| push(list, author));
            }
            _ => {}
        }
    }
    open.into_iter().for_each(|author| add(list, author));
}

fn add(list: &mut Vec<Person>, author: Person) {
    let author = author.without_repeated_name();
    match list.last_mut() {
        Some(last) if last.name == author.name && last.uri.is_none() && last.email.is_none() => {
            *last = author;
        }
        _ if author.label().is_some() => push(list, author),
        _ => {}
    }
}

fn push(list: &mut Vec<Person>, person: Person) {
    if !list.contains(&person) {
        list.push(person);
    }
}

fn known(person: parsed::Person) -> Option<Person> {
    let filled = |text: Option<String>| {
        text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let person =
        Person { name: filled(person.name), uri: filled(person.uri), email: filled(person.email) }
            .without_repeated_name();
    person.label().is_some().then_some(person)
}
