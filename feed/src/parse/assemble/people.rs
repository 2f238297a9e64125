//! Who wrote it: names and addresses in the forms that publishers give them.

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
        editors.filter_map(person).for_each(|editor| push(&mut list, editor));
    }
    list
}

/// The authors of an item. Outside Atom, feed-rs's reading of names is not used: it keeps the
/// parentheses of `desk@example.org (News desk)`.
pub(super) fn of_item(given: Vec<parsed::Person>, extras: &ItemExtras, atom: bool) -> Vec<Person> {
    let mut list: Vec<Person> = Vec::new();
    if atom {
        given.into_iter().filter_map(known).for_each(|person| push(&mut list, person));
    }
    gather(&mut list, &extras.fields);
    if list.is_empty() {
        let podcast = extras.fields.iter().filter(|field| field.name == "itunes:author");
        podcast.filter_map(|f| person(&f.text)).for_each(|author| push(&mut list, author));
    }
    list
}

/// People in the order of the document. An Atom person that follows the same name adds to it.
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
                person(&field.text).into_iter().for_each(|author| push(list, author));
            }
            _ => {}
        }
    }
    open.into_iter().for_each(|author| add(list, author));
}

fn add(list: &mut Vec<Person>, author: Person) {
    let author = author.plainly();
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
            .plainly();
    person.label().is_some().then_some(person)
}

/// Reads `desk@example.org (News desk)`, `News desk <desk@example.org>`, a name or an address.
pub(crate) fn person(text: &str) -> Option<Person> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let (outside, inside) = bracketed(text, '(', ')')
        .or_else(|| bracketed(text, '<', '>'))
        .or_else(|| bracketed(text, '[', ']'))
        .unwrap_or((text, ""));
    let address = |part: &str| {
        let part = part.trim().trim_start_matches("mailto:");
        let plain = !part.contains(char::is_whitespace) && part.len() > 2;
        (plain && part.contains('@') && !part.starts_with('@') && !part.ends_with('@'))
            .then(|| part.to_owned())
    };
    let name = |part: &str| {
        let part = part.trim().trim_matches('"').trim();
        (!part.is_empty()).then(|| part.to_owned())
    };
    Some(match (address(outside), address(inside)) {
        (Some(email), _) => Person { name: name(inside), uri: None, email: Some(email) },
        (None, Some(email)) => Person { name: name(outside), uri: None, email: Some(email) },
        (None, None) => Person { name: name(text), uri: None, email: None },
    })
}

/// What stands before a bracket that ends the text, and what stands in it.
fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let body = text.strip_suffix(close)?;
    let at = body.find(open)?;
    Some((body[..at].trim(), body[at + open.len_utf8()..].trim()))
}
