//! `pergola doctor`: what commonly goes wrong, and what to do about it.
//!
//! Plain, it checks the configuration, the machine, the node and its sources, and changes nothing. It asks the
//! node that runs; only if none does, it opens the data folder itself. With `--politeness` it runs the crawler
//! against a server that scores its manners. Neither asks anything of anybody outside this machine, unless the
//! node runs elsewhere.

mod checks;
pub mod finding;
pub mod politeness;

use pergola_config::Config;

pub use finding::{Examination, Finding, Grade};

/// What the doctor is asked to do.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Args {
    /// Run this node's crawler against a scoring server on loopback; takes about a minute.
    #[arg(long)]
    pub politeness: bool,
    /// Print JSON.
    #[arg(skip)]
    pub json: bool,
}

/// The node that the doctor examines.
pub enum Patient {
    /// It runs, and answers here.
    Running(Box<pergola_api::Client>),
    /// None runs.
    Asleep,
    /// A process uses the data folder and does not answer.
    Silent {
        /// Which process, and why it is not heard.
        what: String,
    },
}

/// What the doctor found, in one word; whoever calls decides on the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All is well.
    Well,
    /// There are warnings.
    Ailing,
    /// Something is wrong.
    Ill,
}

/// Examines, and prints what was found.
///
/// # Errors
/// When the examination itself cannot be made.
pub async fn run(args: Args, config: Config, patient: Patient) -> anyhow::Result<Verdict> {
    if !args.politeness {
        let examination = checks::all(&config, &patient).await;
        match args.json {
            true => println!("{}", serde_json::to_string_pretty(&examination)?),
            false => println!("{examination}"),
        }
        return Ok(examination.verdict());
    }
    if !args.json {
        println!("A real node meets a server that misbehaves, all on loopback.");
        println!("Five weeks pass in about a minute …\n");
    }
    let score = tokio::select! {
        score = politeness::score(&config) => score?,
        stopped = crate::signals::stop(None) => {
            stopped?;
            anyhow::bail!("stopped before the score was known");
        }
    };
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&score)?),
        false => println!("{score}"),
    }
    Ok(if score.is_full() { Verdict::Well } else { Verdict::Ill })
}
