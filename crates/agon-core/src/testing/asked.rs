//! The event that records an answer, for each kind of answer.
use crate::*;

/// A turn that was asked of somebody, and the call that answers it: what every answer is recorded with.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The turn.
    pub turn: TurnId,
    /// Who was asked.
    pub participant: ParticipantId,
    /// How the answer came about.
    pub call: Box<Call>,
}

impl Asked {
    /// A turn whose call nothing is known of.
    pub fn at(turn: TurnId, who: &str) -> Self {
        Self { turn, participant: who.into(), call: Box::default() }
    }
    /// A speech of which no more is known than its words.
    pub fn speech(self, kind: SpeechKind, text: &str) -> Event {
        self.speech_as(kind, text, |_| {})
    }
    /// A speech of which more is known.
    pub fn speech_as(self, kind: SpeechKind, text: &str, more: impl FnOnce(&mut Speech)) -> Event {
        let mut speech = Speech {
            stance: None,
            kind,
            text: text.into(),
            to: None,
            bench: None,
            answer: None,
            accepted: Vec::new(),
            declined: Vec::new(),
            cut_by: None,
            cut_at_limit: false,
            confidence: None,
            neutralised: 0,
        };
        more(&mut speech);
        self.gives(Given::Speech(speech))
    }
    /// An answer of any kind.
    pub fn gives(self, given: Given) -> Event {
        Event::answer(self.turn, self.participant, given, self.call)
    }
    /// Whoever was asked, the log names no other than who has the office.
    fn by(self, office: &str) -> Self {
        Self { participant: office.into(), ..self }
    }
    /// A private ballot.
    pub fn ballot(self, stage: BallotStage, choice: &str, reason: &str, confidence: Option<u8>) -> Event {
        let (choice, reasons) = (choice.to_owned(), vec![reason.to_owned()]);
        self.gives(Given::Ballot { stage, choice, reasons, confidence })
    }
    /// A vote for one, a ranking or an approval of several.
    pub fn vote(self, choices: &[&str], reason: &str, confidence: Option<u8>) -> Event {
        let choice = choices.first().copied().unwrap_or_default().to_owned();
        let choices = if choices.len() > 1 { choices.iter().copied().map(str::to_owned).collect() } else { Vec::new() };
        self.gives(Given::Vote { choice, choices, reasons: vec![reason.to_owned()], confidence })
    }
    /// A bid.
    pub fn bid(self, purpose: BidPurpose, bid: Bid) -> Event {
        self.gives(Given::Bid { purpose, bid })
    }
    /// What a speaker makes of the points of information that it was offered.
    pub fn points(self, points: Vec<Point>, reply: PointReply) -> Event {
        self.gives(Given::Points { points, reply })
    }
    /// A critique of somebody's proposal.
    pub fn critique(self, of: &str, critique: Critique, neutralised: u32) -> Event {
        self.gives(Given::Critique { of: of.into(), critique, neutralised })
    }
    /// A private note.
    pub fn note(self, note: Note) -> Event {
        self.gives(Given::Note(note))
    }
    /// Scores of the other debaters.
    pub fn debaters_scored(self, scores: Vec<DebaterScore>) -> Event {
        self.gives(Given::DebaterScores { scores })
    }
    /// A decision of the moderator's own.
    pub fn decision(self, decision: ModeratorDecision) -> Event {
        self.by(MODERATOR).gives(Given::Decision { decision })
    }
    /// A decision that stands in for the moderator's.
    pub fn fallback(self, decision: ModeratorDecision) -> Event {
        Event::FallbackDecided { turn: self.turn, decision }
    }
    /// What the moderator says between speeches.
    pub fn interjection(self, interjection: Interjection) -> Event {
        self.by(MODERATOR).gives(Given::Interjection(interjection))
    }
    /// The moderator's scores of speeches.
    pub fn speeches_scored(self, scores: Vec<SpeechScore>) -> Event {
        self.by(MODERATOR).gives(Given::SpeechScores { scores })
    }
    /// What the moderator found out.
    pub fn brief(self, text: &str) -> Event {
        self.by(MODERATOR).gives(Given::Research { text: text.into() })
    }
    /// What the moderator concludes, with its reasons where it decides.
    pub fn conclusion(self, conclusion: Conclusion, text: &str, reasoning: Option<&str>) -> Event {
        let (text, reasoning) = (text.into(), reasoning.map(str::to_owned));
        self.by(MODERATOR).gives(Given::Conclusion { conclusion, text, reasoning })
    }
    /// A summary of all up to the end of a round.
    pub fn summary(self, through: u32, text: &str) -> Event {
        self.by(SUMMARIZER).gives(Given::Summary { through, text: text.into() })
    }
    /// Measures that a model was asked for.
    pub fn measures(self, round: u32, measures: Measures) -> Event {
        self.by(EMBEDDER).gives(Given::Measures { round, measures })
    }
    /// Whether enough was said.
    pub fn enough(self, enough: bool, reasoning: &str) -> Event {
        self.gives(Given::Enough { enough, reasoning: reasoning.to_owned() })
    }
    /// A judgement without open objections.
    pub fn judgement(
        self,
        order: u32,
        verdict: &str,
        winner: Option<&str>,
        reasoning: &str,
        citations: Vec<Citation>,
    ) -> Event {
        let (winner, open_objections) = (winner.map(str::to_owned), Vec::new());
        let (verdict, reasoning) = (verdict.to_owned(), reasoning.to_owned());
        self.gives(Given::Judgement { order, verdict, winner, reasoning, citations, open_objections })
    }
    /// A ranking.
    pub fn ranking(self, order: u32, ranking: Vec<Ranked>) -> Event {
        self.gives(Given::Ranking { order, ranking })
    }
    /// A synthesis.
    pub fn synthesis(self, synthesis: Synthesis) -> Event {
        self.by(SYNTHESIZER).gives(Given::Synthesis(synthesis))
    }
}
