//! One debate: its page, and what can be ordered of it.
use crate::form::Fields;
use crate::live::{self, DrawnDebate};
use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, file, go_to, page};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use crate::words;
use agon_proto::pb::v1 as pb;
use agon_report::one_line;
use agon_server::{EVAL_LABEL, Problem, Scope};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use pb::ExportFormat;

/// What can be done with a debate in its state.
struct DebateOrders {
    cancel: bool,
    pause: bool,
    resume: bool,
    delete: bool,
    rejudge: bool,
    again: bool,
}

impl DebateOrders {
    fn of(debate: &pb::Debate, shell: &Shell) -> Self {
        use pb::debate::State;
        let may = shell.may_write;
        // its eval pauses and resumes it otherwise
        let own = !debate.labels.contains_key(EVAL_LABEL);
        let ended = matches!(debate.state(), State::Succeeded | State::Failed | State::Cancelled);
        Self {
            cancel: may && words::is_open(debate.state()) && debate.state() != State::Cancelling,
            pause: may && own && matches!(debate.state(), State::Queued | State::Running),
            resume: may && own && matches!(debate.state(), State::Paused | State::Interrupted),
            delete: may && (ended || debate.state() == State::Lost),
            rejudge: may && ended,
            again: may && debate.state() != State::Lost,
        }
    }
}

#[derive(Template)]
#[template(path = "debate/page.html")]
struct DebatePage {
    shell: Shell,
    id: String,
    topic: String,
    rehearsal: bool,
    drawn: DrawnDebate,
    orders: DebateOrders,
    /// Where its trace can be looked at.
    trace: Option<String>,
    /// The debate whose speeches it judges again.
    old: Option<OtherJudgement>,
    /// The debates that judge it again, newest first.
    new: Vec<OtherJudgement>,
}

/// Another judgement of the same speeches.
struct OtherJudgement {
    id: String,
    /// What it came to, and when; nothing where that is not known.
    came_to: Option<(String, String)>,
    /// It is not kept any more.
    gone: bool,
}

impl OtherJudgement {
    fn of(debate: &pb::Debate) -> Self {
        let at = debate.end_time.as_ref().or(debate.update_time.as_ref());
        let at = at.map(|at| words::moment(words::millis(at))).unwrap_or_default();
        Self { id: debate.id.clone(), came_to: Some((words::came_to(debate), at)), gone: false }
    }

    /// The debate that this one judges again.
    async fn before(site: &ConsoleSite, visitor: &PageVisitor, debate: &pb::Debate) -> Option<Self> {
        let old = debate.rejudges.clone()?;
        let request = pb::GetDebateRequest { name: old.clone(), view: pb::DebateView::Basic.into() };
        Some(match site.api().get(&visitor.call, &request).await {
            Ok(known) => Self::of(&known),
            Err(problem) => {
                let gone = matches!(problem, Problem::NoDebate(_) | Problem::DebateDeleted(_));
                Self { id: old, came_to: None, gone }
            }
        })
    }
}

/// `GET /debates/{id}`
pub(crate) async fn show(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    // many may come at once: what one has drawn is there for all
    let (log, drawn) = site.hubs().of(&visitor.call, &name).await.map_err(refused)?.now();
    let log = site.api().grown(&visitor.call, &log).await.map_err(refused)?;
    let shell = Shell::of(&visitor, NavPlace::Debates);
    let resource = log.resource().map_err(refused)?;
    let drawn = match log.debate().position() == drawn.position {
        true => drawn,
        false => live::drawn_whole(log).await.map_err(refused)?,
    };
    let again = site.api().rejudgements(&visitor.call, std::slice::from_ref(&resource)).await.unwrap_or_default();
    let shown = DebatePage {
        id: resource.id.clone(),
        topic: one_line(&resource.topic),
        rehearsal: resource.rehearsal,
        drawn,
        orders: DebateOrders::of(&resource, &shell),
        trace: trace(&site, &resource.trace_id),
        old: OtherJudgement::before(&site, &visitor, &resource).await,
        new: again.iter().map(OtherJudgement::of).collect(),
        shell: shell.clone(),
    };
    Ok(page(&visitor, &shell, &shown))
}

