//! Bids, points, critiques, notes; and what services give: summaries, measures, the synthesis.
use super::super::draft::Draft;
use super::mismatch;
use crate::answer::{Answer, Bid, Critique, Measures, PointReply};
use crate::event::Given;
use crate::fence::neutralise;
use crate::ids::ParticipantId;
use crate::spec::DebateSpec;
use crate::tally::same_answer;
use crate::task::{Ask, Task};
use crate::work::Work;

/// Urgencies, severities and scores go up to this.
const TOP: u8 = 10;

impl Draft<'_> {
    pub(super) fn aside_of(&self, ask: &Ask, answer: Answer) -> Result<Given, String> {
        let Task { work, material } = &ask.task;
        match (work, answer) {
            (Work::Bid { purpose, .. }, Answer::Bid(bid)) => {
                let bid = self.bid(bid)?;
                Ok(Given::Bid { purpose: *purpose, bid })
            }
            (Work::AnswerPoints, Answer::PointReply(reply)) => {
                let points = material.points().to_vec();
                let offered: Vec<&ParticipantId> = points.iter().map(|point| &point.by).collect();
                let reply = point_reply(reply, &offered)?;
                Ok(Given::Points { points, reply })
            }
            (Work::Critique { of }, Answer::Critique(critique)) => {
                let critique = checked(critique)?;
                let (_, neutralised) = neutralise(&crate::transcript::critique_text(of, &critique));
                Ok(Given::Critique { of: of.clone(), critique, neutralised })
            }
            (Work::Reflect, Answer::Note(note)) => Ok(Given::Note(note)),
            (work, answer) => Err(mismatch(&answer, work)),
        }
    }

    fn bid(&self, bid: Bid) -> Result<Bid, String> {
        if bid.urgency > TOP {
            return Err(format!("urgency is {}; allowed are 0 to {TOP}", bid.urgency));
        }
        let to = bid.to.map(|name| known_debater(self.spec(), &name)).transpose()?;
        Ok(Bid { to, text: bid.text.filter(|text| !text.trim().is_empty()), ..bid })
    }

    pub(super) fn service_of(&self, ask: &Ask, answer: Answer) -> Result<Given, String> {
        let Task { work, material } = &ask.task;
        match (work, answer) {
            (Work::Summarise, Answer::Text { text }) => {
                if text.trim().is_empty() {
                    return Err("the summary is empty".to_owned());
                }
                Ok(Given::Summary { through: material.through.unwrap_or_default(), text })
            }
            (Work::Measure, Answer::Measures(measures)) => {
                in_unit(&measures)?;
                Ok(Given::Measures { round: material.round.unwrap_or_default(), measures })
            }
            (Work::Synthesise, Answer::Synthesis(synthesis)) => Ok(Given::Synthesis(synthesis)),
            (work, answer) => Err(mismatch(&answer, work)),
        }
    }
}

/// Whether all figures are shares: the stop rules compare them with shares.
fn in_unit(measures: &Measures) -> Result<(), String> {
    let means = [measures.agreement, measures.stability].into_iter().flatten();
    let figures = measures.stable.iter().chain(&measures.known).map(|figure| figure.value);
    let outside = means.chain(figures).find(|value| !(0.0..=1.0).contains(value));
    outside.map_or(Ok(()), |value| Err(format!("a measure is {value}; allowed are 0 to 1")))
}

/// The debater of that name, as the roster spells it.
pub(super) fn known_debater(spec: &DebateSpec, name: &ParticipantId) -> Result<ParticipantId, String> {
    let names = || spec.personas.iter().map(|persona| &persona.name);
    let known = names().find(|known| same_answer(known.as_str(), name.as_str()));
    known.cloned().ok_or_else(|| {
        let listed: Vec<&str> = names().map(ParticipantId::as_str).collect();
        format!("there is no debater {:?}; the debaters are: {}", name.as_str(), listed.join(", "))
    })
}

fn point_reply(reply: PointReply, offered: &[&ParticipantId]) -> Result<PointReply, String> {
    let Some(name) = &reply.accepts else { return Ok(PointReply { accepts: None, reply: None }) };
    let known = offered.iter().find(|by| same_answer(by.as_str(), name.as_str()));
    let listed = || offered.iter().map(|by| by.as_str()).collect::<Vec<_>>().join(", ");
    let known = known.ok_or_else(|| format!("{:?} offered no point; points came from: {}", name.as_str(), listed()))?;
    match reply.reply.filter(|reply| !reply.trim().is_empty()) {
        Some(text) => Ok(PointReply { accepts: Some((*known).clone()), reply: Some(text) }),
        None => Err("a point is accepted, and the reply is empty".to_owned()),
    }
}

fn checked(critique: Critique) -> Result<Critique, String> {
    if critique.severity > TOP {
        return Err(format!("severity is {}; allowed are 0 to {TOP}", critique.severity));
    }
    if critique.severity > 0 && critique.issues.iter().all(|issue| issue.trim().is_empty()) {
        return Err(format!("severity is {}, and no issue is named", critique.severity));
    }
    Ok(critique)
}
