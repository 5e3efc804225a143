//! A debate's page in pieces, in the order in which one who watches wants them.
use agon_core::{Position, Timestamp, TurnId};
use agon_proto::pb::v1::debate::State;
use agon_report::{LiveView, PagePart, PartKind, page_parts};
use agon_server::{Problem, WholeLog};
use askama::Template;
use std::sync::Arc;

/// The piece that says how far the debate is.
const STATUS: &str = "status";
/// The piece with the speeches that are being made.
const NOW: &str = "now";

/// What the page of a debate is made of.
#[derive(Clone, Debug)]
pub(crate) struct DrawnDebate {
    /// The last event that it shows.
    pub position: Position,
    /// Nothing will change any more.
    pub over: bool,
    /// Nobody plays it before it is resumed.
    pub halted: bool,
    /// Question and result.
    pub head: Arc<PagePart>,
    /// The list of sections.
    pub contents: Arc<PagePart>,
    /// The sections, in order.
    pub sections: Vec<Arc<PagePart>>,
}

impl DrawnDebate {
    /// All pieces.
    pub fn parts(&self) -> impl Iterator<Item = &Arc<PagePart>> {
        [&self.head, &self.contents].into_iter().chain(&self.sections)
    }
    /// The same pieces, with those as they were before that have not changed.
    pub fn sharing(mut self, before: &Self) -> Self {
        let all = [&mut self.head, &mut self.contents].into_iter().chain(&mut self.sections);
        for part in all {
            if let Some(same) = before.parts().find(|old| old == &part) {
                *part = Arc::clone(same);
            }
        }
        self
    }
}

/// What one sees who has watched from the beginning up to now.
pub(crate) fn view_of(log: &WholeLog) -> LiveView {
    let mut view = LiveView::new().with_prices(log.prices().clone());
    for (position, at, event) in log.shown_events() {
        view.lines(position, at, &event);
    }
    view
}

/// The page of a log. Of a debate that runs, what happens stands before what it has come to so far.
pub(crate) fn drawn(
    log: &WholeLog,
    view: &LiveView,
    now: u64,
    waits_for: Option<&str>,
) -> Result<DrawnDebate, Problem> {
    let internal = |error: &dyn std::fmt::Display| Problem::Internal(error.to_string());
    let minutes = log.minutes()?;
    let parts = page_parts(&minutes).map_err(|error| internal(&error))?;
    let over = log.debate().ended().is_some();
    let (mut head, mut contents, mut floor, mut about) = (None, None, Vec::new(), Vec::new());
    let mut whole = Vec::new();
    for part in parts.into_iter().map(Arc::new) {
        match part.kind {
            PartKind::Head => head = Some(part),
            PartKind::Contents => contents = Some(part),
            PartKind::Floor | PartKind::About if over => whole.push(part),
            PartKind::Floor => floor.push(part),
            PartKind::About => about.push(part),
        }
    }
    let sections = match over {
        true => whole,
        false => {
            let status = Arc::new(status(log, view, now, waits_for)?);
            // what a process was asked for that is gone is made by nobody
            let running = if log.is_left() { None } else { Some(Arc::new(running(view)?)) };
            [status].into_iter().chain(floor).chain(running).chain(about).collect()
        }
    };
    let missing = || Problem::Internal("a page without a head".to_owned());
    let position = log.debate().position();
    Ok(DrawnDebate {
        position,
        over,
        halted: log.debate().halt().is_some(),
        head: head.ok_or_else(missing)?,
        contents: contents.ok_or_else(missing)?,
        sections,
    })
}

/// How far the debate is: told every second.
#[derive(Template)]
#[template(path = "debate/status.html")]
struct StatusPart {
    state: &'static str,
    done: u64,
    planned: u64,
    lines: Vec<String>,
    turns: Vec<String>,
    waits_for: Option<String>,
}

/// The piece that says how far the debate is.
pub(super) fn status(log: &WholeLog, view: &LiveView, now: u64, waits_for: Option<&str>) -> Result<PagePart, Problem> {
    let resource = log.resource()?;
    let progress = resource.progress.unwrap_or_default();
    let halted = matches!(resource.state(), State::Paused | State::Interrupted);
    let (now, last) = (Timestamp(now), resource.update_time.as_ref().map(crate::words::millis).map(Timestamp));
    let told = |lines: Vec<agon_report::StyledLine>| lines.iter().map(|line| line.to_string()).collect();
    let part = StatusPart {
        state: crate::words::state(resource.state()),
        done: progress.calls_done,
        planned: progress.calls_planned.max(progress.calls_done).max(1),
        // its time stands still
        lines: told(view.summary(last.filter(|_| halted).unwrap_or(now))),
        turns: match (log.is_left(), halted && view.speaking().next().is_some()) {
            (true, _) => Vec::new(),
            (_, true) => vec!["What was asked already is answered, and counts once the debate is resumed.".to_owned()],
            (_, false) => told(view.turns(now)),
        },
        waits_for: waits_for.map(agon_report::one_line),
    };
    rendered(STATUS, &part)
}

/// A speech that is being made, without its words: those come piece by piece.
struct RunningSpeech {
    id: String,
    class: String,
    who: String,
    task: String,
    model: String,
}

#[derive(Template)]
#[template(path = "debate/now.html")]
struct RunningPart {
    speeches: Vec<RunningSpeech>,
}

/// The piece with the speeches that are being made.
pub(super) fn running(view: &LiveView) -> Result<PagePart, Problem> {
    let speech = |(turn, speaking): (TurnId, &agon_report::Speaking)| RunningSpeech {
        id: running_id(turn),
        class: class(view, &speaking.participant),
        who: agon_report::one_line(speaking.participant.as_str()),
        task: speaking.task.clone(),
        model: agon_report::one_line(speaking.model.as_str()),
    };
    rendered(NOW, &RunningPart { speeches: view.speaking().map(speech).collect() })
}

/// The place of the words of a turn that runs.
pub(super) fn running_id(turn: TurnId) -> String {
    format!("run-{}-{}-{}", turn.round, turn.seat, turn.attempt)
}

fn class(view: &LiveView, participant: &agon_core::ParticipantId) -> String {
    match view.style(participant) {
        agon_report::TextStyle::Speaker(at) => format!("s{}", at % 16),
        _ => "office".to_owned(),
    }
}

fn rendered(id: &str, template: &impl Template) -> Result<PagePart, Problem> {
    let html = template.render().map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(PagePart { id: id.to_owned(), kind: PartKind::Floor, html })
}
