//! Who looks at a page, and what that visitor may do.
//!
//! A node without users belongs to whoever runs it: programs of the same user on the same machine need no login. As
//! soon as somebody has an account, everybody logs in, also on this machine; only the node's own token and the socket
//! in its data folder manage it besides.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::response::{IntoResponse, Redirect, Response};
use http::request::Parts;
use http::{Method, Uri};
use pergola_accounts::UserId;
use pergola_accounts::secret::Token;
use pergola_api::Code;
use pergola_node::node::PeopleError;
use pergola_pages::frame::Viewer;
use pergola_port::access::{ByFolder, Caller};

use crate::answer::Failure;
use crate::site::Site;
use crate::{cookie, led};

/// Somebody who looks at a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Visitor {
    /// Anybody, or a reader of feeds: sees what is public.
    Stranger,
    /// Whoever runs the node.
    Operator,
    /// Somebody who has logged in.
    User(Member),
}

/// Somebody who has logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) id: UserId,
    pub(crate) name: String,
    /// It may change everything.
    pub(crate) is_admin: bool,
    /// Of its session.
    pub(crate) token: Token,
}

/// Beside the visitor: how a request came.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Circumstances {
    /// Somebody has an account, so everybody logs in.
    pub(crate) has_users: bool,
    /// The browser has shown a session that is over.
    pub(crate) ended: bool,
    /// Where the request came from, if that is known.
    pub(crate) address: Option<IpAddr>,
}

impl Visitor {
    /// As pages know it.
    pub(crate) fn viewer(&self) -> Viewer<'_> {
        match self {
            Self::Stranger => Viewer::Anybody,
            Self::Operator => Viewer::Inside { name: None, manages: true },
            Self::User(member) => {
                Viewer::Inside { name: Some(&member.name), manages: member.is_admin }
            }
        }
    }

    /// Whether it may change sources, feeds and settings.
    pub(crate) fn manages(&self) -> bool {
        match self {
            Self::Stranger => false,
            Self::Operator => true,
            Self::User(member) => member.is_admin,
        }
    }
}

/// What a request shows of whoever sends it.
pub(crate) struct Face {
    about: Circumstances,
    is_operator: bool,
    session: Option<Token>,
}

impl Face {
    /// What a request shows.
    pub(crate) fn of(site: &Site, request: &Request) -> Result<Self, PeopleError> {
        let caller = site.node.caller(request);
        let has_users = !site.node.users()?.is_empty();
        let about = Circumstances { has_users, ended: false, address: address(&caller, request) };
        // With a token, nobody is the operator for being near.
        let has_token = site.node.config().api.token.is_some();
        let by_secret = has_token || request.extensions().get::<ByFolder>().is_some();
        let is_operator = caller.is_operator() && (by_secret || !has_users);
        let session = cookie::shown(request.extensions(), request.headers());
        Ok(Self { about, is_operator, session })
    }

    /// Whose it is.
    pub(crate) async fn visitor(
        self,
        site: &Site,
    ) -> Result<(Visitor, Circumstances), PeopleError> {
        let Self { mut about, is_operator, session } = self;
        if is_operator {
            return Ok((Visitor::Operator, about));
        }
        let Some(token) = session else { return Ok((Visitor::Stranger, about)) };
        match site.node.session(&token).await? {
            Some(user) if user.id != UserId::OPERATOR => {
                let is_admin = user.is_admin();
                let member = Member { id: user.id, name: user.name, is_admin, token };
                Ok((Visitor::User(member), about))
            }
            _ => {
                about.ended = true;
                Ok((Visitor::Stranger, about))
            }
        }
    }
}

/// Where a request comes from, also through a proxy that says so.
fn address(caller: &Caller, request: &Request) -> Option<IpAddr> {
    match caller {
        Caller::Stranger { address, .. } => *address,
        Caller::Operator | Caller::Reader(_) => {
            request.extensions().get::<ConnectInfo<SocketAddr>>().map(|from| from.0.ip())
        }
    }
}

