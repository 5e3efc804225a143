//! What is to be known of a kind of turn: one table, which everything else asks.
use super::Work;
use crate::task::{Conclusion, SpeechKind};

/// One row of the table: all that is asked about a kind of turn and does not depend on the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkTraits {
    /// The word for it in logs and traces.
    pub name: &'static str,
    /// How a report calls it, without the number that `order` gives it.
    pub label: &'static str,
    /// Which kinds it belongs to.
    pub group: WorkGroup,
    /// Who is asked.
    pub audience: Audience,
    /// What an answer has to be.
    pub wants: &'static str,
    /// The kind of speech that comes of it, if one does that counts towards a round's quorum.
    pub speech: Option<SpeechKind>,
    /// What tells turns of the kind apart: the kind of speech, what is bid for, how the moderator concludes.
    pub sort: Option<&'static str>,
    /// Which order of presentation a judge reads the transcript in, from 0.
    pub order: Option<u32>,
    /// Whether its result decides the debate; the budget keeps room for it.
    pub decides: bool,
    /// Whether the debate is less than it was asked to be where nothing comes of the turn. Without a bid, a note, a
    /// summary or a measure it goes on as it is.
    pub missed: bool,
    /// Whether tools may be used: where somebody says something in its own words, and does not choose, score or judge.
    pub tools: bool,
    /// Whether a debater can use what its tools found in earlier turns: where it argues, once others were heard.
    pub findings: bool,
}

/// The kinds of turns whose answers are much alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkGroup {
    /// A debater speaks.
    Speech,
    /// A debater does something between speeches.
    Aside,
    /// Somebody chooses, scores or judges.
    Choice,
    /// The moderator does something.
    Moderation,
    /// Something is done for the debate: a summary, a measure, the synthesis.
    Service,
}

/// Who is asked for a kind of turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The debaters.
    Debaters,
    /// The moderator.
    Moderator,
    /// The judges.
    Judges,
    /// Debaters, or the judges in their place.
    Voters,
    /// The summarizer.
    Summarizer,
    /// The synthesizer.
    Synthesizer,
    /// A model that measures and says nothing.
    Embedder,
}

impl Work {
    /// The row of this kind. A new kind of turn begins here.
    pub fn traits(&self) -> WorkTraits {
        match self {
            Self::Opening => spoken("opening", SpeechKind::Opening),
            Self::Argument { .. } => WorkTraits { findings: true, ..spoken("argument", SpeechKind::Argument) },
            Self::Closing => WorkTraits { findings: true, ..spoken("closing", SpeechKind::Closing) },
            Self::Statement { speech, .. } => WorkTraits {
                sort: Some(speech.as_str()),
                findings: *speech != SpeechKind::Proposal,
                ..spoken("statement", *speech)
            },
            Self::Revise => WorkTraits {
                wants: "a revision",
                findings: true,
                tools: false,
                ..spoken("revise", SpeechKind::Revision)
            },

            Self::Bid { purpose, .. } => {
                let row = aside("bid", purpose.label(), "a bid");
                WorkTraits { sort: Some(purpose.as_str()), missed: false, ..row }
            }
            Self::AnswerPoints => WorkTraits {
                missed: false,
                ..aside("answer_points", "answer to points of information", "a reply to points of information")
            },
            Self::Critique { .. } => WorkTraits {
                speech: Some(SpeechKind::Critique),
                findings: true,
                ..aside("critique", "critique", "a critique")
            },
            Self::Reflect => WorkTraits { missed: false, ..aside("reflect", "note", "a note") },

            Self::Ballot { stage } => {
                let of = (Audience::Debaters, "a choice");
                choice(of, "ballot", stage.label())
            }
            Self::Vote => WorkTraits { decides: true, ..choice((Audience::Voters, "a choice"), "vote", "vote") },
            Self::ScoreDebaters => {
                let of = (Audience::Voters, "scores of debaters");
                WorkTraits { decides: true, ..choice(of, "score_debaters", "scores of the others") }
            }
            Self::Judge { order } => {
                let of = (Audience::Judges, "a judgement");
                WorkTraits { order: Some(*order), decides: true, ..choice(of, "judge", "judgement") }
            }
            Self::Rank { order } => {
                let of = (Audience::Judges, "a ranking");
                WorkTraits { order: Some(*order), decides: true, ..choice(of, "rank", "ranking") }
            }
            Self::EnoughSaid => {
                let of = (Audience::Judges, "a word on whether enough was said");
                WorkTraits { missed: false, ..choice(of, "enough_said", "whether enough was said") }
            }

            Self::OpenRound => moderation("open_round", "opens the round", "a plan for a round"),
            Self::CloseRound => moderation("close_round", "closes the round", "a summary of a round"),
            Self::Interject => WorkTraits {
                missed: false,
                ..moderation("interject", "interjection of the moderator", "an interjection")
            },
            Self::ScoreSpeeches => WorkTraits {
                missed: false,
                tools: false,
                ..moderation("score_speeches", "scores of the speeches", "scores of speeches")
            },
            Self::Research => moderation("research", "research brief", "a text"),
            Self::Conclude { conclusion } => {
                let decides = *conclusion == Conclusion::Decision;
                let wants = if decides { "a conclusion" } else { "a text" };
                let row = moderation("conclude", conclusion.label(), wants);
                WorkTraits { sort: Some(conclusion.as_str()), decides, tools: !decides, ..row }
            }

            Self::Summarise => {
                let row = service(Audience::Summarizer, "summarise", "summary of the past", "a text");
                WorkTraits { missed: false, ..row }
            }
            Self::Measure => {
                WorkTraits { missed: false, ..service(Audience::Embedder, "measure", "similarity", "measures") }
            }
            Self::Synthesise => {
                WorkTraits { decides: true, ..service(Audience::Synthesizer, "synthesise", "synthesis", "a synthesis") }
            }
        }
    }
}

