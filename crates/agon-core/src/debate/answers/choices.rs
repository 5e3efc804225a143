//! Ballots, votes, judgements, rankings.
use super::super::draft::Draft;
use super::asides::known_debater;
use super::mismatch;
use crate::answer::{Answer, DebaterScore, Judgement, Ranked, Score};
use crate::event::Given;
use crate::spec::Voters;
use crate::task::{Ask, Task};
use crate::transcript::{check_citations, kept, presentation};
use crate::work::Work;

impl Draft<'_> {
    pub(super) fn choice_of(&self, ask: &Ask, answer: Answer) -> Result<Given, String> {
        let Task { work, material } = &ask.task;
        match (work, answer) {
            (Work::Ballot { stage }, Answer::Choice { choice, reasons, confidence }) => {
                let (choice, confidence) = (self.chosen(material.choices(), &choice)?, self.confidence(confidence)?);
                Ok(Given::Ballot { stage: *stage, choice, reasons, confidence })
            }
            (Work::Vote, Answer::Choice { choice, reasons, confidence }) => {
                let (choice, confidence) =
                    (self.elected(&self.chosen(material.candidates(), &choice)?), self.confidence(confidence)?);
                Ok(Given::Vote { choice, choices: Vec::new(), reasons, confidence })
            }
            (Work::Vote, Answer::Choices { choices, reasons, confidence }) => {
                let ranked = material.form() == crate::BallotForm::Ranking;
                let choices: Vec<String> = self
                    .several(material.candidates(), &choices, ranked)?
                    .iter()
                    .map(|choice| self.elected(choice))
                    .collect();
                let (choice, confidence) = (choices.first().cloned().unwrap_or_default(), self.confidence(confidence)?);
                Ok(Given::Vote { choice, choices, reasons, confidence })
            }
            (Work::ScoreDebaters, Answer::DebaterScores(scores)) => {
                let wanted: Vec<&crate::ParticipantId> = material.debaters().iter().map(|(name, _)| name).collect();
                let scores = self.debater_scores(scores, &wanted)?;
                Ok(Given::DebaterScores { scores })
            }
            (Work::Judge { order }, Answer::Judgement(judgement)) => {
                self.judgement(ask, (*order, material.candidates()), judgement)
            }
            (Work::Rank { order }, Answer::Ranking(ranking)) => {
                let ranking = self.ranking(material.candidates(), ranking)?;
                Ok(Given::Ranking { order: *order, ranking })
            }
            (Work::EnoughSaid, Answer::Enough { enough, reasoning }) => Ok(Given::Enough { enough, reasoning }),
            (work, answer) => Err(mismatch(&answer, work)),
        }
    }

    /// How sure the voter is, where the file asks for it; dropped where it does not.
    fn confidence(&self, given: Option<u8>) -> Result<Option<u8>, String> {
        match given {
            _ if !self.spec().answers.confidence => Ok(None),
            None => Err("confidence is missing".to_owned()),
            Some(percent) if percent > 100 => Err(format!("confidence is {percent}; allowed are 0 to 100")),
            Some(percent) => Ok(Some(percent)),
        }
    }

    /// What a voter means by a candidate. Debaters know each other by name, and one of them may be called like a label.
    fn elected(&self, shown: &str) -> String {
        let judges = self.spec().voting.is_some_and(|voting| voting.voters == Voters::Judges);
        if judges { self.meant(shown) } else { shown.to_owned() }
    }

    /// What a candidate stands for that a judge was shown under a label.
    fn meant(&self, shown: &str) -> String {
        let known = self.shown_candidates().into_iter().find(|(label, _)| label == shown);
        known.map_or_else(|| shown.to_owned(), |(_, candidate)| candidate)
    }

    /// The choice as the ballot spells it; where the ballot names no choices, any text that is an answer to the topic.
    fn chosen(&self, allowed: &[String], choice: &str) -> Result<String, String> {
        let choice = choice.trim();
        if choice.is_empty() {
            return Err("choice is empty".to_owned());
        }
        if allowed.is_empty() {
            return self.spec().read_answer(choice);
        }
        let known = self.spec().pick(allowed, choice);
        known.cloned().ok_or_else(|| format!("choice is {choice:?}; allowed are {}", quoted(allowed)))
    }

    /// The choices as the ballot spells them, none twice and one at least; all of them in a ranking.
    fn several(&self, allowed: &[String], choices: &[String], all: bool) -> Result<Vec<String>, String> {
        let mut known: Vec<String> = Vec::with_capacity(choices.len());
        for choice in choices {
            let choice = self.chosen(allowed, choice)?;
            if known.contains(&choice) {
                return Err(format!("{choice:?} is named twice"));
            }
            known.push(choice);
        }
        if known.is_empty() {
            return Err(format!("no choice is named; allowed are {}", quoted(allowed)));
        }
        let missing = allowed.iter().find(|candidate| all && !known.contains(candidate));
        missing.map_or(Ok(known), |missing| Err(format!("{missing:?} is not ranked; every candidate must be")))
    }

    /// The winner that a judge names. With a form of answers there is always one; where nobody has named a candidate, it is the
    /// judge's own.
    fn winner(&self, candidates: &[String], winner: Option<&str>) -> Result<Option<String>, String> {
        let wants_one = self.spec().wants_winner(candidates);
        match winner {
            None if wants_one && candidates.is_empty() => {
                Err("winner is null; an answer to the topic is wanted".to_owned())
            }
            None if wants_one => Err(format!("winner is null; allowed are {}", quoted(candidates))),
            None => Ok(None),
            Some(winner) if wants_one && candidates.is_empty() => self.spec().read_answer(winner).map(Some),
            Some(winner) => {
                let known = self.spec().pick(candidates, winner);
                let null = if wants_one { "" } else { "null or " };
                let problem = || format!("winner is {winner:?}; allowed are {null}{}", quoted(candidates));
                Ok(Some(self.meant(known.ok_or_else(problem)?)))
            }
        }
    }

    fn judgement(
        &self,
        ask: &Ask,
        (order, candidates): (u32, &[String]),
        judgement: Judgement,
    ) -> Result<Given, String> {
        let winner = self.winner(candidates, judgement.winner.as_deref())?;
        let said = self.said_before(ask);
        let said = if ask.kept { kept(self.spec(), said, self.control.summarised) } else { said };
        let shown = presentation(self.spec(), self.admission.seed, said, order);
        let citations = check_citations(&shown, &judgement.citations);
        let Judgement { verdict, reasoning, open_objections, .. } = judgement;
        Ok(Given::Judgement { order, verdict, winner, reasoning, citations, open_objections })
    }

    fn ranking(&self, candidates: &[String], ranking: Vec<Ranked>) -> Result<Vec<Ranked>, String> {
        let names: Vec<String> = ranking.iter().map(|ranked| ranked.candidate.clone()).collect();
        let order = self.several(candidates, &names, true)?;
        let with_reason =
            |(candidate, ranked): (String, Ranked)| Ranked { candidate: self.meant(&candidate), ..ranked };
        Ok(order.into_iter().zip(ranking).map(with_reason).collect())
    }

    fn debater_scores(
        &self,
        scores: Vec<DebaterScore>,
        wanted: &[&crate::ParticipantId],
    ) -> Result<Vec<DebaterScore>, String> {
        let mut by_debater = Vec::with_capacity(wanted.len());
        for name in wanted {
            let mut of = scores
                .iter()
                .filter(|score| known_debater(self.spec(), &score.debater).is_ok_and(|known| known == **name));
            let (Some(score), None) = (of.next(), of.next()) else {
                return Err(format!("{name} is to be scored once"));
            };
            in_range(&score.score)?;
            by_debater.push(DebaterScore { debater: (*name).clone(), score: score.score });
        }
        match scores.len() > wanted.len() {
            true => Err(format!("{} debaters are scored; {} are to be", scores.len(), wanted.len())),
            false => Ok(by_debater),
        }
    }
}

/// Whether all scales are within 0 to 10.
pub(super) fn in_range(score: &Score) -> Result<(), String> {
    let over = score.scales().into_iter().find(|(_, value)| *value > 10);
    over.map_or(Ok(()), |(scale, value)| Err(format!("{scale} is {value}; allowed are 0 to 10")))
}

fn quoted(choices: &[String]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| format!("{choice:?}")).collect();
    quoted.join(", ")
}
