//! What every page has around it: its policy, the navigation, who is signed in.
use crate::assets;
use crate::session::random_text;
use crate::visitor::PageVisitor;
use askama::Template;
use axum::response::{Html, IntoResponse as _, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};

/// A part of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NavPlace {
    Debates,
    New,
    Hosts,
    Ratings,
    Evals,
    Help,
    /// One of no part.
    Elsewhere,
}

/// The frame of a page.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    pub place: NavPlace,
    /// What scripts of this page are known by.
    pub nonce: String,
    /// What forms of this browser are known by.
    pub forms: String,
    /// Whether the navigation is shown: somebody is let in.
    pub inside: bool,
    /// The visitor's name, where one is known.
    pub who: Option<String>,
    pub signed_in: bool,
    pub may_write: bool,
    pub may_see_hosts: bool,
}

impl Shell {
    /// For a visitor.
    pub fn of(visitor: &PageVisitor, place: NavPlace) -> Self {
        Self {
            place,
            nonce: random_text(),
            forms: visitor.browser.forms.clone(),
            inside: true,
            who: visitor.caller().principal.clone(),
            signed_in: visitor.browser.signed_in,
            may_write: visitor.may_write(),
            may_see_hosts: visitor.may_see_hosts(),
        }
    }

    /// For nobody in particular.
    pub fn bare() -> Self {
        Self {
            place: NavPlace::Elsewhere,
            nonce: random_text(),
            forms: String::new(),
            inside: false,
            who: None,
            signed_in: false,
            may_write: false,
            may_see_hosts: false,
        }
    }

    pub fn asset(&self, name: &str) -> String {
        assets::address(name)
    }

    pub fn is(&self, place: NavPlace) -> bool {
        self.place == place
    }
}

/// A template as a response; a template that refuses its data is a mistake of ours.
pub(crate) fn html(page: &impl Template) -> Response {
    match page.render() {
        Ok(text) => Html(text).into_response(),
        Err(error) => {
            tracing::error!(%error, "page not filled in");
            (StatusCode::INTERNAL_SERVER_ERROR, "internal error: a page could not be filled in\n").into_response()
        }
    }
}

/// A whole page for a visitor.
pub(crate) fn page(visitor: &PageVisitor, shell: &Shell, page: &impl Template) -> Response {
    let mut response = finish(html(page), Some(&shell.nonce));
    if visitor.browser.new_forms {
        let cookie = visitor.browser.cookies.keep_forms(&visitor.browser.forms);
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// A piece of a page.
pub(crate) fn piece(piece: &impl Template) -> Response {
    finish(html(piece), None)
}

/// A document to keep, under a name.
pub(crate) fn file(content: String, media_type: &str, name: &str) -> Response {
    let attached = format!("attachment; filename=\"{name}\"");
    let mut response = content.into_response();
    for (name, value) in [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, &attached)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    finish(response, None)
}

/// Sends the browser on.
pub(crate) fn go_to(address: &str) -> Response {
    let address = HeaderValue::try_from(address).unwrap_or_else(|_| HeaderValue::from_static("/"));
    finish((StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(), None)
}

/// Sets what keeps a page from doing anything but what it was drawn for. Its scripts are known by the nonce, if it has any.
pub(crate) fn finish(mut response: Response, nonce: Option<&str>) -> Response {
    let scripts = nonce.map_or_else(|| "'none'".to_owned(), |nonce| format!("'nonce-{nonce}'"));
    let policy = format!(
        "default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().entry(name).or_insert(value);
        }
    };
    set(header::CONTENT_SECURITY_POLICY, &policy);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    // without a referrer browsers would not say either where a form comes from
    set(header::REFERRER_POLICY, "same-origin");
    set(header::CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    response
}
