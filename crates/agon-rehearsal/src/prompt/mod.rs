//! Reads a debate prompt back into its parts: topic, cast, transcript and the task of the turn.
//!
//! The layout is Agon's: `# Question` and friends as sections, entries under `### T7 | Ada | STANCE`, and behind the line
//! `=== YOUR TURN ===` sentences. Whatever is missing is left empty; nothing here can fail.

mod allowed;
mod lines;
mod read;

use crate::task::PromptTask;

pub use allowed::AllowedAnswers;
pub use lines::{is_marker, is_staff};

/// How a speech says which answer it stands by.
pub const MY_ANSWER: &str = "My answer:";

/// How a speech says how sure its speaker is of that answer.
pub const MY_CONFIDENCE: &str = "My confidence:";

/// The parts of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// Text under `# Question`.
    pub topic: String,
    /// Text under `# Context`.
    pub context: String,
    /// Lines under `# Debaters`.
    pub cast: Vec<RosterLine>,
    /// The transcript in the order shown.
    pub entries: Vec<TranscriptLine>,
    /// What stands in the transcript in place of entries that were summed up.
    pub summary: String,
    /// What the prompt says came out of the debate.
    pub result: String,
    /// What tools have answered in this chat.
    pub found: Vec<String>,
    /// The text that a chat without the delimiter wants summed up, if its system message says so.
    pub to_shorten: Option<String>,
    /// Whether the delimiter line was there: without it, this is no debate prompt.
    pub is_debate: bool,
    /// `You are Ada (town planner).`
    pub you: Option<String>,
    /// `You argue for this position: "..."`
    pub stance: Option<String>,
    /// What the speaker does in the debate.
    pub role: Option<String>,
    /// What the turn asks for, and its name.
    pub task: Option<(PromptTask, &'static str)>,
    /// `This is round 2 of 3.`
    pub round: Option<(u32, Option<u32>)>,
    /// `Briefing:`
    pub briefing: Option<String>,
    /// `New angle:`
    pub angle: Option<String>,
    /// Whom this is addressed to, or about.
    pub to: Option<String>,
    /// The team: `You speak as Prime Minister for the Opening Government.`
    pub bench: Option<String>,
    /// The office before the team, in small letters.
    pub office: Option<String>,
    /// `Question:` or `Asked by the moderator:`, on the line or below it.
    pub question: Option<String>,
    /// The numbers of the speeches that are to be scored.
    pub speeches: Vec<u64>,
    /// Style and tone.
    pub manner: String,
    /// What else the turn says.
    pub instructions: String,
    /// How claims are marked that are checked.
    pub claims: String,
    /// The round that the moderator opened last.
    pub opened: Option<u32>,
}

/// One line of the roster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RosterLine {
    /// Name as written.
    pub name: String,
    /// Stance as written; may be empty.
    pub stance: String,
}

/// One entry of the transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptLine {
    /// Number in the header, `T7` or `[7]`.
    pub number: u64,
    /// Who spoke.
    pub speaker: String,
    /// Stance in the header; empty for the moderator.
    pub stance: String,
    /// What the header says beside it, such as the kind of speech.
    pub label: String,
    /// What was said, without marker lines.
    pub text: String,
}

impl TranscriptLine {
    /// The answer that this speech says it stands by.
    pub fn answer(&self) -> Option<&str> {
        let line = self.text.lines().rev().find_map(|line| line.trim().strip_prefix(MY_ANSWER))?;
        Some(line.trim()).filter(|answer| !answer.is_empty())
    }
}

impl Brief {
    /// The task, by its text and else by the role.
    pub fn kind(&self) -> PromptTask {
        match (self.task, self.role.as_deref()) {
            (Some((task, _)), _) => task,
            (None, Some("judge")) => PromptTask::Judge,
            (None, Some("debater")) => PromptTask::Argument,
            (None, _) => PromptTask::Other,
        }
    }

    /// The entries of those who argue, in the order shown.
    pub fn voices(&self) -> impl DoubleEndedIterator<Item = &TranscriptLine> + Clone {
        self.entries.iter().filter(|entry| self.is_voice(&entry.speaker))
    }

    /// Whether somebody of that name argues in this debate.
    pub fn is_voice(&self, name: &str) -> bool {
        !is_staff(name) || self.cast.iter().any(|debater| debater.name == name)
    }

    /// The stance of a speaker, from the roster or from what it is shown to have said.
    pub fn stance_of(&self, name: &str) -> Option<&str> {
        let in_cast = self.cast.iter().find(|debater| debater.name == name).map(|debater| debater.stance.as_str());
        let shown = || self.entries.iter().find(|entry| entry.speaker == name).map(|entry| entry.stance.as_str());
        in_cast.filter(|stance| !stance.is_empty()).or_else(shown).filter(|stance| !stance.is_empty())
    }

    /// Gives everybody without a stance the answer it gave, or the position that `position` says for its name.
    pub fn assume_positions(&mut self, position: impl Fn(&str) -> String) {
        if self.role.as_deref() == Some("debater") && self.stance.is_none() {
            self.stance = self.you.as_deref().map(&position);
        }
        let cast = &self.cast;
        let argues = |name: &str| !is_staff(name) || cast.iter().any(|debater| debater.name == name);
        for entry in self.entries.iter_mut().filter(|entry| entry.stance.is_empty() && argues(&entry.speaker)) {
            let stance = entry.answer().map(str::to_owned).unwrap_or_else(|| position(&entry.speaker));
            entry.stance = stance;
        }
        for debater in self.cast.iter_mut().filter(|debater| debater.stance.is_empty()) {
            debater.stance = position(&debater.name);
        }
    }

    /// Whether this is the last round, as far as the prompt tells.
    pub fn is_last_round(&self) -> bool {
        matches!(self.round, Some((n, Some(of))) if n >= of)
    }

    /// The number of the round; 0 before the first.
    pub fn round_number(&self) -> u32 {
        self.round.map_or(0, |(n, _)| n)
    }
}

#[cfg(test)]
mod tests;
