//! The text of the answer: the words that won, and whose they are.
use crate::minutes::{Minutes, MinutesEntry};
use crate::words;
use agon_core::{ConsensusStrategy, JUDGE, MODERATOR, ModeratorDecision, Speech, SpeechKind, TurnId};

/// The words that won.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WinningText<'a> {
    /// Whose words they are: a debater, a judge, or the moderator.
    pub(crate) author: &'a str,
    /// What they are.
    pub(crate) origin: TextOrigin,
    /// The words; absent where the debate file keeps the author's words out of reports.
    pub(crate) text: Option<&'a str>,
    /// The speech that they are, where they are one.
    pub(crate) turn: Option<TurnId>,
}

/// What the words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextOrigin {
    /// A proposal as it was first made.
    Proposal,
    /// A proposal as its author last revised it.
    Revision,
    /// The verdict in the words of a judge.
    Verdict,
    /// A synthesis by a judge who found for no side.
    JudgesSynthesis,
    /// The decision with which the moderator settled the question, where nobody is to win.
    ModeratorsDecision,
    /// The synthesis of the moderator, where nobody is to win.
    ModeratorsSynthesis,
    /// The last speech for the winner, where votes decided and nobody put the answer into words.
    LastWord(SpeechKind),
}

impl<'a> Minutes<'a> {
    /// The words that won; nothing where there is neither a winner nor a synthesis.
    pub(crate) fn answer(&self) -> Option<WinningText<'a>> {
        let verdict = self.verdict?;
        let spec = &self.admission.spec;
        if let Some(winner) = verdict.winner.filter(|_| spec.ballots_on_proposals()) {
            let last = self.drafts(winner).last();
            let hidden = WinningText { author: winner, origin: TextOrigin::Proposal, text: None, turn: None };
            return Some(last.map_or(hidden, |(entry, speech)| WinningText {
                author: entry.participant,
                origin: if speech.kind == SpeechKind::Revision { TextOrigin::Revision } else { TextOrigin::Proposal },
                text: Some(&speech.text),
                turn: Some(entry.turn),
            }));
        }
        match (verdict.verdict, spec.consensus_strategy) {
            (Some(text), ConsensusStrategy::MediatorSummary) => Some(WinningText {
                author: MODERATOR,
                origin: if self.settled_by(text) {
                    TextOrigin::ModeratorsDecision
                } else {
                    TextOrigin::ModeratorsSynthesis
                },
                text: Some(text),
                turn: None,
            }),
            (Some(text), _) => Some(WinningText {
                author: self.deciding().map_or(JUDGE, |(entry, _)| entry.participant),
                origin: if verdict.winner.is_some() { TextOrigin::Verdict } else { TextOrigin::JudgesSynthesis },
                text: Some(text),
                turn: None,
            }),
            (None, _) => self.last_word(verdict.winner?).map(|(entry, speech)| WinningText {
                author: entry.participant,
                origin: TextOrigin::LastWord(speech.kind),
                text: Some(&speech.text),
                turn: Some(entry.turn),
            }),
        }
    }

    /// Whether the moderator closed a round with this decision.
    fn settled_by(&self, text: &str) -> bool {
        self.decisions().any(|(_, decision, _)| match decision {
            ModeratorDecision::Closes(summary) => summary.decision.as_deref() == Some(text),
            ModeratorDecision::Opens(_) => false,
        })
    }

    /// The first draft of an answer that was revised.
    pub(crate) fn first_draft(&self, answer: WinningText<'a>) -> Option<(&MinutesEntry<'a>, &'a Speech)> {
        let revised = answer.origin == TextOrigin::Revision;
        self.drafts(answer.author).next().filter(|(_, speech)| revised && speech.kind == SpeechKind::Proposal)
    }

    /// A debater's proposal and its revisions, in the order of the rounds.
    fn drafts(&self, author: &str) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a Speech)> {
        self.speeches().filter(move |(entry, speech)| {
            entry.participant == author && matches!(speech.kind, SpeechKind::Proposal | SpeechKind::Revision)
        })
    }

    /// What the words are, as their title.
    pub(crate) fn titled(&self, answer: WinningText<'a>) -> String {
        let who = words::who(answer.author);
        let turn = answer.turn;
        let place = turn.map(|turn| self.place(turn.round)).unwrap_or_default();
        match answer.origin {
            TextOrigin::Proposal => format!("The proposal of {who}, never revised"),
            TextOrigin::Revision => format!("The proposal of {who}, as revised in {place}"),
            TextOrigin::Verdict => format!("In the words of the {}", who.to_lowercase()),
            TextOrigin::JudgesSynthesis => format!("The synthesis, by the {}", who.to_lowercase()),
            TextOrigin::ModeratorsDecision => "The decision of the moderator, which settled the question".to_owned(),
            TextOrigin::ModeratorsSynthesis => "The synthesis, by the moderator".to_owned(),
            TextOrigin::LastWord(kind) if turn.is_some_and(|turn| self.is_round(turn.round)) => {
                format!("The last word for it: {} of {who}, {place}", kind.label())
            }
            TextOrigin::LastWord(kind) => format!("The last word for it: {} of {who}", kind.label()),
        }
    }
}
