//! An older program and a folder that a newer one has upgraded: the refusal names the backup from before the upgrade.

use std::fs;

use serde::Deserialize;

use super::{
    super::{
        StoreError,
        backup::{Replace, restore},
        folder::Opening,
        format::Format,
        migrate::Step,
    },
    *,
};

fn nothing_changes(_: &dyn Store) -> Result<Batch, StoreError> {
    Ok(Batch::default())
}

/// One step more than there really are.
const BEYOND: [Step; LATEST as usize] = [nothing_changes; LATEST as usize];
const NEXT: u32 = LATEST + 1;

fn open_at(folder: &Path, steps: &[Step]) -> Result<Arc<dyn Store>, StoreError> {
    let opening = Opening { steps, ..Opening::default() };
    opening.open(folder, None).map(|opened| opened.store)
}

fn refusal(folder: &Path, steps: &[Step]) -> String {
    let error = open_at(folder, steps).map(|_| ()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    error.to_string()
}

#[test]
fn the_refusal_names_the_backup_and_the_command_that_goes_back() {
    on_each_backend(|backend, folder| {
        put(&*open_store(folder, backend), Table::Feed, b"a", b"1");
        drop(open_at(folder, &BEYOND).unwrap());
        let file = folder.join(format!("before-schema-{NEXT}.backup"));
        let said = refusal(folder, migrate::STEPS);
        let command =
            format!("`pergola restore {} --replace --data {}`", file.display(), folder.display());
        assert!(said.contains(&command), "{said}");
        // What it says works.
        let backup = fs::read(&file).unwrap();
        restore(folder, backend, Replace::SetAside, &*backup, |_| ()).unwrap();
        let store = open(folder, None, 1 << 20).unwrap().store;
        assert_eq!(store.get(Table::Feed, b"a").unwrap().unwrap(), b"1");
    });
}

#[test]
fn a_backup_that_is_too_new_or_damaged_is_not_named() {
    on_each_backend(|backend, folder| {
        drop(open_store(folder, backend));
        drop(open_at(folder, &BEYOND).unwrap());
        // That backup is of the latest version, which a program of the first one cannot restore.
        assert!(refusal(folder, &[]).contains("there is none in the folder"));
        let file = folder.join(format!("before-schema-{NEXT}.backup"));
        fs::write(&file, "no backup").unwrap();
        assert!(refusal(folder, migrate::STEPS).contains("there is none in the folder"));
    });
}

#[test]
fn a_program_that_expects_a_number_quotes_the_name_of_the_backup() {
    /// What programs from before schema 3 read of `format.json`.
    #[derive(Debug, Deserialize)]
    struct Version {
        #[expect(dead_code, reason = "only the error is looked at")]
        schema: u32,
    }
    on_each_backend(|backend, folder| {
        drop(Opening { steps: &[], ..Opening::default() }.open(folder, Some(backend)).unwrap());
        for _ in 0..2 {
            drop(open_store(folder, backend));
            let text = fs::read_to_string(folder.join("format.json")).unwrap();
            let quoted = serde_json::from_str::<Version>(&text).unwrap_err().to_string();
            assert!(quoted.contains(&format!("before-schema-{LATEST}.backup")), "{quoted}");
            let format = Format::read(folder, LATEST).unwrap().unwrap();
            assert_eq!(format, Format { schema: LATEST, backend, discard: None });
        }
        fs::write(folder.join("format.json"), r#"{"schema":"six","backend":"redb"}"#).unwrap();
        let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("\"six\" is no version"), "{error}");
    });
}
