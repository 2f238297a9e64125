//! All tables and keys by their names, and what was probably meant by a name that does not exist.

use std::sync::LazyLock;

use pergola_query::nearest;

use crate::config::Config;
use crate::document::{Document, Form, Section};
use crate::mistake::Mistake;
use crate::origin::Origin;
use crate::setting::Raw;
use crate::table::Key;

/// All tables, as their declarations describe them.
pub(crate) static TABLES: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let nothing = Raw::default();
    let mut document = Document::read(&nothing);
    Config::declare(&mut document);
    document.sections
});

/// The tables of a name.
pub(crate) fn named(name: &str) -> Option<&'static Section> {
    TABLES.iter().find(|section| section.name == name)
}

/// The tables that exist once, whose keys are variables.
pub(crate) fn once() -> impl Iterator<Item = &'static Section> {
    TABLES.iter().filter(|section| section.form == Form::Once)
}

/// A key by its full name, such as `crawl.timeout`, in the tables that exist once.
pub(crate) fn find(name: &str) -> Option<(&'static Section, &'static Key)> {
    let (table, key) = name.split_once('.')?;
    let section = once().find(|section| section.name == table)?;
    Some((section, section.key(key)?))
}

/// A key that a table does not have.
pub(crate) fn unknown_key(origin: Origin, title: &str, key: &str, section: &Section) -> Mistake {
    let own = section.keys.iter().map(|known| known.name.as_str());
    let hint = match nearest(key, own.clone()).map(str::to_owned).or_else(|| elsewhere(key)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", own.collect::<Vec<_>>().join(", ")),
    };
    let at = origin.precisely();
    Mistake { message: format!("unknown key `{title}.{key}` at {at}: {hint}"), origin }
}

/// A table that does not exist, or a key outside of all tables.
pub(crate) fn unknown_table(origin: Origin, name: &str) -> Mistake {
    let all = TABLES.iter().map(|section| section.name);
    let hint = match elsewhere(name).or_else(|| nearest(name, all.clone()).map(str::to_owned)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", all.collect::<Vec<_>>().join(", ")),
    };
    let at = origin.precisely();
    Mistake { message: format!("unknown key `{name}` at {at}: {hint}"), origin }
}

/// A variable that begins like ours and is not a key.
pub(crate) fn unknown_variable(name: &str) -> Mistake {
    // All variables begin alike. The beginning would make any two of them look near.
    let own = |name: &str| name.strip_prefix("PERGOLA_").unwrap_or(name).to_owned();
    let of_section = |section: &'static Section| {
        section.keys.iter().filter_map(|key| section.variable(&key.name))
    };
    let hint = match nearest(&own(name), once().flat_map(of_section).map(|known| own(&known))) {
        Some(near) => format!("did you mean PERGOLA_{near}?"),
        None => {
            "variables are called PERGOLA_SECTION__KEY, such as PERGOLA_NODE__LISTEN".to_owned()
        }
    };
    let message = format!("unknown variable {name}: {hint}");
    Mistake { origin: Origin::Variable(name.to_owned()), message }
}

/// The full name of a key of this name, in whichever table has it.
fn elsewhere(key: &str) -> Option<String> {
    let section = once().find(|section| section.key(key).is_some())?;
    Some(format!("{}.{key}", section.name))
}
