//! The first ballots as a log tells them.
use super::{GateBallot, GateFeatures, GateView};
use crate::event::{Answered, Given};
use crate::spec::{AnswerKind, DebateFormat, DebateSpec};
use crate::task::{BallotStage, SpeechKind};
use crate::words::each_word;

/// The first ballots of a debate, taken in from its log one answer at a time. In `critique_revision` and `poll` the answers that openings
/// state are the ballots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstBallots(Vec<FirstBallot>);

#[derive(Clone, Debug, PartialEq)]
struct FirstBallot {
    answer: String,
    reason_words: u32,
    model: Option<String>,
    confidence: Option<u8>,
}

impl FirstBallot {
    fn seen(&self) -> GateBallot<'_> {
        let Self { answer, reason_words, model, confidence } = self;
        GateBallot { answer, reason_words: *reason_words, model: model.as_deref(), confidence: *confidence }
    }
}

impl FirstBallots {
    /// Takes in an answer of the log, if it is a first ballot.
    pub fn take(&mut self, spec: &DebateSpec, answered: &Answered) {
        let model = answered.call.model.as_ref().map(|model| model.as_str().to_owned());
        let (answer, reason_words, confidence) = if by_openings(spec) {
            let Given::Speech(speech) = &answered.given else { return };
            let opening = matches!(speech.kind, SpeechKind::Opening | SpeechKind::Proposal);
            let Some(answer) = speech.answer.as_ref().filter(|_| opening) else { return };
            (answer, count_words(&speech.text), speech.confidence)
        } else {
            let Given::Ballot { stage: BallotStage::Initial, choice, reasons, confidence } = &answered.given else {
                return;
            };
            (choice, reasons.iter().map(|reason| count_words(reason)).fold(0, u32::saturating_add), *confidence)
        };
        self.0.push(FirstBallot { answer: answer.clone(), reason_words, model, confidence });
    }
    /// How many were cast.
    pub fn cast(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
    /// What a gate knows after them.
    pub fn features(&self, spec: &DebateSpec) -> GateFeatures {
        let ballots: Vec<GateBallot<'_>> = self.0.iter().map(FirstBallot::seen).collect();
        let choice = spec.answer.as_ref().filter(|form| form.kind == AnswerKind::Choice);
        let view = GateView {
            ballots: &ballots,
            eligible: eligible(spec),
            question_words: count_words(&spec.topic).saturating_add(spec.context.as_deref().map_or(0, count_words)),
            options: choice.map(|form| u32::try_from(form.options.len()).unwrap_or(u32::MAX)),
        };
        view.features(|one, other| spec.same_answer(one, other))
    }
}

/// Who could cast a first ballot: the debaters, or in a poll the samples.
pub fn eligible(spec: &DebateSpec) -> u32 {
    let seats = if spec.is_poll() { spec.format.samples as usize } else { spec.personas.len() };
    u32::try_from(seats).unwrap_or(u32::MAX)
}

fn by_openings(spec: &DebateSpec) -> bool {
    matches!(spec.debate_format, DebateFormat::CritiqueRevision | DebateFormat::Poll)
}

fn count_words(text: &str) -> u32 {
    let mut words = 0u32;
    each_word(text, |_, _| words = words.saturating_add(1));
    words
}
