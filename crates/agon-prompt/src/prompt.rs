//! One ask as the messages and options of a model call.
use crate::head::sees_nobody;
use crate::judge::{self, JudgePreamble};
use crate::tail;
use crate::view::{View, VisibleEntries};
use agon_core::fence::{Author, FenceKind, Mark, Part, PromptText, Written};
use agon_core::seed::sampling_seed;
use agon_core::{
    Ask, Audience, CallOptions, Fit, Moderator, ParticipantId, Persona, Position, Role, Summarizer, Task, Voice, Work,
};
use serde_json::Value;
use std::sync::Arc;

/// What a model is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The messages, first to last.
    pub messages: Vec<PromptMessage>,
    /// JSON Schema of the answer; absent for a speech.
    pub schema: Option<Arc<Value>>,
    /// The tools that may be used on the way to the answer, by the names that the author gave.
    pub tools: Vec<String>,
    /// The random mark of this turn, in the lines around what tools find.
    pub mark: Mark,
    /// How the answer is sampled, with a limit and a seed.
    pub options: CallOptions,
    /// Tokens that prompt and answer must fit into, where that is less than what the host gives the model.
    pub context_limit: Option<u32>,
    /// About how many tokens the messages have: characters / 3.5.
    pub estimated_tokens: u64,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptMessage {
    /// From whom.
    pub role: PromptRole,
    /// What.
    pub text: PromptText,
}

/// From whom a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptRole {
    /// The rules.
    System,
    /// The one who asks.
    User,
    /// The model itself.
    Assistant,
}

/// Why there is no prompt for an ask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// The debate has no such participant.
    #[error("the debate has no participant {0}")]
    UnknownParticipant(ParticipantId),
    /// The task is not one for this participant's role.
    #[error("the task is not one for {0}")]
    WrongRole(ParticipantId),
    /// The task is measured and not asked: see [`View::gauge`].
    #[error("similarity is measured, no model is asked for it")]
    NoPrompt,
    /// The view has not taken in all that the speaker may see.
    #[error("the view stands at event {}, the ask needs {}", .view.0, .needed.0)]
    Behind {
        /// Where the view stands.
        view: Position,
        /// What the ask needs.
        needed: Position,
    },
}

/// What `ask` says to its model, shown nothing that happened after `ask.sees`.
pub fn prompt(view: &View, ask: &Ask) -> Result<Prompt, PromptError> {
    prompt_within(view, ask, None)
}

/// The same, asking for no more than what fits into the turn at the model's speed.
pub fn prompt_within(view: &View, ask: &Ask, fit: Option<Fit>) -> Result<Prompt, PromptError> {
    if view.position() < ask.sees {
        return Err(PromptError::Behind { view: view.position(), needed: ask.sees });
    }
    if let Some((masked, ask)) = view.masked(ask) {
        return prompt_within(masked, &ask, fit);
    }
    if ask.task.work == Work::Measure {
        return Err(PromptError::NoPrompt);
    }
    let role = view.spec.role(&ask.participant);
    let role = role.ok_or_else(|| PromptError::UnknownParticipant(ask.participant.clone()))?;
    let wrong_role = || PromptError::WrongRole(ask.participant.clone());
    let voice = role.voice().ok_or_else(wrong_role)?;
    let fit = fit.filter(|fit| fit.max_tokens < voice.max_tokens);
    let (persona, moderator, summarizer);
    let role = match (role, fit) {
        (Role::Debater(index, own), Some(fit)) => {
            persona = Persona { voice: fit.of(&own.voice), ..own.clone() };
            Role::Debater(index, &persona)
        }
        (Role::Moderator(own), Some(fit)) => {
            moderator = Moderator { voice: fit.of(&own.voice), ..own.clone() };
            Role::Moderator(&moderator)
        }
        (Role::Summarizer(own), Some(fit)) => {
            summarizer = Summarizer { voice: fit.of(&own.voice), ..own.clone() };
            Role::Summarizer(&summarizer)
        }
        // these are told no length
        (role @ (Role::Judge(..) | Role::Synthesizer(_) | Role::Embedder(_)), _) | (role, None) => role,
    };
    let tools = if ask.task.work.traits().tools { role.tools() } else { &[] };
    let (system, (user, chars)) = laid_out(view, ask, role, !tools.is_empty()).ok_or_else(wrong_role)?;
    Ok(Prompt {
        messages: messages(system, user),
        schema: view.schema(ask),
        tools: tools.to_vec(),
        mark: tail::mark(view, ask),
        options: options(view, ask, voice, fit),
        context_limit: voice.num_ctx,
        estimated_tokens: estimated_tokens(system, chars),
    })
}

fn messages(system: &PromptText, user: Written) -> Vec<PromptMessage> {
    vec![
        PromptMessage { role: PromptRole::System, text: system.clone() },
        PromptMessage { role: PromptRole::User, text: user.finished() },
    ]
}

/// About how many tokens the system message and so many characters have.
fn estimated_tokens(system: &PromptText, chars: usize) -> u64 {
    let chars = chars.saturating_add(system.chars().count()) as u64;
    chars.saturating_mul(2) / 7
}

