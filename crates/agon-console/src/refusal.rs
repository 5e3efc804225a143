//! What a page says where there is none.
use crate::shell::{Shell, finish, html};
use crate::visitor::PageBrowser;
use agon_server::Problem;
use askama::Template;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};

/// A refusal of a page or of a piece of one.
#[derive(Debug)]
pub(crate) struct RefusedPage {
    problem: Problem,
    call: String,
    /// A script asked: it shows the words by itself.
    piece: bool,
    /// Where to come back to, for somebody who is not known.
    stranger: Option<String>,
}

impl RefusedPage {
    pub fn of(problem: Problem, browser: &PageBrowser) -> Self {
        Self { problem, call: browser.id.clone(), piece: browser.piece, stranger: None }
    }
    /// What a script shows of a request that was too large to be read.
    pub fn too_large(&self) -> Option<String> {
        let large = self.piece && matches!(self.problem, Problem::TooLarge { .. });
        large.then(|| told(&self.problem))
    }
    /// Sends the browser to the page where one signs in.
    pub fn sign_in(problem: Problem, browser: &PageBrowser) -> Self {
        Self { stranger: Some(browser.place.clone()), ..Self::of(problem, browser) }
    }
}

impl IntoResponse for RefusedPage {
    fn into_response(self) -> Response {
        let Self { problem, call, piece, stranger } = self;
        if let Some(place) = stranger {
            let query = form_urlencoded::Serializer::new(String::new()).append_pair("to", &place).finish();
            let address = HeaderValue::try_from(format!("/sign-in?{query}"));
            let address = address.unwrap_or_else(|_| HeaderValue::from_static("/sign-in"));
            let (status, name) = match piece {
                true => (StatusCode::UNAUTHORIZED, HeaderName::from_static("hx-redirect")),
                false => (StatusCode::SEE_OTHER, header::LOCATION),
            };
            return finish((status, [(name, address)]).into_response(), None);
        }
        match piece {
            true => finish((status(&problem), told(&problem)).into_response(), None),
            false => refuse(&problem, &call),
        }
    }
}

/// The page that says what is wrong.
#[derive(Template)]
#[template(path = "refusal.html")]
struct RefusalPage<'a> {
    shell: Shell,
    title: &'static str,
    problem: &'a Problem,
    call: &'a str,
}

impl RefusalPage<'_> {
    fn said(&self) -> String {
        agon_report::one_line(&self.problem.to_string())
    }
}

/// The page of a refusal, for whoever calls.
pub(crate) fn refuse(problem: &Problem, call: &str) -> Response {
    let shell = Shell::bare();
    let nonce = shell.nonce.clone();
    let page = RefusalPage { shell, title: title(problem), problem, call };
    let mut response = html(&page);
    *response.status_mut() = status(problem);
    finish(response, Some(&nonce))
}

/// Every mistake of a problem in words.
pub(crate) fn told(problem: &Problem) -> String {
    match problem {
        Problem::Invalid(all) => {
            all.iter().map(|one| format!("{}: {}", one.field, one.text)).collect::<Vec<_>>().join("; ")
        }
        problem => problem.to_string(),
    }
}

fn title(problem: &Problem) -> &'static str {
    match status(problem) {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => "Not now",
        status if status.is_client_error() => "This cannot be done",
        _ => "Something is broken",
    }
}

/// The HTTP status that says the same.
pub(crate) fn status(problem: &Problem) -> StatusCode {
    problem.http_status()
}