/// As `door` found it.
impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or(Self::Stranger))
    }
}

/// As `door` found it.
impl<S: Send + Sync> FromRequestParts<S> for Circumstances {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().copied().unwrap_or_default())
    }
}

/// Why a page is closed to somebody.
#[derive(Debug)]
pub(crate) enum Closed {
    /// It may be open after a login.
    LogIn(String),
    /// It stays closed.
    Refused(Failure),
}

impl IntoResponse for Closed {
    fn into_response(self) -> Response {
        match self {
            Self::LogIn(address) => Redirect::to(&address).into_response(),
            Self::Refused(failure) => failure.into_response(),
        }
    }
}

impl From<Failure> for Closed {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

/// Leads a stranger to the login, and from there back to where it wanted to go.
fn closed(about: Circumstances, method: &Method, uri: &Uri) -> Closed {
    if !about.has_users || !method.is_safe() {
        let detail = "only whoever manages this node may see this";
        return Failure::new(Code::NotAllowed, detail).into();
    }
    let wanted = uri.path_and_query().map_or("/", |wanted| wanted.as_str());
    let mut fields = vec![("next", led::local(wanted))];
    fields.extend(about.ended.then_some(("note", "ended")));
    Closed::LogIn(format!("{}login?{}", led::root(uri.path()), led::query(fields)))
}

/// Somebody who may change sources, feeds and settings. A handler that takes it is closed to everybody else.
#[derive(Debug, Clone)]
pub(crate) struct Manager(pub(crate) Visitor);

impl<S: Send + Sync> FromRequestParts<S> for Manager {
    type Rejection = Closed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Closed> {
        let Ok(visitor) = Visitor::from_request_parts(parts, state).await;
        let Ok(about) = Circumstances::from_request_parts(parts, state).await;
        match visitor {
            _ if visitor.manages() => Ok(Self(visitor)),
            Visitor::User(member) => {
                let detail = format!("{} may read here, and nothing else", member.name);
                Err(Failure::new(Code::NotAllowed, detail).into())
            }
            _ => Err(closed(about, &parts.method, &parts.uri)),
        }
    }
}

/// Somebody who reads here. A handler that takes it is closed to everybody else.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    /// Whose subscriptions and marks these are.
    pub(crate) user: UserId,
    pub(crate) visitor: Visitor,
}

impl Reader {
    /// It follows everything, and has no account.
    pub(crate) fn is_operator(&self) -> bool {
        self.user == UserId::OPERATOR
    }
}

impl FromRequestParts<Site> for Reader {
    type Rejection = Closed;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Closed> {
        let Ok(visitor) = Visitor::from_request_parts(parts, site).await;
        let Ok(about) = Circumstances::from_request_parts(parts, site).await;
        let user = match &visitor {
            Visitor::User(member) => member.id,
            Visitor::Operator if !about.has_users => {
                site.node.operator_user().await.map_err(Failure::from)?
            }
            Visitor::Operator => {
                let detail = "people have accounts at this node: log in as one of them to read";
                return Err(Failure::new(Code::NotAllowed, detail).into());
            }
            Visitor::Stranger => return Err(closed(about, &parts.method, &parts.uri)),
        };
        Ok(Self { user, visitor })
    }
}

/// Somebody with an account. A handler that takes it is closed to everybody else.
#[derive(Debug, Clone)]
pub(crate) struct Owner(pub(crate) Member);

impl<S: Send + Sync> FromRequestParts<S> for Owner {
    type Rejection = Closed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Closed> {
        let Ok(visitor) = Visitor::from_request_parts(parts, state).await;
        let Ok(about) = Circumstances::from_request_parts(parts, state).await;
        match visitor {
            Visitor::User(member) => Ok(Self(member)),
            Visitor::Operator => {
                let detail = "whoever runs the node has no account: add a user first";
                Err(Failure::new(Code::NotAllowed, detail).into())
            }
            Visitor::Stranger => Err(closed(about, &parts.method, &parts.uri)),
        }
    }
}
