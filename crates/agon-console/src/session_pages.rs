//! Signing in and out.
use crate::form::Fields;
use crate::query::Query;
use crate::refusal::RefusedPage;
use crate::session::MOST_TOKEN;
use crate::shell::{Shell, finish, go_to, html};
use crate::site::ConsoleSite;
use crate::visitor::PageBrowser;
use agon_server::Problem;
use askama::Template;
use axum::extract::{FromRequest as _, RawQuery, Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, Method, StatusCode, header};

/// The page where one signs in.
#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    shell: Shell,
    /// Where to go then.
    to: String,
    /// What was wrong.
    wrong: Option<String>,
    way: WayIn,
}

/// How somebody is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WayIn {
    Token,
    /// A link that the program prints.
    Link,
    /// A certificate of the browser; there are no tokens.
    Certificate,
}

impl WayIn {
    fn of(site: &ConsoleSite) -> Self {
        match (site.config().is_own(), site.door().needs_certificate()) {
            (true, _) => Self::Link,
            (false, true) => Self::Certificate,
            (false, false) => Self::Token,
        }
    }
}

/// The page after a link that was good. A browser that followed the link from another site sends no strict cookie with what the link
/// leads to, redirects included; with what this page leads to, it does.
#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage {
    shell: Shell,
    to: String,
}

/// `GET /sign-in`: asks for a token, or takes a code that the program has printed.
pub(crate) async fn ask(
    State(site): State<ConsoleSite>,
    browser: PageBrowser,
    method: Method,
    headers: HeaderMap,
    query: RawQuery,
) -> Response {
    let query = Query::read(query);
    let to = inside(query.filled("to").unwrap_or("/"));
    let (Some(codes), Some(code)) = (&site.config().codes, query.filled("code")) else {
        return sign_in_page(&site, &browser, to, None);
    };
    if method == Method::HEAD || !is_visit(&headers) {
        // no browser may keep this for the visit that follows
        return finish((StatusCode::SERVICE_UNAVAILABLE, "a link is used by a visit only\n").into_response(), None);
    }
    match codes.redeem(code) {
        Some(token) => welcome(&browser, &token, to),
        // somebody who has come in by it before, and follows it again
        None if browser.signed_in => go_to(&to),
        None => sign_in_page(
            &site,
            &browser,
            to,
            Some("This link was used already, or the program was started again. Follow the last link that it printed."),
        ),
    }
}

/// Whether somebody goes to the page; browsers also fetch pages in advance, and say so. Programs say nothing.
fn is_visit(headers: &HeaderMap) -> bool {
    let says = |name: &str, word: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.into_iter().any(|value| value.to_ascii_lowercase().contains(word))
    };
    let in_advance = ["sec-purpose", "purpose", "x-purpose", "x-moz"].into_iter();
    let mut in_advance = in_advance.flat_map(|name| [(name, "prefetch"), (name, "preview"), (name, "prerender")]);
    let visits = !headers.contains_key("sec-fetch-mode") || says("sec-fetch-mode", "navigate");
    visits && !in_advance.any(|(name, word)| says(name, word))
}

/// `POST /sign-in`.
pub(crate) async fn sign_in(State(site): State<ConsoleSite>, request: Request) -> Result<Response, RefusedPage> {
    let (parts, body) = request.into_parts();
    let browser = PageBrowser::of(&parts, site.tls());
    let fields = Fields::from_request(Request::from_parts(parts.clone(), body), &site).await?;
    let to = inside(fields.text("to"));
    let token = fields.text("token").trim();
    let again = |wrong: &str| Ok(sign_in_page(&site, &browser, to.clone(), Some(wrong)));
    if token.is_empty() {
        return again("Enter a token.");
    }
    if token.len() > MOST_TOKEN {
        return again("The token is too long for a browser to keep: it may have 2,500 bytes.");
    }
    match site.door().caller(Some(token), &parts).await {
        Ok(_) => Ok(keep(&browser, token, &to)),
        Err(problem @ Problem::Unauthenticated(_)) => again(&problem.to_string()),
        Err(problem) => Err(RefusedPage::of(problem, &browser)),
    }
}

/// `POST /sign-out`.
pub(crate) async fn sign_out(browser: PageBrowser, _fields: Fields) -> Response {
    let mut response = go_to("/sign-in");
    response.headers_mut().append(header::SET_COOKIE, browser.cookies.forget_token());
    response
}

fn keep(browser: &PageBrowser, token: &str, to: &str) -> Response {
    let mut response = go_to(to);
    response.headers_mut().append(header::SET_COOKIE, browser.cookies.keep_token(token));
    response
}

fn welcome(browser: &PageBrowser, token: &str, to: String) -> Response {
    let mut response = finish(html(&WelcomePage { shell: Shell::bare(), to }), None);
    response.headers_mut().append(header::SET_COOKIE, browser.cookies.keep_token(token));
    response
}

fn sign_in_page(site: &ConsoleSite, browser: &PageBrowser, to: String, wrong: Option<&str>) -> Response {
    let shell = Shell { forms: browser.forms.clone(), ..Shell::bare() };
    let nonce = shell.nonce.clone();
    let way = WayIn::of(site);
    let mut response = html(&SignInPage { shell, to, wrong: wrong.map(str::to_owned), way });
    if wrong.is_some() {
        *response.status_mut() = StatusCode::UNAUTHORIZED;
    }
    if browser.new_forms {
        response.headers_mut().append(header::SET_COOKIE, browser.cookies.keep_forms(&browser.forms));
    }
    finish(response, Some(&nonce))
}

/// A place of this site; anything else becomes its first page.
fn inside(to: &str) -> String {
    let own = to.starts_with('/') && !to.starts_with("//") && !to.contains('\\') && !to.starts_with("/sign-");
    let plain = to.bytes().all(|byte| byte.is_ascii_graphic());
    if own && plain { to.to_owned() } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Shell, SignInPage, WayIn, inside, is_visit};
    use askama::Template as _;
    use http::{HeaderMap, HeaderName, HeaderValue};

    #[test]
    fn what_is_fetched_in_advance_or_as_a_part_of_a_page_is_no_visit() {
        let asked = |all: &[(&'static str, &'static str)]| {
            let pair = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            is_visit(&all.iter().map(pair).collect::<HeaderMap>())
        };
        assert!(asked(&[]), "a program");
        assert!(asked(&[("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]));
        for part in [
            ("sec-purpose", "prefetch"),
            ("sec-purpose", "prefetch;prerender"),
            ("purpose", "prefetch"),
            ("x-purpose", "preview"),
            ("x-moz", "prefetch"),
            ("sec-fetch-mode", "no-cors"),
        ] {
            assert!(!asked(&[part]), "{part:?}");
        }
    }

    #[test]
    fn only_who_can_enter_a_token_is_asked_for_one() {
        let page = |way| SignInPage { shell: Shell::bare(), to: "/".to_owned(), wrong: None, way }.render().unwrap();
        assert!(page(WayIn::Token).contains("name=\"token\""));
        let certificate = page(WayIn::Certificate);
        assert!(certificate.contains("accepts client certificates only") && !certificate.contains("<input"));
        assert!(!page(WayIn::Link).contains("<input"));
    }

    #[test]
    fn nobody_is_sent_to_another_site() {
        for to in
            ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x", "", "/sign-in?to=/", "/a b"]
        {
            assert_eq!(inside(to), "/", "{to}");
        }
        assert_eq!(inside("/debates/a?x=1"), "/debates/a?x=1");
    }
}
