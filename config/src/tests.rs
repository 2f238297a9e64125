//! What files and variables mean, and the messages about wrong ones.

mod example;
mod files;
mod queries;
mod sections;
mod shown;
mod stored;
mod tables;
mod trust;
mod variables;

use std::path::Path;

use crate::file::File;
use crate::load::Layer;
use crate::*;

/// The configuration of a file called `pergola.toml` and of variables.
fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    load_over(text, Layer::Nothing, variables)
}

/// The same with what was stored while a node ran.
fn load_over(
    text: &str,
    stored: Layer<'_>,
    variables: &[(&str, &str)],
) -> Result<Config, ConfigError> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let variables: Vec<(String, String)> = variables.iter().map(owned).collect();
    Config::from_text(Some(&File::new(Path::new("pergola.toml"), text)), &variables, stored)
}

fn from_file(text: &str) -> Config {
    load(text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn from_variables(variables: &[(&str, &str)]) -> Config {
    load("", variables).unwrap_or_else(|error| panic!("{error}"))
}

/// What is wrong, one message per mistake.
fn mistakes(text: &str, variables: &[(&str, &str)]) -> Vec<String> {
    match load(text, variables) {
        Ok(_) => Vec::new(),
        Err(ConfigError::Invalid(mistakes)) => {
            mistakes.iter().map(|mistake| mistake.message.clone()).collect()
        }
        Err(other) => panic!("{other}"),
    }
}

/// What is allowed but probably not meant, as it is printed.
fn warnings(config: &Config) -> Vec<String> {
    config.warnings().iter().map(ToString::to_string).collect()
}
