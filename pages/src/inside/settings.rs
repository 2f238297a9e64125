//! What can be set: the budget and what it brings, how the scheduler weighs, how long items are kept, and every key of
//! the configuration.

mod prediction;

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::operation::{BudgetPrediction, ConfigKey, NodeStatus};

use super::noted;
use crate::assets;
use crate::frame::{Frame, Place, Viewer};
pub use prediction::predicted;

/// What the page shows.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    pub status: &'a NodeStatus,
    pub keys: &'a [ConfigKey],
    /// The readers that the configuration names.
    pub readers: &'a [String],
    pub prediction: &'a BudgetPrediction,
    /// The budget that was typed, in refreshes a minute.
    pub asked: &'a str,
    /// Only keys with this text.
    pub find: &'a str,
    /// What was refused, and of which form: the key, or `budget`.
    pub refused: Option<(&'a str, &'a Problem)>,
    /// What was typed there.
    pub typed: &'a str,
    pub note: Option<&'a str>,
}

impl Settings<'_> {
    fn key(&self, name: &str) -> Option<&ConfigKey> {
        self.keys.iter().find(|key| key.key == name)
    }

    fn refusal(&self, of: &str) -> Markup {
        html! {
            @if let Some((_, problem)) = self.refused.filter(|(form, _)| *form == of) {
                div.wrong role="alert" {
                    p { (problem.detail) }
                    @if let Some(hint) = &problem.hint { p { (hint) } }
                    @if let Some(nearest) = &problem.nearest { p { "Did you mean " code { (nearest) } "?" } }
                }
            }
        }
    }

    /// What stands in the field of a key: what was typed, or its value.
    fn standing(&self, key: &ConfigKey) -> String {
        match self.refused.filter(|(form, _)| *form == key.key) {
            Some(_) => self.typed.to_owned(),
            None => plain(key.value.as_deref().unwrap_or_default()),
        }
    }
}

/// The page of settings. `people`: what another part says about users, if there are any.
pub fn page(viewer: Viewer<'_>, settings: &Settings<'_>, people: Markup) -> Markup {
    let content = html! {
        h1 { "Settings" }
        (noted(settings.note))
        (budget(settings))
        (taste(settings))
        (retention(settings))
        (people)
        (access(settings))
        section.card aria-labelledby="backup" {
            h2 #backup { "Backup" }
            p { "A consistent copy of everything that the node has stored, taken while it runs." }
            p { a.button href="api/v1/backup" download { "Download a backup" } }
        }
        (all_keys(settings))
    };
    let head = html! { script src=(assets::address("./", "settings.js")) defer {} };
    let frame = Frame { title: "Settings", root: "./", place: Some(Place::Settings), viewer };
    frame.page(head, content)
}

/// A value without the quotes of TOML.
fn plain(value: &str) -> String {
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    quoted.filter(|inner| !inner.contains('\\')).unwrap_or(value).to_owned()
}

fn budget(settings: &Settings<'_>) -> Markup {
    let status = settings.status;
    let other = ["budget.bytes_per_hour", "budget.freshness"]
        .iter()
        .filter_map(|name| settings.key(name).filter(|key| key.value.is_some()))
        .next();
    let freshness = status.freshness.map(|share| format!("{:.1} %", 100.0 * share));
    html! {
        section.card aria-labelledby="budget" {
            h2 #budget { "Budget" }
            p {
                "The node may make " strong { (number(status.budget_per_minute)) " refreshes a minute" } " on average"
                @if let Some(key) = other { " (from " code { (key.key) } ")" }
                @if let Some(freshness) = freshness { "; it is " (freshness) " fresh now" } "."
            }
            form.budget method="post" action="settings" data-predict="settings/prediction" {
                p.line {
                    label for="refreshes" { "Refreshes a minute" }
                    input #refreshes name="refreshes_per_minute" inputmode="decimal" autocomplete="off" required
                        value=(settings.asked) aria-describedby="predicted"
                        aria-invalid=[settings.refused.filter(|(form, _)| *form == "budget").map(|_| "true")];
                    button formaction="settings" formmethod="get" { "Predict" }
                    button.main name="do" value="budget" { "Save" }
                }
                (settings.refusal("budget"))
            }
            div #predicted aria-live="polite" { (predicted(settings.prediction, settings.asked)) }
        }
    }
}

/// A number as people write it.
fn number(value: f64) -> String {
    match value {
        value if value >= 99.5 || value.fract() == 0.0 => format!("{value:.0}"),
        value if value >= 9.95 => format!("{value:.1}"),
        value if value >= 0.995 => format!("{value:.2}"),
        value => {
            // Two digits that say something, however small it is.
            let digits = (1.0 - value.max(1e-12).log10()).ceil() as usize;
            let text = format!("{value:.digits$}");
            text.trim_end_matches('0').to_owned()
        }
    }
}

