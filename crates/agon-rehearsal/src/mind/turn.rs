//! What a speaker stands by in one turn.

use super::{KnownQuestion, Minds, question::fold};
use crate::{
    prompt::{Brief, MY_ANSWER},
    task::PromptTask,
};

/// What a call tells of its turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MindCall<'a> {
    /// The model that is asked.
    pub(crate) model: &'a str,
    /// The system message.
    pub(crate) system: &'a str,
    /// The sampling seed of the request.
    pub(crate) sampling: Option<i64>,
    /// The prompt.
    pub(crate) brief: &'a Brief,
}

/// What a speaker stands by in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MindedTurn {
    /// The answer to the topic.
    pub(crate) answer: String,
    /// The speakers that stood by it last.
    pub(crate) holders: Vec<String>,
    /// How sure the speaker says it is, 0 to 100.
    pub(crate) confidence: Option<u64>,
    /// Words of a speech.
    pub(crate) words: Option<usize>,
    /// Whether the speaker argues an assigned stance, whatever it believes.
    pub(crate) assigned: bool,
}

/// Answers as speakers state them in a transcript.
struct StatedAnswers {
    /// Every one, in the order shown.
    all: Vec<usize>,
    /// The last one of each speaker, in the order in which the speakers are shown first.
    latest: Vec<(String, usize)>,
}

impl Minds {
    /// What the speaker of a call stands by; none where the question or the task is none of the minds'.
    pub(crate) fn turn(&self, call: MindCall<'_>) -> Option<MindedTurn> {
        if let Some(grade) = self.graded(call.brief, call.sampling) {
            return Some(MindedTurn::plain(grade));
        }
        let question = self.find(call.system)?;
        let stated = StatedAnswers::read(question, call.brief);
        let mark = mark(call.system);
        let answer = self.answer(question, call, mark, &stated)?;
        let text = stated.text(question, call.brief, answer)?;
        let named = |(_, held): &&(String, usize)| *held == answer;
        let holders = stated.latest.iter().filter(named).map(|(speaker, _)| speaker.clone()).collect();
        let confidence = self.world.stated_confidence(question, call.model);
        let words = self.words(question, call, mark);
        Some(MindedTurn { answer: text, holders, confidence, words, assigned: is_assigned(call.brief) })
    }

    fn answer(
        &self,
        question: &KnownQuestion,
        call: MindCall<'_>,
        mark: &str,
        stated: &StatedAnswers,
    ) -> Option<usize> {
        let you = call.brief.you.as_deref().unwrap_or_default();
        match call.brief.kind() {
            PromptTask::BallotInitial => {
                if call.brief.entries.is_empty() {
                    self.expect_ballots(mark);
                }
                Some(self.own(question, call, mark, stated))
            }
            PromptTask::Opening
            | PromptTask::Argument
            | PromptTask::Closing
            | PromptTask::Proposal
            | PromptTask::Question
            | PromptTask::Answer
            | PromptTask::FollowUp
            | PromptTask::Clarification
            | PromptTask::Rebuttal
            | PromptTask::Steps => Some(self.own(question, call, mark, stated)),
            PromptTask::BallotFinal
            | PromptTask::Vote
            | PromptTask::RankedVote
            | PromptTask::ApprovalVote
            | PromptTask::Revision
                if call.brief.role.as_deref() != Some("judge") =>
            {
                let own = self.own(question, call, mark, stated);
                let mut latest: Vec<usize> =
                    stated.latest.iter().filter(|(name, _)| name != you).map(|(_, held)| *held).collect();
                latest.push(own);
                let mut dice = self.dice("moves", question, &[mark, you]);
                Some(self.world.moved(own, &stated.all, &latest, &mut dice))
            }
            PromptTask::Judge
            | PromptTask::MediatorDecision
            | PromptTask::Rank
            | PromptTask::CloseRound
            | PromptTask::Vote
            | PromptTask::RankedVote
            | PromptTask::ApprovalVote => {
                let latest: Vec<usize> = stated.latest.iter().map(|(_, held)| *held).collect();
                // the same whatever the order of presentation
                self.world.judged(&latest, &mut self.dice("judges", question, &[mark, you]))
            }
            PromptTask::BallotFinal
            | PromptTask::Revision
            | PromptTask::OpenRound
            | PromptTask::ClosingSummary
            | PromptTask::AnswerPoints
            | PromptTask::Research
            | PromptTask::Reconcile
            | PromptTask::Summarise
            | PromptTask::Critique
            | PromptTask::Bid
            | PromptTask::Reaction
            | PromptTask::Interruption
            | PromptTask::PointOfInformation
            | PromptTask::Reflection
            | PromptTask::Interject
            | PromptTask::ScoreSpeeches
            | PromptTask::ScoreDebaters
            | PromptTask::Enough
            | PromptTask::Synthesise
            | PromptTask::Other => None,
        }
    }

