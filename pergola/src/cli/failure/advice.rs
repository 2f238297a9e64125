//! What to do next when a node refuses a command or cannot be reached, in the words of the command line.

use std::error::Error;

use pergola_api::{ClientError, Code, Problem};

use crate::cli::settings::TOKEN_VARIABLE;

/// What to do next, if that is known.
pub(super) fn advice(error: &ClientError) -> Option<String> {
    match error {
        ClientError::Refused(problem) => refused(problem),
        ClientError::Unreachable { source, .. } if is_distrust(&**source) => Some(
            "if its certificate is self-signed or signed by your own CA, give that with --ca FILE"
                .to_owned(),
        ),
        ClientError::Unreachable { .. } => Some(
            "is it running? `pergola run` starts a node; --node says where another one is"
                .to_owned(),
        ),
        ClientError::Status(_) => {
            Some("is it a Pergola node? --node says where the node is".to_owned())
        }
        _ => None,
    }
}

fn refused(problem: &Problem) -> Option<String> {
    let nearest = || problem.nearest.as_ref();
    match problem.code {
        Code::TokenNeeded | Code::TokenUnknown => {
            Some(format!("give the node's api.token with --token or in {TOKEN_VARIABLE}"))
        }
        Code::UnknownFeed => Some(match nearest() {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`pergola feed list` shows all feeds".to_owned(),
        }),
        Code::UnknownSource => Some(match nearest() {
            Some(url) => format!("did you mean {url} ?"),
            None => "`pergola source list` shows all sources".to_owned(),
        }),
        Code::UnknownUser => Some(
            "`pergola user list` shows all users; on a node without users the name is `operator`"
                .to_owned(),
        ),
        Code::UnknownKey if problem.nearest.is_none() => {
            Some("`pergola config show` shows all keys".to_owned())
        }
        Code::UnknownNotification => Some("`pergola feed notify NAME` lists them".to_owned()),
        Code::CannotRestore => Some(
            "`pergola source removed` and `pergola feed removed` show what can be restored"
                .to_owned(),
        ),
        // What to do is said by then; only the command is still to be repeated.
        Code::UnusableSource if problem.detail.contains("crawl.allow_private") => {
            Some("once the address is allowed, add the source again".to_owned())
        }
        Code::UnusableSource => {
            let add = "check the URL; to add it anyway and refresh it later, use --no-refresh";
            Some(match problem.feeds.is_empty() {
                true => add.to_owned(),
                false => format!("{add}; or try {}", problem.feeds.join(" or ")),
            })
        }
        Code::TooEarly => Some(match &problem.key {
            Some(key) => {
                format!("--force asks anyway; the key `{key}` of the configuration changes this")
            }
            None => "--force asks anyway".to_owned(),
        }),
        Code::WantsQuiet => {
            Some("wait until then: the site itself asked for it, so --force is refused".to_owned())
        }
        Code::UnreadableAddress => {
            Some("to run the statements anyway and refresh it later, use --force".to_owned())
        }
        _ => problem.hint.clone(),
    }
}

/// Whether TLS failed: one side does not trust the other.
fn is_distrust(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        if pergola_outside::tls::cause(cause).is_some() {
            return true;
        }
        next = cause.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::failure::told;

    fn refused(problem: Problem) -> String {
        told(&ClientError::Refused(Box::new(problem)).into())
    }

    #[test]
    fn a_refusal_names_the_option_and_the_variable_for_the_token() {
        let text = refused(Problem::new(Code::TokenNeeded, "a token is needed"));
        assert!(text.starts_with("error: a token is needed\nhint: "), "{text}");
        assert!(text.contains("--token") && text.contains("PERGOLA_API__TOKEN"), "{text}");
    }

    #[test]
    fn feeds_found_on_a_page_are_offered() {
        let feeds = ["https://a.example/rss", "https://b.example/"].map(str::to_owned).to_vec();
        let problem = Problem { feeds, ..Problem::new(Code::UnusableSource, "no feed") };
        let text = refused(problem);
        assert!(text.contains("try https://a.example/rss or https://b.example/"), "{text}");
        assert!(text.contains("--no-refresh"), "{text}");
    }

    #[test]
    fn a_hint_for_senders_of_requests_becomes_one_for_the_command_line() {
        let mut problem = Problem::new(Code::UnknownFeed, "there is no feed `Newz`");
        problem.hint = Some("GET /api/v1/feeds lists all feeds".to_owned());
        let text = refused(problem.clone());
        assert_eq!(
            text,
            "error: there is no feed `Newz`\nhint: `pergola feed list` shows all feeds\n"
        );
        problem.nearest = Some("News".to_owned());
        assert!(refused(problem).ends_with("hint: did you mean `News`?\n"));
    }

    #[test]
    fn any_other_hint_is_shown_as_it_is() {
        let mut problem = Problem::new(Code::TooManyFeeds, "there are 3 feeds already");
        problem.hint = Some("drop a feed".to_owned());
        assert_eq!(refused(problem), "error: there are 3 feeds already\nhint: drop a feed\n");
    }
}
