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
use axum::response::Response;
use http::{StatusCode, header};

/// The page where one signs in.
#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    shell: Shell,
    /// Where to go then.
    to: String,
    /// What was wrong.
    wrong: Option<String>,
    /// Whether codes are printed by the program.
    codes: bool,
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
pub(crate) async fn ask(State(site): State<ConsoleSite>, browser: PageBrowser, query: RawQuery) -> Response {
    let query = Query::read(query);
    let to = inside(query.filled("to").unwrap_or("/"));
    if let (Some(codes), Some(code)) = (&site.config().codes, query.filled("code")) {
        return match codes.redeem(code) {
            Some(token) => welcome(&browser, &token, to),
            // somebody who has come in by it before, and follows it again
            None if browser.signed_in => go_to(&to),
            None => sign_in_page(
                &site,
                &browser,
                to,
                Some("this link was used already; the program has printed another one"),
            ),
        };
    }
    sign_in_page(&site, &browser, to, None)
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
        return again("a token is needed");
    }
    if token.len() > MOST_TOKEN {
        return again("the token is too long for a browser to keep: 2500 bytes at most");
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
    let codes = site.config().codes.is_some();
    let mut response = html(&SignInPage { shell, to, wrong: wrong.map(str::to_owned), codes });
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
    use super::inside;

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