/// A row that most of the others are written on top of: a debater's turn that nothing special is to be said of.
fn aside(name: &'static str, label: &'static str, wants: &'static str) -> WorkTraits {
    WorkTraits {
        name,
        label,
        wants,
        group: WorkGroup::Aside,
        audience: Audience::Debaters,
        speech: None,
        sort: None,
        order: None,
        decides: false,
        missed: true,
        tools: false,
        findings: false,
    }
}

fn spoken(name: &'static str, kind: SpeechKind) -> WorkTraits {
    let row = aside(name, kind.label(), "a speech");
    WorkTraits { group: WorkGroup::Speech, speech: Some(kind), tools: true, ..row }
}

fn choice((audience, wants): (Audience, &'static str), name: &'static str, label: &'static str) -> WorkTraits {
    WorkTraits { group: WorkGroup::Choice, audience, ..aside(name, label, wants) }
}

fn moderation(name: &'static str, label: &'static str, wants: &'static str) -> WorkTraits {
    WorkTraits { group: WorkGroup::Moderation, audience: Audience::Moderator, tools: true, ..aside(name, label, wants) }
}

fn service(audience: Audience, name: &'static str, label: &'static str, wants: &'static str) -> WorkTraits {
    WorkTraits { group: WorkGroup::Service, audience, ..aside(name, label, wants) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{BallotStage, BidPurpose};

    fn every() -> Vec<Work> {
        let (to, on, heard) = (None, None, None);
        vec![
            Work::Ballot { stage: BallotStage::Final },
            Work::Opening,
            Work::ARGUMENT,
            Work::Statement { speech: SpeechKind::Question, to, about: None },
            Work::Closing,
            Work::Bid { purpose: BidPurpose::Floor, on, heard },
            Work::AnswerPoints,
            Work::Critique { of: "a".into() },
            Work::Revise,
            Work::Reflect,
            Work::OpenRound,
            Work::CloseRound,
            Work::Interject,
            Work::ScoreSpeeches,
            Work::Research,
            Work::Conclude { conclusion: Conclusion::Summary },
            Work::Summarise,
            Work::Measure,
            Work::EnoughSaid,
            Work::Judge { order: 0 },
            Work::Rank { order: 1 },
            Work::Vote,
            Work::ScoreDebaters,
            Work::Synthesise,
        ]
    }

    #[test]
    fn a_kind_is_called_as_in_the_log() {
        for work in every() {
            assert_eq!(serde_json::to_value(&work).unwrap()["kind"], work.traits().name);
        }
    }

    #[test]
    fn what_decides_is_missed_and_a_decision_takes_no_tools() {
        let deciding = Work::Conclude { conclusion: Conclusion::Decision };
        let rows = every().into_iter().chain([deciding]).map(|work| work.traits());
        let deciding: Vec<_> = rows.filter(|row| row.decides).collect();
        assert_eq!(deciding.len(), 6);
        assert!(deciding.iter().all(|row| row.missed && !row.tools));
    }

    #[test]
    fn only_arguments_after_others_were_heard_use_what_was_found() {
        let proposal = Work::Statement { speech: SpeechKind::Proposal, to: None, about: None };
        assert!(!proposal.traits().findings && !Work::Opening.traits().findings);
        assert!(Work::ARGUMENT.traits().findings && Work::Revise.traits().findings);
    }
}
