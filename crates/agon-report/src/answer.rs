//! The text of the answer: the words that won, and whose they are.
use crate::minutes::{Minutes, MinutesEntry};
use crate::words;
use agon_core::{ConsensusStrategy, JUDGE, MODERATOR, Speech, SpeechKind, TurnId};

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

/// What the moderator decided, where that is the verdict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeratorRuling<'a> {
    pub(crate) decision: &'a str,
    /// Whether it settled the question.
    pub(crate) settled: bool,
    /// What it made of it in the end.
    pub(crate) synthesis: Option<&'a str>,
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
    /// A decision of the moderator, alone or with the synthesis that builds on it, where nobody is to win.
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
                origin: match self.ruling() {
                    Some(_) => TextOrigin::ModeratorsDecision,
                    None => TextOrigin::ModeratorsSynthesis,
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

    /// The decision of the moderator that is the verdict, or that its synthesis builds on.
    pub(crate) fn ruling(&self) -> Option<ModeratorRuling<'a>> {
        let mediated = self.admission.spec.consensus_strategy == ConsensusStrategy::MediatorSummary;
        let text = self.verdict.filter(|verdict| mediated && verdict.winner.is_none())?.verdict?;
        let closing = self.closing?;
        let (decision, settled) = (closing.decided()?, closing.settlement().is_some());
        let rest = text.strip_prefix(decision).map(str::trim_start);
        // it stands in front of the synthesis, or the synthesis says it in its own words
        let synthesis = rest.or(Some(text)).filter(|rest| !rest.is_empty());
        (settled || rest == Some("")).then_some(ModeratorRuling { decision, settled, synthesis })
    }

    /// The words that won, under what they are: the moderator's decision, and the synthesis that builds on it, are two.
    pub(crate) fn winning_texts(&self) -> Vec<(String, &'a str, Option<TurnId>)> {
        let Some(answer) = self.answer() else { return Vec::new() };
        let Some(ruling) = self.ruling() else {
            return answer.text.map(|text| (self.titled(answer), text, answer.turn)).into_iter().collect();
        };
        let synthesis = WinningText { origin: TextOrigin::ModeratorsSynthesis, ..answer };
        let synthesis = ruling.synthesis.map(|text| (self.titled(synthesis), text, None));
        [(self.titled(answer), ruling.decision, None)].into_iter().chain(synthesis).collect()
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
            TextOrigin::ModeratorsDecision if self.ruling().is_some_and(|ruling| ruling.settled) => {
                "The decision of the moderator, which settled the question".to_owned()
            }
            TextOrigin::ModeratorsDecision => "The last decision of the moderator".to_owned(),
            TextOrigin::ModeratorsSynthesis => "The synthesis, by the moderator".to_owned(),
            TextOrigin::LastWord(kind) if turn.is_some_and(|turn| self.is_round(turn.round)) => {
                format!("The last word for it: {} of {who}, {place}", kind.label())
            }
            TextOrigin::LastWord(kind) => format!("The last word for it: {} of {who}", kind.label()),
        }
    }
}
