//! A new debate: a form for most of them, an editor for all, and what they would take while they are written.
mod debate_form;
mod draft;
mod findings;
mod form_words;
mod offer;
mod plan;
mod starts;

use crate::form::Fields;
use crate::query::Query;
use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, finish, go_to, page, piece};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_core::{DebateFormat, DebateSpec, Priority};
use agon_proto::pb::v1 as pb;
use agon_report::one_line;
use agon_server::{Problem, Scope};
use agon_spec::normalize;
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use debate_form::{DebateForm, MOST_DEBATERS};
use draft::{DebateDraft, DebateInTheMaking};
use findings::{Findings, check};
pub(crate) use form_words::label;
use http::StatusCode;
use offer::Offer;
use starts::StartKind;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "new/page.html")]
struct NewPage {
    shell: Shell,
    debate: DebateInTheMaking,
    offer: Offer,
    findings: Findings,
    /// Mistakes stand at their fields, too.
    at_fields: bool,
    /// The control where the cursor is to be.
    focus: Option<String>,
    /// What became of the last order.
    notice: Option<Notice>,
}

/// What a page says at its top.
enum Notice {
    /// The file has errors.
    WrongFile,
    /// The form has no room for these keys of the file.
    NoForm(Vec<String>),
    /// This page has begun a debate already.
    Begun(String),
}

#[derive(Template)]
#[template(path = "new/findings.html")]
struct FindingsPiece {
    findings: Findings,
}

impl NewPage {
    /// What is wrong at a control, where it is to be shown there.
    fn wrong_at<'p>(&'p self, control: &'p str) -> Vec<&'p str> {
        let all = self.findings.at(control).filter(|finding| self.at_fields && finding.severity == "error");
        all.map(|finding| finding.message.as_str()).collect()
    }
    /// Whether the cursor is to be here.
    fn is_first(&self, control: &str) -> bool {
        self.focus.as_deref() == Some(control)
    }
    /// What is folded up has something to show.
    fn shows_more(&self, form: &DebateForm) -> bool {
        const FOLDED: [&str; 7] = ["options", "judges", "judge_model", "rule", "timeout", "tokens", "seconds"];
        form.has_more() || FOLDED.iter().any(|control| !self.wrong_at(control).is_empty())
    }
}

/// A message in parts: what stands in backticks is code.
fn words(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let even = text.matches('`').count().is_multiple_of(2);
    let parts = text.split(if even { '`' } else { '\n' });
    parts.enumerate().map(|(at, part)| (!at.is_multiple_of(2), part)).filter(|(_, part)| !part.is_empty())
}

/// `GET /new`
pub(crate) async fn show(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    query: RawQuery,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    visitor.require(Scope::DebatesWrite)?;
    let query = Query::read(query);
    let offer = Offer::of(&site, &visitor).await;
    let debate = match (query.filled("from"), query.filled("with")) {
        (Some(id), _) => again(&site, &visitor, id).await.map_err(refused)?,
        (None, Some("file")) => DebateInTheMaking::file(query.filled("start"), offer.suggests_rehearsal()),
        (None, Some(_) | None) => {
            let own = site.api().defaults(false).model.unwrap_or_default();
            DebateInTheMaking::form(offer.model_instead_of(&own), offer.suggests_rehearsal())
        }
    };
    let findings = first_check(&site, &visitor, &debate).await.map_err(refused)?;
    let shell = Shell::of(&visitor, NavPlace::New);
    let shown = NewPage { shell: shell.clone(), debate, offer, findings, at_fields: false, focus: None, notice: None };
    Ok(page(&visitor, &shell, &shown))
}

async fn again(site: &ConsoleSite, visitor: &PageVisitor, id: &str) -> Result<DebateInTheMaking, Problem> {
    let request = pb::GetDebateRequest { name: id.to_owned(), view: pb::DebateView::Full.into() };
    let debate = site.api().get(&visitor.call, &request).await?;
    let spec = debate.spec.clone().ok_or_else(|| Problem::Lost(debate.id.clone()))?;
    let spec = DebateSpec::try_from(spec).map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(DebateInTheMaking::again(&debate, &spec))
}

/// The findings before anything is ordered: nobody is told of mistakes who has not begun to write.
async fn first_check(
    site: &ConsoleSite,
    visitor: &PageVisitor,
    debate: &DebateInTheMaking,
) -> Result<Findings, Problem> {
    if debate.draft.is_blank() { Ok(Findings::default()) } else { check(site, visitor, debate).await }
}

/// `POST /new/check`
pub(crate) async fn check_piece(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    fields: Result<Fields, RefusedPage>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    visitor.require(Scope::DebatesWrite)?;
    let fields = match fields {
        Ok(fields) => fields,
        Err(refusal) => return too_large(refusal),
    };
    let findings = first_check(&site, &visitor, &DebateInTheMaking::read(&fields)).await.map_err(refused)?;
    Ok(piece(&FindingsPiece { findings }))
}

/// What was too large to be read is a finding, where a script can show it.
fn too_large(refusal: RefusedPage) -> Result<Response, RefusedPage> {
    let Some(text) = refusal.too_large() else { return Err(refusal) };
    let mut response = piece(&FindingsPiece { findings: Findings::only(text) });
    for name in ["hx-retarget", "hx-reselect"] {
        response.headers_mut().insert(name, http::HeaderValue::from_static("#findings"));
    }
    Ok(response)
}

