//! What a seat's task says, when it is asked.
use super::control::Heard;
use super::draft::Draft;
use crate::ids::ParticipantId;
use crate::spec::{ConsensusStrategy, Mode, SelfVotes, Voters};
use crate::tally::same_answer;
use crate::task::{BallotStage, Guidance, Material, Point, Task};
use crate::transcript::{Entry, speaker_labels};
use crate::work::Work;

impl Draft<'_> {
    /// The task of a participant whose seat was opened for this work.
    pub fn task(&self, work: Work, of: &ParticipantId) -> Task {
        let material = Material::default();
        let material = match work {
            Work::Ballot { .. } => Material { choices: Some(self.ballot_choices()), ..material },
            Work::Argument { .. } | Work::Statement { .. } => Material { guidance: self.guidance(), ..material },
            Work::AnswerPoints => Material { points: Some(self.offered_points()), ..material },
            Work::Revise => Material { critics: Some(self.critics_of(of)), ..material },
            Work::Reflect => {
                let persona = self.spec().persona(of);
                let on = |what: fn(&crate::Persona) -> bool| Some(persona.is_some_and(what));
                let (reflection, evolution) = (on(|persona| persona.reflection), on(|persona| persona.evolution));
                Material { reflection, evolution, ..material }
            }
            Work::ScoreSpeeches => Material { speeches: Some(self.speeches_of_round()), ..material },
            Work::Summarise => Material { through: Some(self.control.rounds_held), ..material },
            Work::Measure => Material { round: Some(self.control.round), ..material },
            Work::Judge { order } | Work::Rank { order } => {
                Material { candidates: Some(self.presented(order)), ..material }
            }
            Work::Vote => {
                let form = self.spec().voting.map(|voting| voting.rule.form()).unwrap_or_default();
                Material { candidates: Some(self.vote_candidates(Some(of))), form: Some(form), ..material }
            }
            Work::ScoreDebaters => Material { debaters: Some(self.scored_by(of)), ..material },
            // the others need no more than their work
            Work::Opening
            | Work::Closing
            | Work::Bid { .. }
            | Work::Critique { .. }
            | Work::OpenRound
            | Work::CloseRound
            | Work::Interject
            | Work::Research
            | Work::Conclude { .. }
            | Work::EnoughSaid
            | Work::Synthesise => material,
        };
        Task::new(work, material)
    }

    fn guidance(&self) -> Guidance {
        let control = &self.control;
        Guidance {
            briefing: control.briefing.clone(),
            new_angle: control.new_angle.clone(),
            summary: control.summary.clone(),
        }
    }

    /// The points of information since the last speech.
    pub fn offered_points(&self) -> Vec<Point> {
        let since = self.control.turned.iter().rev().take_while(|turned| matches!(turned.work, Work::Bid { .. }));
        let mut offers: Vec<(u32, Point)> = since
            .filter_map(|turned| {
                let Heard::Bid(bid) = &turned.heard else { return None };
                let text = bid.text.clone().filter(|_| bid.urgency > 0)?;
                Some((turned.seat, Point { by: turned.participant.clone(), text }))
            })
            .collect();
        offers.sort_by_key(|(seat, _)| *seat);
        offers.into_iter().map(|(_, point)| point).collect()
    }

    /// Who criticised an author's proposal in this round, in seat order.
    fn critics_of(&self, author: &ParticipantId) -> Vec<ParticipantId> {
        let of_author = |work: &Work| matches!(work, Work::Critique { of } if of == author);
        let heard = self.control.turned.iter().filter(|turned| matches!(turned.heard, Heard::Critique(_)));
        let mut critics: Vec<_> = heard
            .filter(|turned| of_author(&turned.work))
            .map(|turned| (turned.seat, turned.participant.clone()))
            .collect();
        critics.sort();
        critics.into_iter().map(|(_, critic)| critic).collect()
    }

    /// The options where the file lists them; else the stances in adversarial mode, and in deliberative mode each voter names
    /// its own answer. Where proposals stand for election, their authors do.
    fn ballot_choices(&self) -> Vec<String> {
        if self.spec().ballots_on_proposals() {
            return self.electable();
        }
        if let Some(options) = self.spec().options() {
            return options.to_vec();
        }
        match self.spec().mode {
            Mode::Adversarial => self.spec().stances().into_iter().map(str::to_owned).collect(),
            Mode::Deliberative => Vec::new(),
        }
    }

    /// The debaters who may be elected; where their proposals are, those whose proposal was heard.
    fn electable(&self) -> Vec<String> {
        let by_proposal = self.spec().ballots_on_proposals();
        let names = self.spec().personas.iter().map(|persona| &persona.name);
        let electable = names.filter(|name| !by_proposal || self.control.proposed.contains(name));
        electable.map(ToString::to_string).collect()
    }

    /// What can win: the debaters where they stand for election; else the options, also those that nobody named; else the
    /// stances, or in deliberative mode the different answers of the last ballots.
    pub fn candidates(&self) -> Vec<String> {
        if self.spec().elects_debaters() {
            return self.electable();
        }
        if self.spec().mode == Mode::Adversarial || self.spec().options().is_some() {
            return self.ballot_choices();
        }
        if self.spec().is_poll() {
            return self.distinct(self.samples());
        }
        let cast = |stage: BallotStage| {
            let choices = self.spec().personas.iter().filter_map(move |persona| self.ballot_of(stage, &persona.name));
            self.distinct(choices)
        };
        // Votes of rounds are cast before there are final ballots, and answers that nobody could vote for are no candidates.
        let in_rounds = self.spec().voting.is_some_and(|voting| voting.every_round);
        let last = if in_rounds { Vec::new() } else { cast(BallotStage::Final) };
        if last.is_empty() { cast(BallotStage::Initial) } else { last }
    }

    /// The answers of a poll's samples, in the order of their seats.
    pub fn samples(&self) -> impl Iterator<Item = &str> {
        let poll = self.spec().is_poll();
        self.control.stated.iter().filter(move |_| poll).map(|stated| stated.answer.as_str())
    }

    fn distinct<'s>(&self, answers: impl Iterator<Item = &'s str>) -> Vec<String> {
        let mut distinct: Vec<String> = Vec::new();
        for answer in answers {
            if !distinct.iter().any(|known| self.spec().same_answer(known, answer)) {
                distinct.push(answer.to_owned());
            }
        }
        distinct
    }

    /// The candidates as judges know them: with labels for names in an anonymised transcript. Pairs of what is shown and
    /// what it stands for.
    pub fn shown_candidates(&self) -> Vec<(String, String)> {
        let candidates = self.candidates();
        let anonymous = self.spec().judge.as_ref().is_none_or(|judge| judge.anonymize_transcript);
        if !(self.spec().elects_debaters() && anonymous) {
            return candidates.into_iter().map(|candidate| (candidate.clone(), candidate)).collect();
        }
        let labels = speaker_labels(self.spec(), self.admission.seed, true).into_iter();
        let labels = labels.map(|(name, label)| (label, name.to_string()));
        let mut shown: Vec<(String, String)> = labels.filter(|(_, name)| candidates.contains(name)).collect();
        // In declared order the labels would give the names away.
        shown.sort();
        shown
    }

    /// The candidates in the order in which a judge is presented them.
    fn presented(&self, order: u32) -> Vec<String> {
        let mut candidates: Vec<String> = self.shown_candidates().into_iter().map(|(shown, _)| shown).collect();
        if order % 2 == 1 {
            candidates.reverse();
        }
        candidates
    }

    /// The candidates on one voter's ballot: all, or all but its own side. Judges have no side, and know what they are shown.
    pub fn vote_candidates(&self, voter: Option<&ParticipantId>) -> Vec<String> {
        if self.spec().voting.is_some_and(|voting| voting.voters == Voters::Judges) {
            return self.presented(0);
        }
        let all = self.candidates();
        let allowed = self.spec().voting.is_none_or(|voting| voting.self_votes == SelfVotes::Allow);
        let Some(voter) = voter.filter(|_| !allowed) else { return all };
        let own = self.own_side(voter).filter(|own| !self.is_shared(voter, own));
        let is_rival = |candidate: &&String| own.as_ref().is_none_or(|own| !self.is_same(own, candidate));
        let rivals: Vec<String> = all.iter().filter(is_rival).cloned().collect();
        // Where nobody else gave an answer, one's own is the only one left to vote for.
        if rivals.is_empty() { all } else { rivals }
    }

    /// The candidate that a debater would vote for if it voted for itself.
    pub fn own_side(&self, voter: &ParticipantId) -> Option<String> {
        if self.spec().elects_debaters() { Some(voter.to_string()) } else { self.side(voter) }
    }

    /// What a debater stands for: its stance, in deliberative mode the answer of its last ballot.
    fn side(&self, debater: &ParticipantId) -> Option<String> {
        self.spec().side_of(debater, self.last_ballot_of(debater)).map(str::to_owned)
    }

    /// Whether somebody else gave the voter's own answer. A vote for it is then not for oneself; off the ballots of all who
    /// gave it, the answer of most would lose.
    fn is_shared(&self, voter: &ParticipantId, own: &str) -> bool {
        let others = || self.spec().personas.iter().map(|persona| &persona.name).filter(|name| *name != voter);
        let gave = |name: &ParticipantId| self.own_side(name).is_some_and(|answer| self.is_same(&answer, own));
        self.spec().mode == Mode::Deliberative && !self.spec().elects_debaters() && others().any(gave)
    }

    /// Whether two candidates are one: by their names where debaters stand for election, else as answers.
    pub fn is_same(&self, one: &str, other: &str) -> bool {
        if self.spec().elects_debaters() { same_answer(one, other) } else { self.spec().same_answer(one, other) }
    }

    /// A winner as private ballots name it.
    pub fn balloted<'w>(&'w self, winner: &'w str) -> Option<&'w str> {
        self.spec().balloted(winner, self.last_ballot_of(&winner.into()))
    }

    /// Whom a voter scores, under which label: everybody but itself who can be elected, where that elects, and of whom it is shown something, in the order of the labels.
    pub fn scored_by(&self, voter: &ParticipantId) -> Vec<(ParticipantId, String)> {
        let mut labels = speaker_labels(self.spec(), self.admission.seed, true);
        let candidates = self.electable();
        let stands = |name: &ParticipantId| {
            self.spec().is_extra(&Work::ScoreDebaters) || candidates.iter().any(|known| known == name.as_str())
        };
        let reader = self.spec().persona(voter);
        let shown = |entry: &Entry| reader.is_none_or(|reader| entry.is_shown_to(self.spec(), reader));
        let heard = |name: &ParticipantId| self.said().any(|entry| entry.participant == *name && shown(entry));
        labels.retain(|(name, _)| name != voter && heard(name) && stands(name));
        labels.sort_by(|(_, one), (_, other)| one.cmp(other));
        labels
    }

    /// The choice of a participant's private ballot.
    pub fn ballot_of(&self, stage: BallotStage, who: &ParticipantId) -> Option<&str> {
        let ballot = self.control.ballots.iter().find(|ballot| ballot.stage == stage && ballot.participant == *who)?;
        Some(&ballot.choice)
    }

    fn last_ballot_of(&self, who: &ParticipantId) -> Option<&str> {
        self.ballot_of(BallotStage::Final, who).or_else(|| self.ballot_of(BallotStage::Initial, who))
    }

    /// Which strategy decides.
    pub fn strategy(&self) -> ConsensusStrategy {
        self.spec().consensus_strategy
    }
}
