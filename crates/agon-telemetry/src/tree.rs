//! A debate's own spans, from its log alone: the root, its acceptance, phases, rounds and tries.
//!
//! They are made when the debate has ended, by the process that wrote its end. So a coordinator that dies half-way loses
//! none, and none is doubled: whoever ends the debate has the whole log.
use crate::content::truncated;
use crate::context::{SpanPlace, TraceContext, span_id};
use crate::names::{BUS, TURNS, attribute, operation};
use crate::section::TraceSection;
use crate::span::{SpanDraft, word};
use crate::story::{Story, Try, TryEnd};
use agon_core::{Admission, DebateState, Record, Timestamp};
use opentelemetry::KeyValue;
use opentelemetry::trace::SpanKind;
use opentelemetry_sdk::trace::SpanData;
use std::sync::Arc;

/// So many bytes of the topic are told, where content is.
const TOPIC_LIMIT: usize = 1024;

/// The short span that makes a debate visible as soon as it is accepted.
pub(crate) fn accepted(admission: &Admission, at: Timestamp) -> SpanData {
    let id = &admission.id;
    SpanDraft::new("debate.accepted", TraceContext::of(id, SpanPlace::Accepted, true), at, at)
        .under(span_id(id, SpanPlace::Debate))
        .set(attribute::DEBATE, id.to_string())
        .set(attribute::CONVERSATION, id.to_string())
        .set(attribute::FORMAT, word(&admission.spec.debate_format))
        .set(attribute::PRIORITY, admission.priority.as_str())
        .done()
}

/// All spans of a debate that has ended; none where the log does not begin with its admission.
pub(crate) fn spans(log: &[Arc<Record>], content: bool) -> Vec<SpanData> {
    let Some(story) = Story::read(log) else { return Vec::new() };
    let sections = story.sections.iter().map(|section| self::section(&story, section));
    let tries = story.tries.values().map(|tried| self::tried(&story, tried));
    sections.chain(tries).chain([root(&story, content)]).collect()
}

fn root(story: &Story<'_>, content: bool) -> SpanData {
    let admission = story.admission;
    let format = word(&admission.spec.debate_format);
    let context = TraceContext::of(&admission.id, SpanPlace::Debate, true);
    let draft = SpanDraft::new(format!("{} {format}", operation::WORKFLOW), context, story.admitted, story.ended_at)
        .set(attribute::OPERATION, operation::WORKFLOW)
        .set(attribute::WORKFLOW, format)
        .set(attribute::CONVERSATION, admission.id.to_string())
        .set(attribute::DEBATE, admission.id.to_string())
        .set(attribute::TENANT, admission.id.tenant().to_string())
        .set(attribute::MODE, word(&admission.spec.mode))
        .set(attribute::PRIORITY, admission.priority.as_str())
        .set(attribute::REHEARSAL, admission.rehearsal)
        .count(attribute::DEBATERS, admission.spec.personas.len() as u64)
        .count(attribute::ROUNDS, story.rounds)
        .count(attribute::CLAIMS, story.claims)
        .maybe(attribute::STOP_RULE, story.stop_rule.map(|rule| word(&rule)))
        .maybe(attribute::TOPIC, content.then(|| truncated(&admission.spec.topic, TOPIC_LIMIT)));
    let draft = match story.consensus {
        Some(consensus) => draft
            .set(attribute::STRENGTH, word(&consensus.strength))
            .set(attribute::TOP_VOTES, i64::from(consensus.top))
            .set(attribute::ELIGIBLE, i64::from(consensus.eligible)),
        None => draft,
    };
    let submitted = admission.submitted_by.as_deref().and_then(TraceContext::parse);
    let draft = match submitted.filter(|by| by.trace_id() != context.trace_id()) {
        Some(by) => draft.link(&by),
        None => draft,
    };
    let draft = story.standstills.debate.iter().fold(draft, |draft, standstill| standstill.tell(draft));
    ended(draft, story).done()
}

