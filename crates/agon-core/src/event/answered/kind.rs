//! What is to be known of a kind of answer: one table, which everything else asks.
use super::Given;
use crate::ids::{EMBEDDER, MODERATOR, SUMMARIZER, SYNTHESIZER};

/// One row of the table: all that is asked about a kind of answer and does not depend on the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenKind {
    /// The type of the event in logs.
    pub event: &'static str,
    /// How a report calls it.
    pub label: &'static str,
    /// Who gives it.
    pub by: By,
    /// Whether a reader follows the debate by it. Ballots, votes and judgements have their own sections, notes stand in the
    /// verbose report.
    pub floor: bool,
    /// Whether it is said before everybody.
    pub said: bool,
    /// Whether it stands when the debate is judged again.
    pub kept: bool,
}

/// Who gives an answer, as the log names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A participant, whom the event names.
    Participant,
    /// A judge, whom the event names as such.
    Judge,
    /// Always the one who has this office; the event does not name it.
    Office(&'static str),
}

impl Given {
    /// The row of this kind.
    pub fn kind(&self) -> GivenKind {
        let own = |event, label| row(event, label, By::Participant);
        let moderators = |event, label| GivenKind { floor: true, ..row(event, label, By::Office(MODERATOR)) };
        let judges = |event, label| row(event, label, By::Judge);
        let services = |event, label, office| row(event, label, By::Office(office));
        match self {
            Self::Speech(speech) => public(own("speech_recorded", speech.kind.label())),
            Self::Points { .. } => public(own("points_answered", "answer to points of information")),
            Self::Critique { .. } => public(own("critique_recorded", "critique")),
            Self::Bid { purpose, .. } => GivenKind { floor: true, ..own("bid_placed", purpose.label()) },
            Self::Note(_) => own("note_taken", "note"),
            Self::Ballot { stage, .. } => GivenKind { kept: true, ..own("ballot_cast", stage.label()) },
            Self::Vote { .. } => own("vote_cast", "vote"),
            Self::DebaterScores { .. } => own("debaters_scored", "scores of the others"),

            Self::Decision { decision } => {
                GivenKind { said: true, ..moderators("moderator_decided", decision.label()) }
            }
            Self::Interjection(_) => {
                GivenKind { said: true, ..moderators("moderator_interjected", "interjection of the moderator") }
            }
            Self::Conclusion { conclusion, .. } => {
                GivenKind { said: true, ..moderators("moderator_concluded", conclusion.label()) }
            }
            Self::SpeechScores { .. } => moderators("speeches_scored", "scores of the speeches"),
            Self::Research { .. } => moderators("research_briefed", "research brief"),

            Self::Enough { .. } => GivenKind { floor: true, ..judges("enough_asked", "whether enough was said") },
            Self::Judgement { .. } => judges("judgement_recorded", "judgement"),
            Self::Ranking { .. } => judges("ranking_recorded", "ranking"),

            Self::Summary { .. } => {
                GivenKind { floor: true, ..services("summary_recorded", "summary of the past", SUMMARIZER) }
            }
            Self::Measures { .. } => services("round_measured", "similarity", EMBEDDER),
            Self::Synthesis(_) => services("synthesis_recorded", "synthesis", SYNTHESIZER),
        }
    }
}

fn row(event: &'static str, label: &'static str, by: By) -> GivenKind {
    GivenKind { event, label, by, floor: false, said: false, kept: false }
}

/// What is said before everybody, and is what a new judge reads.
fn public(row: GivenKind) -> GivenKind {
    GivenKind { floor: true, said: true, kept: true, ..row }
}