    /// What a speaker found alone: what it stated, else its draw. One speaker of one debate has one draw. Where an opening follows no
    /// ballot it may be one of several samples of the speaker, which the sampling seed tells apart.
    fn own(&self, question: &KnownQuestion, call: MindCall<'_>, mark: &str, stated: &StatedAnswers) -> usize {
        let you = call.brief.you.as_deref().unwrap_or_default();
        let said = stated.latest.iter().find(|(name, _)| name == you).filter(|_| !is_assigned(call.brief));
        if let Some((_, said)) = said {
            return *said;
        }
        let sampled = call.brief.kind() == PromptTask::Opening && !self.is_balloted(mark);
        let sample = call.sampling.filter(|_| sampled).map(|seed| seed.to_string()).unwrap_or_default();
        let mut dice = self.dice("own answer", question, &[mark, you, &sample]);
        self.world.own(question, call.model, &mut dice)
    }

    /// Words of a speech: from 0.6 to 1.4 times the model's mean.
    fn words(&self, question: &KnownQuestion, call: MindCall<'_>, mark: &str) -> Option<usize> {
        let mean = self.world.length.as_ref()?.of(call.model);
        let you = call.brief.you.as_deref().unwrap_or_default();
        let said = call.brief.entries.len().to_string();
        let sample = call.sampling.map(|seed| seed.to_string()).unwrap_or_default();
        let luck = self.dice("length", question, &[mark, you, &said, &sample]).unit();
        Some((mean * (0.6 + 0.8 * luck)).round().max(1.0) as usize)
    }
}

impl StatedAnswers {
    /// What speakers of a transcript stand by. An answer that is no candidate gets a number behind them.
    fn read(question: &KnownQuestion, brief: &Brief) -> Self {
        let mut stated = Self { all: Vec::new(), latest: Vec::new() };
        for (at, entry) in brief.entries.iter().enumerate() {
            if !brief.is_voice(&entry.speaker) {
                continue;
            }
            // a stance that was assumed for somebody without one is no candidate
            let own = entry.answer().map(|answer| question.index(answer).unwrap_or(question.candidates.len() + at));
            let Some(answer) = own.or_else(|| question.index(&entry.stance)) else { continue };
            stated.all.push(answer);
            match stated.latest.iter_mut().find(|(name, _)| *name == entry.speaker) {
                Some((_, latest)) => *latest = answer,
                None => stated.latest.push((entry.speaker.clone(), answer)),
            }
        }
        stated
    }

    fn text(&self, question: &KnownQuestion, brief: &Brief, answer: usize) -> Option<String> {
        match answer.checked_sub(question.candidates.len()) {
            None => Some(question.text(answer).to_owned()),
            Some(at) => brief.entries.get(at)?.answer().map(str::to_owned),
        }
    }
}

/// Whether the speaker has to argue the stance it was given: what it states is then not what it believes.
fn is_assigned(brief: &Brief) -> bool {
    let speaks = brief.instructions.contains(MY_ANSWER);
    if speaks { brief.instructions.contains("your position, word for word") } else { brief.stance.is_some() }
}

/// The mark of a debate's transcript, 16 hexadecimal digits in the rules; empty where there is none.
fn mark(system: &str) -> &str {
    let rules = system.rsplit_once("\n# Rules\n").map_or("", |(_, rules)| rules);
    let is_mark = |word: &&str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    rules.split(|c: char| !c.is_ascii_alphanumeric()).find(is_mark).unwrap_or_default()
}

impl MindedTurn {
    /// An answer that nobody else stated.
    fn plain(answer: &str) -> Self {
        Self { answer: answer.to_owned(), holders: Vec::new(), confidence: None, words: None, assigned: false }
    }

    /// The option that is the answer, or the speaker that stands by it.
    pub(crate) fn option(&self, options: &[String]) -> Option<String> {
        let wanted = fold(&self.answer);
        let same = options.iter().find(|option| fold(option) == wanted);
        same.or_else(|| options.iter().find(|option| self.holders.contains(option))).cloned()
    }
}