/// What the prompts of whoever speaks next begin with, as this speaker sees it, for an answer of one token: its model reads that while others
/// speak. Nothing before somebody was heard and after the rounds, where there are none, and for whoever reads a transcript of its own.
pub fn read_ahead(view: &View, last: &Ask) -> Option<Prompt> {
    let ask = &Ask { sees: view.asked()?, ..last.clone() };
    if view.entries(ask.sees).is_empty() {
        return None;
    }
    if let Some((masked, ask)) = view.masked(ask) {
        return read_ahead(masked, &ask);
    }
    let (role, work) = (view.spec.role(&ask.participant)?, &ask.task.work);
    let traits = work.traits();
    let shares = match (role, traits.audience) {
        (Role::Moderator(_), Audience::Moderator) => true,
        (Role::Debater(..), Audience::Debaters | Audience::Voters) => *work != Work::ScoreDebaters,
        (_, _) => false,
    };
    // servers write functions before everything else
    let functions = traits.tools && !role.tools().is_empty();
    if !shares || functions || view.spec.is_poll() {
        return None;
    }
    let voice = role.voice()?;
    let (system, seen) = (&view.heads.debate, view.seen_by(&VisibleEntries::of(view, ask), ask.sees));
    let mut user = Written::default();
    user.push(seen.text());
    Some(Prompt {
        messages: messages(system, user),
        schema: None,
        tools: Vec::new(),
        mark: tail::mark(view, ask),
        options: CallOptions { max_tokens: Some(1), ..options(view, ask, voice, None) },
        context_limit: voice.num_ctx,
        estimated_tokens: estimated_tokens(system, seen.chars),
    })
}

/// The system message, and the user message with its number of characters; none where the task is not one for the role.
fn laid_out<'a>(
    view: &'a View,
    ask: &Ask,
    role: Role<'a>,
    with_tools: bool,
) -> Option<(&'a PromptText, (Written, usize))> {
    let (heads, marks) = (&view.heads, &view.marks);
    let judged = |bench: JudgePreamble<'_>, tail: &Written| {
        let user = judge::message(view, ask, &bench, tail);
        let chars = Part::from(&user).chars();
        (user, chars)
    };
    let served = |sight: VisibleEntries, mark: &Mark, tail: &Written| {
        let user = closed((&view.staff_sees(&sight, ask.sees, mark)).into(), mark, tail);
        let chars = Part::from(&user).chars();
        (user, chars)
    };
    let Task { work, .. } = &ask.task;
    let traits = work.traits();
    match (role, traits.audience) {
        (Role::Judge(_, judge), Audience::Judges | Audience::Voters) => {
            let order = traits.order.unwrap_or(0);
            let unnamed = *work == Work::ScoreDebaters;
            let tail = tail::judge(view, ask, judge);
            Some((&heads.judge, judged(JudgePreamble { order, unnamed, mark: &marks.judge }, &tail)))
        }
        (Role::Moderator(moderator), Audience::Moderator) => {
            let tools = Author::all(moderator, |moderator| &moderator.tools);
            let tail = tail::moderator(view, ask, (moderator, if with_tools { &tools } else { &[] }));
            Some((&heads.debate, after_transcript(view, ask, &tail)))
        }
        (Role::Debater(_, persona), Audience::Debaters | Audience::Voters) => {
            let tools = Author::all(persona, |persona| &persona.tools);
            let tail = tail::debater(view, ask, (persona, if with_tools { &tools } else { &[] }));
            let user = for_debater(view, ask, tail);
            Some((&heads.debate, user))
        }
        (Role::Summarizer(summarizer), Audience::Summarizer) => {
            let sight = VisibleEntries::since_last_summary(view, ask.sees);
            let tail = tail::summarizer(view, ask, summarizer);
            Some((&heads.summarizer, served(sight, &marks.summarizer, &tail)))
        }
        (Role::Synthesizer(synthesizer), Audience::Synthesizer) => {
            let total = view.entries(ask.sees).len();
            let sight = VisibleEntries { summary: None, shown: (0..total).collect(), total };
            let tail = tail::synthesizer(view, ask, synthesizer);
            Some((&heads.synthesizer, served(sight, &marks.synthesizer, &tail)))
        }
        (_, _) => None,
    }
}

/// What a debater reads after the system message, and how many characters that is.
fn for_debater(view: &View, ask: &Ask, tail: Written) -> (Written, usize) {
    let work = &ask.task.work;
    let user = if sees_nobody(&view.spec, work) {
        tail
    } else if *work == Work::ScoreDebaters {
        judge::message(view, ask, &JudgePreamble { order: 0, unnamed: true, mark: &view.marks.debate }, &tail)
    } else {
        return after_transcript(view, ask, &Written::joined([tail::found(view, ask), tail], ""));
    };
    let chars = Part::from(&user).chars();
    (user, chars)
}

/// What the speaker sees, the line that closes the transcript, and the tail; and how many characters that is.
fn after_transcript(view: &View, ask: &Ask, tail: &Written) -> (Written, usize) {
    let seen = view.seen_by(&VisibleEntries::of(view, ask), ask.sees);
    let mark = &view.marks.debate;
    let closing = Part::from(FenceKind::Transcript.end(mark)).chars() + 2;
    (closed(seen.text(), mark, tail), seen.chars + closing + Part::from(tail).chars())
}

fn closed(shown: Part<'_>, mark: &Mark, tail: &Written) -> Written {
    let mut text = Written::default();
    text.push(shown);
    text.push(FenceKind::Transcript.end(mark));
    text.push("\n\n");
    text.push(tail);
    text
}

fn options(view: &View, ask: &Ask, voice: &Voice, fit: Option<Fit>) -> CallOptions {
    CallOptions {
        temperature: voice.temperature,
        top_p: voice.top_p,
        presence_penalty: voice.presence_penalty,
        max_tokens: Some(fit.map_or(voice.max_tokens, |fit| fit.max_tokens)),
        tokens_per_second: fit.map(|fit| fit.tokens_per_second),
        seed: Some(sampling_seed(view.seed, ask.turn)),
        think: voice.think,
    }
}
