//! What belongs to people: read as it was written, found by numbers, damaged and repaired.

use pergola_accounts::secret::Digest;
use pergola_accounts::{AppPassword, Following, Preferences, Role, Session, UserId, UserRecord};
use pergola_feed::Item;

use super::removal;
use crate::archive::{
    Archive, ArchiveError, Commit, Entry, FeedId, ItemKey, ItemNumber, Mark, SourceId, Starred,
    repair,
};
use crate::engine::backup::write_backup;
use crate::engine::{Batch, Table, open};
use crate::rows::keys::{self, RowKey};

const ADA: UserId = UserId(1);
const GRACE: UserId = UserId(2);
const FEED: FeedId = FeedId(9);

fn archive() -> (Archive, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let opened = open(folder.path(), None, 1 << 20).unwrap();
    (Archive::new(opened.store), folder)
}

fn commit(archive: &Archive, fill: impl FnOnce(&mut Commit)) {
    let mut commit = Commit::new();
    fill(&mut commit);
    archive.commit(commit).unwrap();
}

fn entry(chunk: u32, index: u16, at: f64) -> Entry {
    let (key, source) = (ItemKey(7), SourceId(3));
    Entry { key, source, chunk, index, at, changed_at: at, dated: at }
}

fn user(name: &str) -> UserRecord {
    UserRecord {
        name: name.into(),
        role: Role::Reader,
        password: Some("hash".into()),
        subject: None,
        created_at: 1.0,
        preferences: Preferences::default(),
    }
}

/// Two users with something in every table.
fn filled() -> (Archive, tempfile::TempDir) {
    let (archive, folder) = archive();
    commit(&archive, |commit| {
        for (id, name) in [(ADA, "ada"), (GRACE, "grace")] {
            let part = commit.user(id);
            part.set_record(Some(&user(name)));
            part.set_session(Digest([id.0 as u8; 32]), Some(&Session::new(id, "Browser", 1.0)));
            part.set_app_password(1, Some(&AppPassword::new("Phone", [7; 15], 1.0).0));
            part.set_following(FEED, Some(&Following { since: 1.0, ..Following::default() }));
            part.set_mark(Mark::Read, ItemNumber(5), Some(1.0));
            part.set_mark(Mark::Read, ItemNumber(u64::MAX >> 1), Some(1.0));
            part.set_mark(Mark::Star, ItemNumber(6), Some(2.0));
        }
        let starred =
            Starred { feed: FEED, sequence: 1, entry: entry(1, 2, 3.0), item: Item::new("x") };
        commit.node().set_starred(ItemNumber(6), Some(&starred));
    });
    (archive, folder)
}

#[test]
fn each_user_has_rows_of_its_own() {
    let (archive, _folder) = filled();
    assert_eq!(archive.users().unwrap().len(), 2);
    let read = archive.marks(ADA, Mark::Read, None, 9).unwrap();
    assert_eq!(read, [(ItemNumber(5), 1.0), (ItemNumber(u64::MAX >> 1), 1.0)]);
    assert_eq!(archive.marks(ADA, Mark::Read, Some(ItemNumber(5)), 9).unwrap().len(), 1);
    assert_eq!(archive.starred_by(GRACE).unwrap(), [(6, 3.0, 3.0)]);
    let counts = |id| {
        let passwords = archive.app_passwords(id).unwrap().len();
        (archive.followings(id).unwrap().len(), passwords, archive.read_by(id).unwrap().len())
    };
    assert_eq!((counts(ADA), counts(GRACE), counts(UserId(3))), ((1, 1, 2), (1, 1, 2), (0, 0, 0)));
    while let Some(step) = removal(&archive, ADA).unwrap() {
        archive.commit(step).unwrap();
    }
    assert_eq!((counts(ADA), counts(GRACE)), ((0, 0, 0), (1, 1, 2)));
    assert_eq!(archive.sessions().unwrap().len(), 1);
    assert!(archive.starred(ItemNumber(6)).unwrap().is_some(), "somebody else has starred it");
    while let Some(step) = removal(&archive, GRACE).unwrap() {
        archive.commit(step).unwrap();
    }
    assert_eq!(archive.starred(ItemNumber(6)).unwrap(), None);
    assert_eq!(archive.all_followings().unwrap(), []);
}

#[test]
fn a_member_is_found_by_the_number_of_its_item() {
    let (archive, _folder) = archive();
    let keys = [ItemKey(0), ItemKey(1 << 65), ItemKey(u128::MAX)];
    commit(&archive, |commit| {
        for (sequence, key) in (0..).zip(keys) {
            commit.feed(FEED).put_entry(sequence, &Entry { key, ..entry(0, 0, 1.0) });
        }
    });
    let found = |key: ItemKey| archive.member_with(FEED, key.into()).unwrap();
    for (sequence, key) in (0..).zip(keys) {
        assert_eq!(found(key), Some((key, sequence)));
    }
    assert_eq!(found(ItemKey(7)), None);
}

#[test]
fn damaged_rows_of_users_are_told_and_come_back_from_a_backup_only() {
    let (archive, folder) = filled();
    let mut backup = Vec::new();
    write_backup(&**archive.store(), &mut backup, |_| ()).unwrap();
    let damaged = [
        (Table::User, ADA.to_key().to_vec()),
        (Table::Following, keys::following_key(ADA, FEED).to_vec()),
        (Table::Mark, keys::mark_key(ADA, Mark::Star, ItemNumber(6)).to_vec()),
        (Table::Starred, keys::starred_key(ItemNumber(6)).to_vec()),
    ];
    for (table, key) in &damaged {
        let mut row = archive.store().get(*table, key).unwrap().unwrap();
        row[0] ^= 4;
        let mut batch = Batch::default();
        batch.put(*table, key.clone(), row);
        archive.store().commit(&batch).unwrap();
    }
    archive.check().unwrap();
    assert_eq!(archive.damage().rows(), damaged);
    assert!(matches!(archive.user(ADA), Err(ArchiveError::Damaged { .. })));
    assert_eq!(archive.users().unwrap().len(), 1, "the others are there");
    assert_eq!(archive.starred_by(GRACE).unwrap(), [(6, 2.0, 2.0)], "found by when it was starred");
    assert_eq!(archive.mend().unwrap(), 0);
    drop(archive);
    let done = repair(folder.path(), None, Some(&mut &backup[..]), false, 9.0).unwrap();
    assert_eq!((done.found, done.restored, done.left.len()), (4, 4, 0), "{done:?}");
    let archive = Archive::new(open(folder.path(), None, 1 << 20).unwrap().store);
    assert_eq!(archive.user(ADA).unwrap(), Some(user("ada")));
    assert_eq!(archive.starred_by(ADA).unwrap(), [(6, 3.0, 3.0)]);
}