fn ended(draft: SpanDraft, story: &Story<'_>) -> SpanDraft {
    let Some(end) = &story.end else { return draft };
    let reason = end.reason.map(|reason| word(&reason.code));
    let known = end.usage.calls > end.usage.unknown_calls || end.usage.tokens() > 0;
    let draft = draft
        .set(attribute::STATE, word(&end.state))
        .maybe(attribute::OUTCOME, end.outcome.map(|outcome| word(&outcome)))
        .maybe(attribute::REASON, reason.clone())
        .count(attribute::MISSING, end.missing_seats as u64)
        .set(attribute::CALLS, i64::from(end.usage.calls))
        .set(attribute::UNKNOWN_CALLS, i64::from(end.usage.unknown_calls))
        .maybe_count(attribute::INPUT_TOKENS, known.then_some(end.usage.prompt_tokens))
        .maybe_count(attribute::CACHED_TOKENS, end.usage.cached_tokens.filter(|_| known))
        .maybe_count(attribute::OUTPUT_TOKENS, known.then_some(end.usage.completion_tokens));
    match end.state {
        DebateState::Failed => draft.failed(reason.unwrap_or_else(|| "failed".to_owned()), None),
        DebateState::Succeeded | DebateState::Cancelled => draft,
    }
}

fn section(story: &Story<'_>, section: &TraceSection<'_>) -> SpanData {
    let id = &story.admission.id;
    let draft = SpanDraft::new(section.name(), TraceContext::of(id, section.place, true), section.from, section.to)
        .under(span_id(id, SpanPlace::Debate))
        .set(attribute::CONVERSATION, id.to_string())
        .set(attribute::PHASE, section.phase)
        .count(attribute::TURNS, section.turns)
        .count(attribute::FAILURES, section.failures);
    let draft = match section.place {
        SpanPlace::Round(round) => draft.set(attribute::ROUND, i64::from(round)),
        SpanPlace::Debate | SpanPlace::Accepted | SpanPlace::Phase(_) | SpanPlace::Turn(_) => draft,
    };
    let draft = match section.measures {
        Some(measures) => draft
            .maybe(attribute::AGREEMENT, measures.agreement)
            .maybe(attribute::STABILITY, measures.stability)
            .set(attribute::MEASURED_BY, word(&measures.method)),
        None => draft,
    };
    let draft = section.stages.iter().fold(draft, |draft, stage| {
        let step = KeyValue::new(attribute::STEP, stage.step.as_str());
        let seats = KeyValue::new(attribute::SEATS, i64::try_from(stage.seats).unwrap_or(i64::MAX));
        draft.event("debate.stage", stage.at, vec![step, seats, KeyValue::new(attribute::PARALLEL, stage.parallel)])
    });
    match section.is_decision() {
        true => draft
            .set(attribute::METHOD, word(&story.admission.spec.consensus_strategy))
            .maybe(attribute::OUTCOME, story.outcome.map(|outcome| word(&outcome)))
            .done(),
        false => draft.done(),
    }
}

/// A try as the coordinator saw it, from asking to its result: it tells even of a host that died.
fn tried(story: &Story<'_>, tried: &Try<'_>) -> SpanData {
    let (id, ask) = (&story.admission.id, tried.ask);
    let context = TraceContext::of(id, SpanPlace::Turn(ask.turn), true);
    let to = tried.ended.map_or(story.ended_at, |(at, _)| at);
    let draft = SpanDraft::new(format!("send {TURNS}"), context, tried.asked, to)
        .kind(SpanKind::Producer)
        .under(span_id(id, tried.parent))
        .set(attribute::CONVERSATION, id.to_string())
        .set(attribute::MESSAGING_SYSTEM, BUS)
        .set(attribute::MESSAGING_OPERATION, "send")
        .set(attribute::MESSAGING_TYPE, "send")
        .set(attribute::DESTINATION, TURNS)
        .set(attribute::MESSAGE_ID, ask.turn.to_string())
        .set(attribute::TURN, ask.turn.to_string())
        .set(attribute::ATTEMPT, i64::from(ask.turn.attempt))
        .set(attribute::TASK, ask.task.work.traits().name)
        .maybe(attribute::TASK_KIND, ask.task.work.traits().sort)
        .maybe(attribute::CUT, tried.cut.then_some(true))
        .set(attribute::AGENT, ask.participant.to_string())
        .set(attribute::REQUEST_MODEL, ask.model.to_string());
    let stood = story.standstills.turns.get(&ask.turn).into_iter().flatten();
    let draft = stood.fold(draft, |draft, standstill| standstill.tell(draft));
    match tried.ended.map(|(_, end)| end) {
        Some(TryEnd::Answered) => draft.done(),
        Some(TryEnd::Failed { cause, retried }) => {
            draft.set(attribute::RETRIED, retried).failed(cause.as_str().to_owned(), None).done()
        }
        None => draft.set(attribute::WITHDRAWN, true).done(),
    }
}