/// `POST /new`: submits, or draws the page anew with what was ordered of it.
pub(crate) async fn submit(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    fields: Result<Fields, RefusedPage>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    visitor.require(Scope::DebatesWrite)?;
    let fields = match fields {
        Ok(fields) => fields,
        Err(refusal) => return too_large(refusal),
    };
    let debate = DebateInTheMaking::read(&fields);
    let order = fields.text("do");
    let shown = match order {
        "file" => drawn(&site, &visitor, debate.into_file()).await,
        "form" => to_form(&site, &visitor, debate).await,
        "check" => drawn(&site, &visitor, debate).await,
        _ if order == "add" || order.starts_with("remove-") => {
            let focus = debate.draft.focus_after(order);
            drawn(&site, &visitor, debate).await.map(|shown| NewPage { at_fields: false, focus, ..shown })
        }
        _ => return begin(&site, &visitor, debate).await.map_err(refused),
    };
    let shown = shown.map_err(refused)?;
    Ok(page(&visitor, &shown.shell.clone(), &shown))
}

async fn drawn(site: &ConsoleSite, visitor: &PageVisitor, debate: DebateInTheMaking) -> Result<NewPage, Problem> {
    let offer = Offer::of(site, visitor).await;
    let findings = check(site, visitor, &debate).await?;
    let focus = findings.first().map(str::to_owned);
    let shell = Shell::of(visitor, NavPlace::New);
    Ok(NewPage { shell, debate, offer, findings, at_fields: true, focus, notice: None })
}

/// The same debate as a form, where a form can say all of it.
async fn to_form(site: &ConsoleSite, visitor: &PageVisitor, debate: DebateInTheMaking) -> Result<NewPage, Problem> {
    let defaults = site.api().defaults(debate.envelope.rehearsal);
    let source = debate.draft.source();
    let form = tokio::task::spawn_blocking(move || {
        let Some(spec) = agon_spec::parse(&source, &defaults).spec else { return Err(Notice::WrongFile) };
        let form = DebateDraft::Form(Box::new(DebateForm::of(&spec)));
        match agon_spec::parse(&form.source(), &defaults).spec {
            Some(same) if same == spec => Ok(form),
            other => Err(Notice::NoForm(
                other.map_or_else(Vec::new, |other| differing_keys(&normalize(&spec), &normalize(&other))),
            )),
        }
    });
    match form.await.map_err(|error| Problem::Internal(format!("the file was not read: {error}")))? {
        Ok(draft) => drawn(site, visitor, DebateInTheMaking { draft, ..debate }).await,
        Err(notice) => Ok(NewPage { notice: Some(notice), ..drawn(site, visitor, debate).await? }),
    }
}

/// The keys at the top of two normalized files that do not have the same value.
fn differing_keys(first: &str, second: &str) -> Vec<String> {
    let (first, second) = (blocks(first), blocks(second));
    let keys = first.keys().chain(second.keys().filter(|key| !first.contains_key(*key)));
    keys.filter(|key| first.get(*key) != second.get(*key)).map(|key| one_line(key)).collect()
}

/// Each key at the top of a normalized file, with its lines.
fn blocks(file: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut blocks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut key = "";
    for line in file.lines() {
        if !line.is_empty() && !line.starts_with(' ') {
            key = line.split(':').next().unwrap_or_default();
        }
        blocks.entry(key).or_default().push(line);
    }
    blocks
}

async fn begin(site: &ConsoleSite, visitor: &PageVisitor, debate: DebateInTheMaking) -> Result<Response, Problem> {
    let problem = match site.api().create(&visitor.call, &debate.request(false)).await {
        Ok(begun) => return Ok(go_on(visitor, &format!("/debates/{}", begun.id))),
        Err(problem) => problem,
    };
    let mut shown = drawn(site, visitor, debate).await?;
    match &problem {
        // somebody came back to the page of a debate that runs already
        Problem::RequestIdConflict { debate: first, .. } => {
            shown.debate.envelope.request_id = crate::session::random_text();
            shown.notice = Some(Notice::Begun(first.clone()));
        }
        problem => shown.findings = shown.findings.refused(problem, &shown.debate.draft),
    }
    let mut response = page(visitor, &shown.shell.clone(), &shown);
    // a script shows what is wrong as it shows everything else
    if !visitor.browser.piece {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}

/// Sends the browser on, also where a script asked: it would only read what the address leads to.
fn go_on(visitor: &PageVisitor, address: &str) -> Response {
    match visitor.browser.piece {
        true => finish(([("hx-redirect", address)]).into_response(), None),
        false => go_to(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_are_named_once_each() {
        let file = "topic: a\nbudget:\n  tokens: 5\n  seconds: 6\nrounds: 2\n";
        assert_eq!(differing_keys(file, file), [""; 0]);
        let other = "topic: a\nbudget:\n  tokens: 6\n  seconds: 7\noutputs: [html]\nrounds: 2\n";
        assert_eq!(differing_keys(file, other), ["budget", "outputs"]);
    }

    #[test]
    fn what_stands_in_backticks_is_code() {
        assert_eq!(words("the key `a` is").collect::<Vec<_>>(), [(false, "the key "), (true, "a"), (false, " is")]);
        assert_eq!(words("an odd `one").collect::<Vec<_>>(), [(false, "an odd `one")]);
    }
}
