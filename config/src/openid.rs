//! `[openid]`: people who log in at an OpenID provider.

use toml::Value;

use crate::codec::{Codec, flag, http_url_as, list, text};
use crate::secret::{Secret, secret};
use crate::table::Table;

/// `[openid]`, if it names a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenId {
    /// As it was written: it is compared with what the provider says.
    pub issuer: String,
    pub client_id: String,
    /// Without it the node is a public client.
    pub client_secret: Option<Secret>,
    /// What people call the provider.
    pub label: String,
    pub scopes: Vec<String>,
    pub name_claim: String,
    pub add_users: bool,
    pub groups_claim: String,
    pub user_group: Option<String>,
    pub admin_group: Option<String>,
}

impl OpenId {
    pub(crate) fn declare(table: &mut Table<'_, Option<Self>>) -> Option<Self> {
        table.about(
            "People who log in at an OpenID provider. Register PUBLIC_URL/login/openid/back there as the address \
             to which people are sent back. A provider in a private network must be named in \
             `crawl.allow_private` as well.",
        );
        let issuer = table
            .key("issuer", "The provider, as it calls itself in its tokens.")
            .reloads()
            .optional(issuer(), "https://id.example.org", |own| Some(own.as_ref()?.issuer.clone()));
        let client_id = table
            .key("client_id", "The name that the provider knows this node by.")
            .reloads()
            .optional(text(), "pergola", |own| Some(own.as_ref()?.client_id.clone()));
        let client_secret = table
            .key(
                "client_secret",
                "The secret that the provider knows this node by. Left out, the node is a public client, \
                 which proves itself by PKCE alone.",
            )
            .reloads()
            .secret(secret(), "as the provider shows it", |own| own.as_ref()?.client_secret.clone());
        let (label, scopes) = asking(table);
        let name_claim = table
            .key(
                "name_claim",
                "Which claim names somebody who gets an account. Signs that a name cannot have become `-`.",
            )
            .reloads()
            .required(text(), "preferred_username", |own| {
                said(own, "preferred_username", |own| &own.name_claim)
            });
        let add_users = table
            .key(
                "add_users",
                "Whether somebody whom the provider knows gets an account as a reader at the first login. \
                 Otherwise people connect the account they have, on its page.",
            )
            .reloads()
            .required(flag(), false, |own| own.as_ref().is_some_and(|own| own.add_users));
        let (groups_claim, user_group, admin_group) = groups(table);
        if issuer.is_some() != client_id.is_some() {
            table.refuse("issuer", "must be set together with `openid.client_id`");
            table.refuse("client_id", "must be set together with `openid.issuer`");
        }
        let (issuer, client_id) = issuer.zip(client_id)?;
        Some(Self {
            issuer,
            client_id,
            client_secret,
            label,
            scopes,
            name_claim,
            add_users,
            groups_claim,
            user_group,
            admin_group,
        })
    }
}

/// What people see of the provider, and what it is asked for.
fn asking(table: &mut Table<'_, Option<OpenId>>) -> (String, Vec<String>) {
    let label = table
        .key("label", "What people call the provider, on the button to log in.")
        .reloads()
        .required(text(), "OpenID", |own| said(own, "OpenID", |own| &own.label));
    let scopes = table
        .key("scopes", "What the provider is asked for, beside `openid`.")
        .reloads()
        .required(list(), Value::Array(vec!["profile".into()]), |own| {
            own.as_ref().map_or_else(|| vec!["profile".to_owned()], |own| own.scopes.clone())
        });
    (label, scopes)
}

/// Who may log in, and who manages.
fn groups(table: &mut Table<'_, Option<OpenId>>) -> (String, Option<String>, Option<String>) {
    let claim = table
        .key(
            "groups_claim",
            "Which claim lists the groups of somebody. A dot leads into a claim: `realm_access.roles`.",
        )
        .reloads()
        .required(text(), "groups", |own| said(own, "groups", |own| &own.groups_claim));
    let users = table
        .key("user_group", "Only members of this group, and those of `admin_group`, may log in.")
        .reloads()
        .optional(text(), "readers", |own| own.as_ref()?.user_group.clone());
    let admins = table
        .key(
            "admin_group",
            "At each login at the provider, members of this group become admins and all others readers. Left out, \
             the provider makes nobody an admin.",
        )
        .reloads()
        .optional(text(), "admins", |own| own.as_ref()?.admin_group.clone());
    (claim, users, admins)
}

/// What a key says, or would say.
fn said(own: &Option<OpenId>, usual: &str, get: impl Fn(&OpenId) -> &String) -> String {
    own.as_ref().map_or_else(|| usual.to_owned(), |own| get(own).clone())
}

/// An address that stays as it was written.
fn issuer() -> Codec<String> {
    let allowed = "the address of an OpenID provider, which begins with https://";
    let url = http_url_as(allowed);
    Codec::new(
        allowed,
        move |setting| {
            let read = url.read(setting)?;
            let plain = read.query().is_none() && read.fragment().is_none();
            match setting.value.as_str().filter(|_| plain && read.username().is_empty()) {
                Some(text) => Ok(text.trim().to_owned()),
                None => Err("must be an address without a user, a query and a fragment".to_owned()),
            }
        },
        |text| crate::codec::quoted(text),
    )
}