/// The address of a trace, where the settings say how one is made.
fn trace(site: &ConsoleSite, trace_id: &str) -> Option<String> {
    Some(site.config().trace_url.as_ref()?.replace("{trace_id}", trace_id))
}

/// `GET /debates/{id}/report.md` and the other documents.
pub(crate) async fn document(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path((name, document)): Path<(String, String)>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    let format = match document.as_str() {
        "report.md" => ExportFormat::Markdown,
        "report.json" => ExportFormat::Json,
        "report.html" => ExportFormat::Html,
        "log.jsonl" => ExportFormat::Events,
        _ => return Err(refused(Problem::NoRoute)),
    };
    let request = pb::ExportDebateRequest { name, format: format.into() };
    let export = site.api().export(&visitor.call, &request).await.map_err(refused)?;
    Ok(file(export.content, &export.media_type, &export.file_name))
}

/// A question before something that cannot be taken back.
#[derive(Template)]
#[template(path = "debate/ask.html")]
struct AskPage {
    shell: Shell,
    id: String,
    topic: String,
    order: DebateOrder,
}

/// What is asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DebateOrder {
    Cancel,
    Delete,
    Rejudge,
}

impl DebateOrder {
    fn path(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Delete => "delete",
            Self::Rejudge => "rejudge",
        }
    }
}

async fn ask(
    site: ConsoleSite,
    visitor: PageVisitor,
    name: String,
    order: DebateOrder,
) -> Result<Response, RefusedPage> {
    visitor.require(Scope::DebatesWrite)?;
    let request = pb::GetDebateRequest { name, view: pb::DebateView::Basic.into() };
    let debate =
        site.api().get(&visitor.call, &request).await.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    let shell = Shell::of(&visitor, NavPlace::Debates);
    let shown = AskPage { shell: shell.clone(), id: debate.id.clone(), topic: one_line(&debate.topic), order };
    Ok(page(&visitor, &shell, &shown))
}

/// `GET /debates/{id}/cancel`
pub(crate) async fn ask_cancel(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    ask(site, visitor, name, DebateOrder::Cancel).await
}

/// `GET /debates/{id}/delete`
pub(crate) async fn ask_delete(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    ask(site, visitor, name, DebateOrder::Delete).await
}

/// `GET /debates/{id}/rejudge`
pub(crate) async fn ask_rejudge(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    ask(site, visitor, name, DebateOrder::Rejudge).await
}

/// `POST /debates/{id}/cancel`
pub(crate) async fn cancel(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, RefusedPage> {
    let reason = fields.filled("reason").unwrap_or_else(|| "cancelled in the browser".to_owned());
    let request = pb::CancelDebateRequest { name: name.clone(), reason };
    site.api().cancel(&visitor.call, &request).await.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to(&place(&name)))
}

/// `POST /debates/{id}/pause`
pub(crate) async fn pause(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    _fields: Fields,
) -> Result<Response, RefusedPage> {
    let request = pb::PauseDebateRequest { name: name.clone(), reason: "paused in the browser".to_owned() };
    site.api().pause(&visitor.call, &request).await.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to(&place(&name)))
}

/// `POST /debates/{id}/resume`
pub(crate) async fn resume(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    _fields: Fields,
) -> Result<Response, RefusedPage> {
    let request = pb::ResumeDebateRequest { name: name.clone() };
    site.api().resume(&visitor.call, &request).await.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to(&place(&name)))
}

/// `POST /debates/{id}/delete`
pub(crate) async fn delete(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    _fields: Fields,
) -> Result<Response, RefusedPage> {
    let request = pb::DeleteDebateRequest { name };
    site.api().delete(&visitor.call, &request).await.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to("/"))
}

/// `POST /debates/{id}/rejudge`
pub(crate) async fn rejudge(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, RefusedPage> {
    let judge_model = fields.filled("judge_model");
    let request_id = fields.filled("request_id");
    let request = pb::RejudgeDebateRequest { name, judge_model, request_id, debate_id: None };
    let judged = site.api().rejudge(&visitor.call, &request).await;
    let judged = judged.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to(&place(&judged.id)))
}

/// The page of a debate. Ids have letters, digits and dashes alone; whatever else somebody types leads nowhere.
fn place(id: &str) -> String {
    let plain: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("/debates/{plain}")
}
