//! Logging in, and what a request proves itself by.

/// The answer to a login, as lines. Apps look for the line `Auth=`; the others are there because they once were.
pub fn answer(key: &str) -> String {
    format!("SID={key}\nLSID={key}\nAuth={key}\n")
}

/// The answer to a login with a wrong name or password.
pub const WRONG: &str = "Error=BadAuthentication\n";
/// The answer to a request that proves nothing.
pub const UNAUTHORIZED: &str = "Unauthorized\n";

/// The key in the value of an `Authorization` header: `GoogleLogin auth=KEY`.
pub fn key(header: &str) -> Option<&str> {
    let (scheme, rest) = header.trim().split_once(' ')?;
    let (name, key) = rest.trim().split_once('=')?;
    let ours = scheme.eq_ignore_ascii_case("googlelogin") && name.eq_ignore_ascii_case("auth");
    Some(key.trim().trim_matches('"')).filter(|key| ours && !key.is_empty())
}

/// What a request to change something carries beside its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'t> {
    /// Nothing. Several apps never ask for a token.
    None,
    /// Something that is to be compared.
    Sent(&'t str),
}

impl<'t> Token<'t> {
    /// What the parameter `T` says. One app sends an `x` always.
    pub fn of(parameter: Option<&'t str>) -> Self {
        match parameter.map(str::trim) {
            None | Some("" | "x") => Self::None,
            Some(token) => Self::Sent(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_has_the_three_lines() {
        assert_eq!(answer("3.abc"), "SID=3.abc\nLSID=3.abc\nAuth=3.abc\n");
    }

    #[test]
    fn the_key_is_found_in_the_header() {
        for header in
            ["GoogleLogin auth=3.abc", "googlelogin  Auth=3.abc ", "GoogleLogin auth=\"3.abc\""]
        {
            assert_eq!(key(header), Some("3.abc"), "{header}");
        }
        assert_eq!(key("GoogleLogin auth=a=b"), Some("a=b"));
        for header in ["", "Bearer 3.abc", "GoogleLogin", "GoogleLogin auth=", "Basic auth=3.abc"] {
            assert_eq!(key(header), None, "{header}");
        }
    }

    #[test]
    fn apps_that_know_no_token_send_nothing_or_an_x() {
        assert_eq!([None, Some(""), Some("x"), Some(" \n")].map(Token::of), [Token::None; 4]);
        assert_eq!(Token::of(Some("abc\n")), Token::Sent("abc"));
    }
}
