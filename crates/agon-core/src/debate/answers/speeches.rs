//! Speeches.
use super::super::draft::Draft;
use super::super::formats::steps;
use super::mismatch;
use crate::answer::{Answer, Revision};
use crate::event::{Given, Speech};
use crate::fence::neutralise;
use crate::spec::{DebateFormat, Interruptions, OnCut};
use crate::tally::same_answer;
use crate::task::{Ask, SpeechKind};
use crate::transcript::{named_answer, named_confidence};
use crate::work::Work;
use std::sync::Arc;

impl Draft<'_> {
    pub(super) fn speech_of(&self, ask: &Ask, answer: Answer) -> Result<Given, String> {
        let work = &ask.task.work;
        let Some(kind) = work.traits().speech else { return Err(mismatch(&answer, work)) };
        match (work, answer) {
            (Work::Revise, Answer::Revision(revision)) => self.revision(ask, revision),
            (
                Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing,
                Answer::Speech { text, cut, cut_at_limit },
            ) => {
                let mut speech = self.speech(ask, kind, text)?;
                if let Work::Argument { to, bench } = work {
                    (speech.to, speech.bench) = (to.clone(), *bench);
                }
                if let Work::Statement { to, .. } = work {
                    speech.to.clone_from(to);
                }
                speech.cut_by = self.cutter(work, ask, cut)?;
                speech.cut_at_limit = cut_at_limit;
                if cut_at_limit && self.spec().on_cut != OnCut::Keep {
                    return Err("the speech was cut at its limit, and the file keeps none that was".to_owned());
                }
                let in_steps = self.spec().debate_format == DebateFormat::ChainOfThought;
                if in_steps && kind == SpeechKind::Argument {
                    steps::check(&speech.text)?;
                }
                Ok(Given::Speech(speech))
            }
            (work, answer) => Err(mismatch(&answer, work)),
        }
    }

    fn speech(&self, ask: &Ask, kind: SpeechKind, text: Arc<str>) -> Result<Speech, String> {
        if !text.contains(char::is_alphanumeric) {
            let problem = if text.trim().is_empty() { "is empty" } else { "has neither a letter nor a digit" };
            return Err(format!("the speech {problem}"));
        }
        let (confidence, text) = self.sure(ask, text)?;
        let stance = self.spec().persona(&ask.participant).and_then(|persona| persona.stance.clone());
        let (_, neutralised) = neutralise(&text);
        let answer = self.stated(ask, &text)?;
        let (to, bench, accepted, declined, cut_by, cut_at_limit) = (None, None, Vec::new(), Vec::new(), None, false);
        Ok(Speech {
            stance,
            kind,
            text,
            to,
            bench,
            answer,
            confidence,
            accepted,
            declined,
            cut_by,
            cut_at_limit,
            neutralised,
        })
    }

    /// How sure the speaker is, where the file asks for it, and the speech without that: nobody is shown it.
    fn sure(&self, ask: &Ask, text: Arc<str>) -> Result<(Option<u8>, Arc<str>), String> {
        if !self.spec().asks_confidence_of(&ask.task.work) {
            return Ok((None, text));
        }
        match named_confidence(&text) {
            (Some(percent), rest) if !rest.trim().is_empty() => Ok((Some(percent), rest.as_ref().into())),
            (Some(_), _) => Err("the speech is empty".to_owned()),
            (None, _) => {
                Err("the line `My confidence:` with a whole number from 0 to 100 is missing at the end".to_owned())
            }
        }
    }

    /// The answer that a speech states. Where the file says what an answer is, nothing else is one, and whoever speaks before anybody was
    /// heard has to state one. A sample of a poll always has to.
    fn stated(&self, ask: &Ask, text: &str) -> Result<Option<String>, String> {
        if !self.spec().states_answers() {
            return Ok(None);
        }
        let first = ask.task.work.is_first_speech();
        match named_answer(text) {
            Some(answer) => {
                self.spec().read_answer(answer).map(Some).map_err(|problem| format!("My answer: {problem}"))
            }
            None if first && (self.spec().answer.is_some() || self.spec().is_poll()) => {
                Err("the line `My answer:` is missing at the end".to_owned())
            }
            None => Ok(None),
        }
    }

    fn revision(&self, ask: &Ask, revision: Revision) -> Result<Given, String> {
        let critics = ask.task.material.critics();
        let known = |name: &crate::ParticipantId| {
            let known = critics.iter().find(|critic| same_answer(critic.as_str(), name.as_str()));
            let critics: Vec<&str> = critics.iter().map(crate::ParticipantId::as_str).collect();
            known.cloned().ok_or_else(|| {
                format!("{:?} criticised nothing here; critics are: {}", name.as_str(), critics.join(", "))
            })
        };
        let mut speech = self.speech(ask, SpeechKind::Revision, revision.text)?;
        for name in &revision.accepted {
            speech.accepted.push(known(name)?);
        }
        for mut declined in revision.declined {
            declined.critic = known(&declined.critic)?;
            speech.declined.push(declined);
        }
        Ok(Given::Speech(speech))
    }

    /// Whoever cut the speech: the strongest of those who bid to interrupt it. Only what may be interrupted can be cut.
    fn cutter(&self, work: &Work, ask: &Ask, cut: bool) -> Result<Option<crate::ParticipantId>, String> {
        if !cut {
            return Ok(None);
        }
        let may = self.spec().format.interruptions == Interruptions::MidSpeech && matches!(work, Work::Argument { .. });
        let by = self.interrupter(ask.turn).filter(|_| may);
        by.map(Some).ok_or_else(|| "the speech was cut, and nobody interrupted it".to_owned())
    }
}