/// A form for one key.
fn key_form(settings: &Settings<'_>, key: &ConfigKey, label: &str, input: Markup) -> Markup {
    let stored = key.origin.starts_with("stored in ");
    html! {
        form.line method="post" action="settings" {
            input type="hidden" name="key" value=(key.key);
            label for=(key.key) { (label) }
            (input)
            button.main name="do" value="set" { "Save" }
            @if stored { button name="do" value="unset" formnovalidate { "As in the file" } }
        }
        p.soft { (key.help) " " span.origin { code { (key.key) } ": " (key.origin) } }
        (settings.refusal(&key.key))
    }
}

fn taste(settings: &Settings<'_>) -> Markup {
    html! {
        section.card aria-labelledby="taste" {
            h2 #taste { "What counts" }
            @for (name, label) in [("schedule.equity", "Equity"), ("schedule.completeness", "Completeness")] {
                @if let Some(key) = settings.key(name) {
                    (key_form(settings, key, label, html! {
                        input id=(key.key) name="value" type="number" min="0" max="1" step="any" required
                            value=(settings.standing(key));
                    }))
                }
            }
        }
    }
}

fn retention(settings: &Settings<'_>) -> Markup {
    html! {
        section.card aria-labelledby="retention" {
            h2 #retention { "Retention" }
            @if let Some(key) = settings.key("store.keep") {
                (key_form(settings, key, "Keep items for", html! {
                    input id=(key.key) name="value" required autocomplete="off" value=(settings.standing(key));
                }))
            }
            p.soft { "A feed can say otherwise: " code { "KEEP 7 DAYS" } " in its query." }
        }
    }
}

fn access(settings: &Settings<'_>) -> Markup {
    let token = settings.key("api.token");
    html! {
        section.card aria-labelledby="access" {
            h2 #access { "Tokens and readers" }
            @match token.and_then(|key| Some((key, key.value.as_ref()?))) {
                Some((key, value)) => p { "The operator's token is set: " code { (value) } ", " (key.origin) "." },
                None => p {
                    "There is no token: only this machine may manage the node. "
                    code { "api.token" } " or " code { "api.token_file" } " in the configuration sets one."
                },
            }
            @if settings.readers.is_empty() {
                p { "No reader has a name. " code { "[[reader]]" } " in the configuration declares one." }
            } @else {
                p { "Readers with names, who may be let in to closed feeds:" }
                ul { @for reader in settings.readers { li { (reader) ", token masked" } } }
            }
            p { a href="feeds" { "Each feed says who may read it." } }
        }
    }
}

fn all_keys(settings: &Settings<'_>) -> Markup {
    let wanted = settings.find.trim().to_lowercase();
    let fits = |text: &str| text.to_lowercase().contains(&wanted);
    let found: Vec<&ConfigKey> = settings
        .keys
        .iter()
        .filter(|key| {
            fits(&key.key)
                || fits(&key.help)
                || fits(&key.origin)
                || key.value.as_deref().is_some_and(fits)
        })
        .collect();
    html! {
        section aria-labelledby="keys" {
            h2 #keys { "All keys" }
            form.search method="get" action="settings#keys" role="search" {
                label for="find" { "Find a key, a value or a word of its description" }
                input #find type="search" name="find" value=(settings.find);
                button { "Find" }
            }
            p.soft role="status" { (found.len()) " of " (settings.keys.len()) " keys" }
            dl.keys {
                @for key in found {
                    div.key data-key {
                        dt { code { (key.key) } }
                        dd {
                            @match &key.value {
                                Some(value) => code { (value) },
                                None => span.soft { "not set" },
                            }
                            " " span.origin { (key.origin) }
                            p.soft { (key.help) }
                            @if key.settable { (change(settings, key)) }
                        }
                    }
                }
            }
        }
    }
}

fn change(settings: &Settings<'_>, key: &ConfigKey) -> Markup {
    let refused = settings.refused.is_some_and(|(form, _)| form == key.key);
    html! {
        details open[refused] {
            summary { "Change" }
            form.line method="post" action="settings" {
                input type="hidden" name="key" value=(key.key);
                input name="value" aria-label=(key.key) autocomplete="off" value=(settings.standing(key));
                button name="do" value="set" { "Save" }
                @if key.origin.starts_with("stored in ") {
                    button name="do" value="unset" { "As in the file" }
                }
            }
            (settings.refusal(&key.key))
        }
    }
}
