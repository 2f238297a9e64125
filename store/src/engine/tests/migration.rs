//! Data folders of earlier versions, opened by this one.

use std::{fs, io, os::unix::fs::PermissionsExt};

use pergola_feed::{
    Category, Enclosure, Hop, Item, ItemId, Link, NodeId, Origin, Person, Text, Timestamp,
};
use serde::Serialize;

use super::{
    super::{
        StoreError,
        backup::{Replace, restore, write_backup},
        backups_before_migration,
        folder::Opening,
        format::Format,
        migrate::schema_of,
        seal::unseal,
    },
    *,
};
use crate::archive::{Archive, SourceId};
use crate::rows::Stored;
use crate::rows::keys::RowKey;

/// The row of something that has not changed since version 1.
type Row<'a, T> = <T as Stored>::Row<'a>;

/// An item as version 1 stored it: of a hop only the node.
#[derive(Serialize)]
struct FirstItem<'a> {
    id: Row<'a, ItemId>,
    guid: Row<'a, Option<String>>,
    title: Row<'a, Option<String>>,
    link: Row<'a, Option<String>>,
    links: Row<'a, Vec<Link>>,
    summary: Row<'a, Option<Text>>,
    content: Row<'a, Option<Text>>,
    authors: Row<'a, Vec<Person>>,
    categories: Row<'a, Vec<Category>>,
    published: Row<'a, Option<Timestamp>>,
    updated: Row<'a, Option<Timestamp>>,
    first_seen: Row<'a, Option<Timestamp>>,
    enclosures: Row<'a, Vec<Enclosure>>,
    origin: Row<'a, Option<Origin>>,
    hops: Vec<&'a str>,
}

impl<'a> From<&'a Item> for FirstItem<'a> {
    fn from(item: &'a Item) -> Self {
        Self {
            id: item.id.to_row(),
            guid: item.guid.to_row(),
            title: item.title.to_row(),
            link: item.link.to_row(),
            links: item.links.to_row(),
            summary: item.summary.to_row(),
            content: item.content.to_row(),
            authors: item.authors.to_row(),
            categories: item.categories.to_row(),
            published: item.published.to_row(),
            updated: item.updated.to_row(),
            first_seen: item.first_seen.to_row(),
            enclosures: item.enclosures.to_row(),
            origin: item.origin.to_row(),
            hops: item.hops.iter().map(|hop| hop.node.0.as_str()).collect(),
        }
    }
}

const SOURCE: SourceId = SourceId(5);

/// An item with something in every field, and a text that does not get smaller by packing.
fn item(number: u64, bytes: usize) -> Item {
    let some = |what: &str| Some(format!("{what} {number}"));
    Item {
        guid: some("guid"),
        title: some("title"),
        link: some("link"),
        links: vec![Link { media_type: some("type"), ..Link::new("via", "https://example.org/") }],
        summary: Some(Text::plain("short")),
        content: Some(Text::html(
            content(bytes, number).iter().map(|b| char::from(*b)).collect::<String>(),
        )),
        authors: vec![Person { name: some("name"), uri: None, email: some("mail") }],
        categories: vec![Category { scheme: some("scheme"), ..Category::new("term") }],
        published: Some(Timestamp::from_unix(-5)),
        updated: None,
        first_seen: Some(Timestamp::from_unix(1_794_880_800)),
        enclosures: vec![Enclosure {
            url: "u".into(),
            length: Some(1 << 40),
            ..Enclosure::default()
        }],
        origin: Some(Origin { id: some("id"), feed: some("feed"), ..Origin::default() }),
        hops: ["one", "two"].map(|node| Hop::at(NodeId(node.into()))).into(),
        ..Item::new(format!("urn:item:{number}"))
    }
}

const CHUNKS: u32 = 10;

fn items_of(chunk: u32) -> Vec<Item> {
    (0..3).map(|n| item(u64::from(chunk) * 3 + n, 400_000)).collect()
}

/// A folder as version 1 left it.
fn first_version(folder: &Path, backend: Backend) -> Arc<dyn Store> {
    let opening = Opening { steps: &[], ..Opening::default() };
    let store = opening.open(folder, Some(backend)).unwrap().store;
    for chunk in 0..CHUNKS {
        let items = items_of(chunk);
        let items: Vec<FirstItem<'_>> = items.iter().map(FirstItem::from).collect();
        let items = postcard::to_stdvec(&items).unwrap();
        let packed = zstd::bulk::compress(&items, 1).unwrap();
        let row = postcard::to_stdvec(&(7.5, items.len() as u64, packed)).unwrap();
        let mut key = SOURCE.to_key().to_vec();
        key.extend(chunk.to_be_bytes());
        put(&*store, Table::Chunk, &key, &row);
    }
    put(&*store, Table::Feed, b"other", b"rows stay");
    store
}

fn assert_whole(store: Arc<dyn Store>) {
    assert_eq!(schema_of(&*store).unwrap(), Some(LATEST));
    let other = store.get(Table::Feed, b"other").unwrap().unwrap();
    assert_eq!(unseal(Table::Feed, b"other", &other), Some(&b"rows stay"[..]));
    let archive = Archive::new(store);
    for chunk in 0..CHUNKS {
        assert!(archive.chunk(SOURCE, chunk).unwrap() == items_of(chunk), "chunk {chunk}");
    }
    let mut times = Vec::new();
    archive.each_chunk(|_, _, at| times.push(at)).unwrap();
    assert_eq!(times, vec![7.5; CHUNKS as usize]);
    let own = all_rows(&**archive.store(), Table::Meta);
    assert_eq!(own.len(), 1, "nothing is left of the work: {own:?}");
}

