//! One ask as the messages and options of a model call.
use crate::view::View;
use crate::{judge, tail};
use agon_core::fence::transcript_end;
use agon_core::seed::sampling_seed;
use agon_core::{Ask, BallotStage, ParticipantId, Position, Role, Task, Think, Voice};
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
    /// The debate's own random mark, in the lines around what others said and what tools found.
    pub marker: Arc<str>,
    /// How the answer is sampled.
    pub sampling: Sampling,
    /// About how many tokens the messages have: characters / 3.5.
    pub estimated_tokens: u64,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptMessage {
    /// From whom.
    pub role: PromptRole,
    /// What.
    pub text: Arc<str>,
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

/// How an answer is sampled. What is absent is left to the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Temperature, 0 to 2.
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1.
    pub top_p: Option<f64>,
    /// Presence penalty, -2 to 2.
    pub presence_penalty: Option<f64>,
    /// Cap on generated tokens, thinking included.
    pub max_tokens: u32,
    /// Seed, from the debate's seed and the turn.
    pub seed: u64,
    /// Thinking policy.
    pub think: Option<Think>,
    /// Tokens that prompt and answer must fit into, where that is less than what the host gives the model.
    pub context_limit: Option<u32>,
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
    if view.position() < ask.sees {
        return Err(PromptError::Behind { view: view.position(), needed: ask.sees });
    }
    let role = view.spec.role(&ask.participant);
    let role = role.ok_or_else(|| PromptError::UnknownParticipant(ask.participant.clone()))?;
    let voice = role.voice().ok_or_else(|| PromptError::WrongRole(ask.participant.clone()))?;
    let (system, user, chars) = match (&ask.task, role) {
        (Task::Judge { order, candidates }, Role::Judge(_, judge)) => {
            let user = judge::message(view, ask, judge, *order, candidates);
            let chars = user.chars().count();
            (&view.judge_system, user, chars)
        }
        (Task::OpenRound | Task::CloseRound, Role::Moderator(moderator)) => {
            let (user, chars) = after_transcript(view, ask, &tail::moderator(view, ask, moderator));
            (&view.system, user, chars)
        }
        (task, Role::Debater(_, persona)) if is_for_debaters(task) => {
            let tail = tail::debater(view, ask, persona);
            let alone = tail.chars().count();
            let (user, chars) = if sees_nobody(task) { (tail, alone) } else { after_transcript(view, ask, &tail) };
            (&view.system, user, chars)
        }
        _ => return Err(PromptError::WrongRole(ask.participant.clone())),
    };
    let chars = chars.saturating_add(system.chars().count()) as u64;
    Ok(Prompt {
        messages: vec![
            PromptMessage { role: PromptRole::System, text: system.clone() },
            PromptMessage { role: PromptRole::User, text: user.into() },
        ],
        schema: view.schema(&ask.task),
        tools: Vec::new(),
        marker: view.marker.as_str().into(),
        sampling: sampling(view, ask, voice),
        estimated_tokens: chars.saturating_mul(2) / 7,
    })
}

fn is_for_debaters(task: &Task) -> bool {
    match task {
        Task::Ballot { .. } | Task::Opening | Task::Argument { .. } | Task::Closing | Task::Vote { .. } => true,
        _ => false,
    }
}

/// Openings and first ballots are given before anybody was heard: they mention nobody.
fn sees_nobody(task: &Task) -> bool {
    match task {
        Task::Opening | Task::Ballot { stage: BallotStage::Initial, .. } => true,
        _ => false,
    }
}

/// The shared part, the line that closes the transcript, and the tail; and how many characters that is.
fn after_transcript(view: &View, ask: &Ask, tail: &str) -> (String, usize) {
    let seen = view.seen(ask.sees);
    let end = transcript_end(&view.marker);
    let mut text = String::with_capacity(seen.text.len() + end.len() + tail.len() + 2);
    text.extend([seen.text.as_ref(), &end, "\n\n", tail]);
    (text, seen.chars + end.chars().count() + 2 + tail.chars().count())
}

fn sampling(view: &View, ask: &Ask, voice: &Voice) -> Sampling {
    Sampling {
        temperature: voice.temperature,
        top_p: voice.top_p,
        presence_penalty: voice.presence_penalty,
        max_tokens: voice.max_tokens,
        seed: sampling_seed(view.seed, ask.turn),
        think: voice.think,
        context_limit: voice.num_ctx,
    }
}
