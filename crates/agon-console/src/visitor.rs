//! Who looks at a page, as far as handlers need it.
use crate::refusal::RefusedPage;
use crate::session::{Cookies, random_text};
use crate::site::ConsoleSite;
use agon_server::{CallContext, Caller, Problem, Scope, Stay, call_id};
use axum::extract::FromRequestParts;
use http::HeaderName;
use http::request::Parts;

/// What htmx says of its requests, which want a piece of a page.
const HTMX: HeaderName = HeaderName::from_static("hx-request");

/// A visitor whom the gateway knows.
#[derive(Clone)]
pub(crate) struct PageVisitor {
    /// The call that the request is.
    pub call: CallContext,
    /// What it was let in with.
    pub stay: Stay,
    /// The browser behind it.
    pub browser: PageBrowser,
}

/// A browser, whoever sits before it.
#[derive(Clone, Debug)]
pub(crate) struct PageBrowser {
    pub cookies: Cookies,
    /// What its forms are known by.
    pub forms: String,
    /// It has not been told yet.
    pub new_forms: bool,
    /// It keeps a token.
    pub signed_in: bool,
    /// A script asks for a piece of a page.
    pub piece: bool,
    /// The id of the call.
    pub id: String,
    /// The path with its query, to come back to.
    pub place: String,
}

impl PageBrowser {
    /// The browser behind a request.
    pub fn of(parts: &Parts, tls: bool) -> Self {
        let cookies = Cookies::of(&parts.headers, parts.uri.authority(), tls);
        let known = cookies.forms(&parts.headers);
        Self {
            new_forms: known.is_none(),
            forms: known.unwrap_or_else(random_text),
            signed_in: cookies.token(&parts.headers).is_some(),
            piece: parts.headers.contains_key(HTMX),
            id: call_id(parts),
            place: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
            cookies,
        }
    }
}

impl PageVisitor {
    pub fn caller(&self) -> &Caller {
        &self.call.caller
    }
    /// Refuses whoever lacks the scope, on a page.
    pub fn require(&self, scope: Scope) -> Result<(), RefusedPage> {
        self.caller().require(scope).map_err(|problem| RefusedPage::of(problem, &self.browser))
    }
    /// Whether they may submit, cancel and delete.
    pub fn may_write(&self) -> bool {
        self.caller().require(Scope::DebatesWrite).is_ok()
    }
    /// Whether they may look at the cluster.
    pub fn may_see_hosts(&self) -> bool {
        self.caller().require(Scope::ClusterAdmin).is_ok()
    }
}

impl FromRequestParts<ConsoleSite> for PageVisitor {
    type Rejection = RefusedPage;
    async fn from_request_parts(parts: &mut Parts, site: &ConsoleSite) -> Result<Self, RefusedPage> {
        let browser = PageBrowser::of(parts, site.tls());
        let token = browser.cookies.token(&parts.headers);
        match site.door().caller(token.as_deref(), parts).await {
            Ok((caller, stay)) => Ok(Self { call: CallContext::of(caller, &parts.headers), stay, browser }),
            Err(problem @ Problem::Unauthenticated(_)) => Err(RefusedPage::sign_in(problem, &browser)),
            Err(problem) => Err(RefusedPage::of(problem, &browser)),
        }
    }
}

impl FromRequestParts<ConsoleSite> for PageBrowser {
    type Rejection = std::convert::Infallible;
    async fn from_request_parts(parts: &mut Parts, site: &ConsoleSite) -> Result<Self, Self::Rejection> {
        Ok(Self::of(parts, site.tls()))
    }
}
