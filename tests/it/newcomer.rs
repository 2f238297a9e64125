//! A newcomer's first session, as README tells it: command by command, against a site with twelve awkward sources.
//!
//! `tests/transcripts/newcomer.txt` holds the commands and what each must print. To change the session, edit the
//! commands there. Then write down what is printed, and review the difference:
//!
//! ```sh
//! PERGOLA_WRITE_TRANSCRIPTS=1 cargo test --workspace --test end-to-end newcomer
//! git diff tests/transcripts
//! ```

mod mask;
mod session;
mod site;
mod transcript;

use std::fs;

use crate::harness::workspace;
use session::Session;
use transcript::Transcript;

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomers_first_session_prints_what_was_reviewed() {
    let file = workspace().join("tests/transcripts/newcomer.txt");
    let reviewed = fs::read_to_string(&file).unwrap();
    let mut transcript = Transcript::parse(&reviewed);
    let mut session = Session::start().await;
    for step in &mut transcript.steps {
        step.output = session.run(&step.command).await;
    }
    let played = transcript.to_string();
    if std::env::var_os("PERGOLA_WRITE_TRANSCRIPTS").is_some() {
        return fs::write(&file, played).unwrap();
    }
    transcript::assert_same(&reviewed, &played);
}
