//! Logging in at the OpenID provider: there, and back.
//!
//! Never: a session for a browser that has not begun the login; an account that another window, another site or
//! another person connects.

use axum::Router;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::{Extensions, HeaderMap, StatusCode};
use pergola_config::OpenId;
use pergola_node::node::{Mistake, PeopleError};
use pergola_openid::{Claims, NoGrant, Provider, SKEW};
use pergola_pages::inside::login;
use pergola_store::people::UserChange;
use serde::Deserialize;

use super::begun::{self, Kept};
use super::person::{self, Person};
use super::{begin_session, refusal};
use crate::answer::{Failure, page};
use crate::identity::{self, Trouble};
use crate::led;
use crate::site::Site;
use crate::visitor::{Circumstances, Owner, Visitor};
use pergola_api::Code;

/// The routes of these pages.
pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/login/openid", get(begin))
        .route("/login/openid/back", get(back))
        .route("/settings/account/openid", post(connect))
        .route("/settings/account/openid/disconnect", post(disconnect))
}

/// How people log in elsewhere, if they can.
fn settings(site: &Site) -> Result<OpenId, Failure> {
    let none = || {
        let detail = "nobody logs in elsewhere: this node has no `openid.issuer`";
        Failure::new(Code::NoSuchRoute, detail)
    };
    site.node.config().openid.clone().ok_or_else(none)
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    next: String,
}

async fn begin(
    State(site): State<Site>,
    extensions: Extensions,
    headers: HeaderMap,
    Query(Wanted { next }): Query<Wanted>,
) -> Result<Response, Failure> {
    let settings = settings(&site)?;
    let next = led::local(&next);
    // Another site may lead to the login, but not begin it.
    if headers.get("sec-fetch-site").is_some_and(|from| from == "cross-site") {
        let query = led::query([("next", next)]);
        return Ok(Redirect::to(&format!("../login?{query}")).into_response());
    }
    let provider = match site.identity.provider(&site.node, &settings).await {
        Ok(provider) => provider,
        Err(trouble) => {
            let (status, wrong) = told(&settings, &trouble);
            return Ok(refusal(&site, "../", next, status, &wrong));
        }
    };
    let kept = Kept::new(site.node.new_token()?, site.node.clock.now(), None, next);
    let mut answer = Redirect::to(&login_at(&site, &settings, &provider, &kept)).into_response();
    kept.keep((&extensions, &headers), &site.node.config(), &mut answer);
    Ok(answer)
}

fn login_at(site: &Site, settings: &OpenId, provider: &Provider, kept: &Kept) -> String {
    let redirect = identity::redirect(&site.node);
    let client = identity::client(settings, &redirect);
    client.login_at(provider, &kept.begun(), &settings.scopes).into()
}

#[derive(Deserialize)]
struct Back {
    #[serde(default)]
    state: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    error: String,
    #[serde(default)]
    error_description: String,
}

/// How somebody came back, and who it is here.
struct Return {
    visitor: Visitor,
    about: Circumstances,
    extensions: Extensions,
    headers: HeaderMap,
    back: Back,
}

async fn back(
    State(site): State<Site>,
    visitor: Visitor,
    about: Circumstances,
    extensions: Extensions,
    headers: HeaderMap,
    Query(back): Query<Back>,
) -> Result<Response, Failure> {
    let settings = settings(&site)?;
    let Some(kept) = Kept::of(&extensions, &headers, &back.state) else {
        if matches!(visitor, Visitor::User(_)) {
            return Ok(Redirect::to("../../").into_response());
        }
        let public = &site.node.config().node.public_url;
        let wrong = format!(
            "This login was not begun in this browser, or it is over, or it was begun at another address than \
             {public}. Begin again."
        );
        return Ok(refusal(&site, "../../", "", StatusCode::BAD_REQUEST, &wrong));
    };
    let (state, next) = (back.state.clone(), kept.next.clone());
    let came = Return { visitor, about, extensions: extensions.clone(), headers, back };
    let mut answer = match arrive(&site, &settings, kept, came).await? {
        Ok(answer) => answer,
        Err((status, wrong)) => refusal(&site, "../../", &next, status, &wrong),
    };
    begun::forget(&extensions, &site.node.config(), &state, &mut answer);
    Ok(answer)
}

/// Why somebody is not let in, as it is told.
type Refused = (StatusCode, String);

async fn arrive(
    site: &Site,
    settings: &OpenId,
    kept: Kept,
    came: Return,
) -> Result<Result<Response, Refused>, Failure> {
    let label = &settings.label;
    if !came.back.error.is_empty() {
        return Ok(Err((StatusCode::FORBIDDEN, declined(label, &came.back))));
    }
    let age = site.node.clock.now() - kept.at;
    if !(-SKEW..=begun::LONGEST).contains(&age) {
        let minutes = begun::LONGEST / 60.0;
        let wrong = format!("The login has taken longer than {minutes:.0} minutes. Begin again.");
        return Ok(Err((StatusCode::BAD_REQUEST, wrong)));
    }
    let proof = (&kept.begun(), came.back.code.as_str(), came.about.address);
    let (provider, claims) = match site.identity.who(&site.node, settings, proof).await {
        Ok(known) => known,
        Err(trouble) => return Ok(Err(told(settings, &trouble))),
    };
    if kept.connects.is_some() {
        return connected(site, settings, &kept, &came.visitor, (&provider, &claims)).await;
    }
    match person::find(site, settings, &provider, &claims).await? {
        Person::Known(user) => {
            let next = format!("../../{}", led::local(&kept.next));
            let who = (came.visitor, user);
            begin_session(site, who, &came.extensions, &came.headers, &next).await.map(Ok)
        }
        other => {
            let subject = person::subject(&provider, &claims);
            tracing::info!(subject, "somebody without an account came by OpenID Connect");
            Ok(Err((StatusCode::FORBIDDEN, not_let_in(label, &other))))
        }
    }
}