/// A disk that has room for as many commits as a file in the folder says.
fn room_by_file(folder: &Path) -> io::Result<u64> {
    let path = folder.join("room");
    let left: u64 = fs::read_to_string(&path)?.parse().map_err(io::Error::other)?;
    fs::write(&path, left.saturating_sub(1).to_string())?;
    Ok(if left == 0 { 0 } else { u64::MAX })
}

#[test]
fn a_folder_of_version_1_is_migrated_however_often_that_is_interrupted() {
    on_each_backend(|backend, folder| {
        drop(first_version(folder, backend));
        let opening = Opening { free_bytes: room_by_file, ..Opening::default() };
        let (mut interrupted, mut room) = (0, 2);
        let store = loop {
            // Room to begin and for one commit, then the disk is full.
            fs::write(folder.join("room"), room.to_string()).unwrap();
            match opening.open(folder, None) {
                Ok(opened) => break opened.store,
                Err(StoreError::NotBackedUp { .. }) if interrupted == 0 => {
                    room += 1;
                    continue;
                }
                Err(StoreError::Full { .. }) => (interrupted, room) = (interrupted + 1, 2),
                Err(error) => panic!("{error}"),
            }
            // A program that knows version 1 only refuses a half-migrated folder.
            let first = Opening { steps: &[], ..Opening::default() };
            let error = first.open(folder, None).map(|_| ()).unwrap_err();
            assert!(matches!(error, StoreError::Newer { found: LATEST, known: 1, .. }), "{error}");
        };
        assert!(interrupted > 1, "it was done at once");
        assert_backed_up(folder);
        assert_eq!(Format::read(folder, LATEST).unwrap().unwrap().schema, LATEST);
        assert_whole(store);
    });
}

/// The only backup of a folder holds what version 1 had left, and only the owner can read it.
fn assert_backed_up(folder: &Path) {
    let file = folder.join(format!("before-schema-{LATEST}.backup"));
    assert_eq!(backups_before_migration(folder), std::slice::from_ref(&file));
    assert!(!folder.join("before-schema.unfinished").exists());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let other = tempfile::tempdir().unwrap();
    restore(other.path(), Backend::Redb, Replace::Never, &*fs::read(&file).unwrap(), |_| ())
        .unwrap();
    let first = Opening { steps: &[], ..Opening::default() };
    let restored = first.open(other.path(), None).unwrap().store;
    let expected = tempfile::tempdir().unwrap();
    let expected = first_version(expected.path(), Backend::Redb);
    for table in Table::ALL {
        assert!(all_rows(&*restored, table) == all_rows(&*expected, table), "{table:?}");
    }
}

#[test]
fn a_folder_is_backed_up_before_it_is_migrated_and_only_the_newest_backup_stays() {
    on_each_backend(|backend, folder| {
        drop(first_version(folder, backend));
        fs::write(folder.join("before-schema-2.backup"), "an older one").unwrap();
        fs::write(folder.join("before-schema-x.backup"), "somebody else's").unwrap();
        fs::write(folder.join("before-schema.unfinished"), "left by a crash").unwrap();
        drop(open_store(folder, backend));
        assert_backed_up(folder);
        assert!(folder.join("before-schema-x.backup").exists());
        // Nothing is left to migrate, so nothing is backed up.
        fs::remove_file(folder.join(format!("before-schema-{LATEST}.backup"))).unwrap();
        drop(open_store(folder, backend));
        assert!(backups_before_migration(folder).is_empty());
    });
}

#[test]
fn without_a_backup_nothing_is_migrated() {
    on_each_backend(|backend, folder| {
        drop(first_version(folder, backend));
        let opening = Opening { free_bytes: room_by_file, ..Opening::default() };
        // Room to begin, but not for a backup.
        fs::write(folder.join("room"), "1").unwrap();
        let error = opening.open(folder, None).map(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::NotBackedUp { version: LATEST, .. }), "{error}");
        assert!(error.to_string().contains("the disk is nearly full"), "{error}");
        assert!(backups_before_migration(folder).is_empty());
        assert!(!folder.join("before-schema.unfinished").exists());
        // The older program still takes the folder.
        let first = Opening { steps: &[], ..Opening::default() };
        drop(first.open(folder, None).unwrap());
        assert_whole(open_store(folder, backend));
    });
}

#[test]
fn a_backup_of_version_1_is_restored_and_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Vec::new();
    write_backup(&*first_version(folder.path(), Backend::Redb), &mut file, |_| ()).unwrap();
    on_each_backend(|backend, folder| {
        restore(folder, backend, Replace::Never, &file[..], |_| ()).unwrap();
        assert_eq!(Format::read(folder, LATEST).unwrap().unwrap().schema, 1);
        assert_whole(open_store(folder, backend));
    });
}

#[test]
fn a_chunk_that_cannot_be_read_stays_and_stops_nobody() {
    on_each_backend(|backend, folder| {
        let store = first_version(folder, backend);
        put(&*store, Table::Chunk, &[9; 8], b"no chunk");
        drop(store);
        let store = open_store(folder, backend);
        let stays = store.get(Table::Chunk, &[9; 8]).unwrap().unwrap();
        assert_eq!(unseal(Table::Chunk, &[9; 8], &stays), Some(&b"no chunk"[..]));
        assert!(Archive::new(store).chunk(SOURCE, CHUNKS - 1).unwrap() == items_of(CHUNKS - 1));
    });
}