fn declined(label: &str, back: &Back) -> String {
    let said =
        if back.error_description.is_empty() { &back.error } else { &back.error_description };
    let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
    format!("{label} did not let you in. It says: {said}")
}

fn not_let_in(label: &str, person: &Person) -> String {
    match person {
        Person::Outside => format!(
            "{label} knows you, but you are not in the group that may log in here. Ask whoever runs this node."
        ),
        Person::First => "Nobody manages this node yet, and you would be the first. Whoever runs it adds an admin \
                          first: pergola user add NAME --password-stdin"
            .to_owned(),
        Person::Unknown | Person::Known(_) => format!(
            "{label} knows you, but no account here is connected with that. If you have an account, log in with \
             your password, and connect it on the page of your account. Otherwise ask whoever runs this node for one."
        ),
    }
}

/// What is told of trouble with the provider. The log has more for whoever runs the node.
fn told(settings: &OpenId, trouble: &Trouble) -> Refused {
    let label = &settings.label;
    tracing::warn!(%trouble, issuer = settings.issuer, "a login by OpenID Connect failed");
    match trouble {
        Trouble::TooEarly(early) => {
            let wrong = format!("Too many logins have failed: {early}.");
            (StatusCode::TOO_MANY_REQUESTS, wrong)
        }
        Trouble::Unreachable(_) | Trouble::Status { .. } => {
            let wrong = format!(
                "{label} does not answer this node. Try again in a few minutes. If it stays so, tell whoever runs \
                 the node: its log says why."
            );
            (StatusCode::BAD_GATEWAY, wrong)
        }
        Trouble::Token(error) if error.is_about_time() => {
            let wrong = format!(
                "The clocks of {label} and of this node differ, or the login took too long: {error}. Try again. If it \
                 stays so, tell whoever runs the node to set its clock."
            );
            (StatusCode::BAD_GATEWAY, wrong)
        }
        Trouble::NoGrant(NoGrant::Refused { error, .. }) if error == "invalid_grant" => {
            let wrong =
                format!("{label} has ended this login, or it was used already. Begin again.");
            (StatusCode::BAD_REQUEST, wrong)
        }
        Trouble::InTheClear(_)
        | Trouble::Provider(_)
        | Trouble::Keys(_)
        | Trouble::NoGrant(_)
        | Trouble::Token(_)
        | Trouble::Claims(_) => {
            let wrong = format!(
                "What {label} says cannot be believed, so nobody is logged in by it. Tell whoever runs this node: \
                 its log says why."
            );
            (StatusCode::BAD_GATEWAY, wrong)
        }
    }
}

/// Somebody who has an account wants to log in elsewhere from now on.
async fn connect(
    State(site): State<Site>,
    Owner(member): Owner,
    extensions: Extensions,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let settings = settings(&site)?;
    let provider = match site.identity.provider(&site.node, &settings).await {
        Ok(provider) => provider,
        Err(trouble) => {
            let (_, wrong) = told(&settings, &trouble);
            return Err(Failure::new(Code::Unavailable, wrong));
        }
    };
    let now = site.node.clock.now();
    let kept = Kept::new(site.node.new_token()?, now, Some(member.id), "");
    let address = login_at(&site, &settings, &provider, &kept);
    let viewer = Visitor::User(member);
    // A form may not lead to another site, a link may.
    let mut answer = page(&login::onward(viewer.viewer(), &settings.label, &address));
    kept.keep((&extensions, &headers), &site.node.config(), &mut answer);
    Ok(answer)
}

async fn connected(
    site: &Site,
    settings: &OpenId,
    kept: &Kept,
    visitor: &Visitor,
    (provider, claims): (&Provider, &Claims),
) -> Result<Result<Response, Refused>, Failure> {
    let label = &settings.label;
    let own = match visitor {
        Visitor::User(member) if Some(member.id) == kept.connects => member.id,
        _ => {
            let wrong = format!(
                "You have logged out meanwhile, so nothing is connected. Log in with your password, then connect \
                 your account with {label} once more."
            );
            return Ok(Err((StatusCode::FORBIDDEN, wrong)));
        }
    };
    let subject = Some(Some(person::subject(provider, claims)));
    match site.node.change_user(own, UserChange { subject, ..UserChange::default() }).await {
        Ok(()) => Ok(Ok(Redirect::to("../../settings/account?note=connected").into_response())),
        Err(PeopleError::Mistake(Mistake::SubjectTaken(_))) => {
            let detail = format!(
                "another account here is connected with the same person at {label}: disconnect that one first"
            );
            Err(Failure::new(Code::BadUser, detail))
        }
        Err(error) => Err(error.into()),
    }
}

async fn disconnect(State(site): State<Site>, Owner(member): Owner) -> Result<Response, Failure> {
    let id = member.id;
    let user = site.ask(move |node| Ok(node.user(id)?)).await?;
    if user.is_some_and(|user| !user.has_password) {
        let detail =
            "you have no password, so you could not log in any more: ask an admin for one first";
        return Err(Failure::new(Code::BadUser, detail));
    }
    let change = UserChange { subject: Some(None), ..UserChange::default() };
    site.node.change_user(id, change).await?;
    Ok(Redirect::to("../../account?note=disconnected").into_response())
}
