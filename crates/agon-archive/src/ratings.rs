//! What debates that are over say of those who took part: ratings, positions, flips, moments, relationships, objections, habits.
//!
//! All of it is a fold over [`Card`]s in the order in which the debates were admitted. Nothing else is kept, so that it can be
//! made again at any time, and says the same each time.
//!
//! Ratings are those of A. Elo, "The Rating of Chessplayers, Past and Present", 1978: see [`expected`]. A debate is scored as
//! all pairs of seats on different sides. The winner's side beats every other seat; seats that lose do not play each other; in
//! a tie every pair of different sides is a draw. All updates of a debate use the ratings before it, and a seat's change is
//! [`K`] times the mean, over its pairs, of what it scored minus what was expected. Where the sides are of different size,
//! the changes of a debate do not sum to 0: each of two winners gains what the one loser loses.
//!
//! Calibration is absent. It would need how certain a persona was beside how often it was right, and what models say of
//! their own certainty is never used. A weight that follows from a rating takes the usual calibration then.
//!
//! Answers and topics are compared as [`same_answer`](agon_core::tally::same_answer) does.

mod contest;
mod elo;
mod failed;
mod model;
mod moments;
mod objections;
mod positions;
mod relations;
#[cfg(test)]
mod tests;
mod traits;

pub use elo::{K, START, expected};
pub use failed::failed_arguments;
pub use model::{
    ByKind, Debater, Flip, Habit, HabitCounts, HabitKind, ModelObjections, ModelStanding, Moment, MomentKind, Movement,
    ObjectionPattern, PersonaRecord, PositionTaken, RaisedAndMet, Rating, Relationship, Resolution, Standing, Traits,
};
pub use traits::LEAST_DEBATES;

use agon_core::Card;
use agon_core::names::normal_form;
use agon_core::{DebateId, ModelName, ParticipantId, Timestamp};
use agon_core::{DebateSpec, Persona, Voters, Voting};
use contest::Contest;
use moments::Runs;
use objections::Patterns;
use positions::Positions;
use relations::Relations;
use std::collections::BTreeMap;
use traits::Records;

/// Debates that are folded at most where many are kept: the newest.
pub const MOST_DEBATES: usize = 10_000;

/// What a fold over cards has come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    debates: u64,
    debaters: BTreeMap<Debater, (Rating, Movement)>,
    models: BTreeMap<ModelName, Rating>,
    positions: Positions,
    moments: Vec<Moment>,
    runs: Runs,
    relations: Relations,
    /// Debates of which only outcome and ballots are known.
    without_course: u64,
    objections: Patterns,
    records: Records,
}

/// A debate as it is folded.
struct Played<'c> {
    id: DebateId,
    admitted: Timestamp,
    topic: &'c str,
    /// The topic as it is compared.
    question: String,
    card: &'c Card,
    contest: Contest<'c>,
}
impl Played<'_> {
    fn debater(&self, name: &ParticipantId) -> Option<Debater> {
        let seat = self.contest.seats.iter().find(|seat| seat.debater.persona == *name)?;
        Some(seat.debater.clone())
    }
}

impl Ledger {
    /// Folds debates: id, when it was admitted, topic, card. They may come in any order; what counts is when each was admitted,
    /// and of the same moment the id.
    pub fn fold<'c>(debates: impl IntoIterator<Item = (DebateId, Timestamp, &'c str, &'c Card)>) -> Self {
        let mut debates: Vec<_> = debates.into_iter().collect();
        debates.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        let mut ledger = Self::default();
        for (id, admitted, topic, card) in debates {
            ledger.add(id, admitted, topic, card);
        }
        ledger
    }

    /// Takes one more debate in, which was admitted after all before it.
    pub fn add(&mut self, id: DebateId, admitted: Timestamp, topic: &str, card: &Card) {
        let played = Played { id, admitted, topic, question: normal_form(topic), card, contest: Contest::of(card) };
        // Moments tell of what was before the debate, so that they come first.
        self.moments.extend(moments::of(self, &played));
        self.runs.add(&played);
        self.positions.add(&played);
        self.relations.add(&played.contest);
        self.objections.add(&played);
        self.records.add(&played);
        self.without_course = self.without_course.saturating_add(card.course.is_none().into());
        self.rate(&played.contest);
        self.debates = self.debates.saturating_add(1);
    }

    fn rate(&mut self, contest: &Contest<'_>) {
        let seats: Vec<Debater> = contest.seats.iter().map(|seat| seat.debater.clone()).collect();
        let rated = |debater: &Debater| self.debaters.get(debater).map(|(rating, _)| *rating);
        for (debater, rating) in elo::rated(&seats, &contest.pairs, rated) {
            self.debaters.entry(debater).or_default().0 = rating;
        }
        for seat in &contest.seats {
            self.debaters.entry(seat.debater.clone()).or_default().1.add(contest, seat);
        }
        let models: Vec<ModelName> = seats.into_iter().map(|debater| debater.model).collect();
        let rated = |model: &ModelName| self.models.get(model).copied();
        self.models.extend(elo::rated(&models, &contest.pairs, rated));
    }

    /// How many debates were folded.
    pub fn debates(&self) -> u64 {
        self.debates
    }

    /// The rating of a persona that speaks by this model, if it has taken part in a debate.
    pub fn rating(&self, debater: &Debater) -> Option<Rating> {
        self.debaters.get(debater).map(|(rating, _)| *rating)
    }

    /// Every persona with its model, the best rating first, of equals by name.
    pub fn standings(&self) -> Vec<Standing> {
        let standing = |(debater, (rating, movement)): (&Debater, &(Rating, Movement))| Standing {
            debater: debater.clone(),
            rating: *rating,
            movement: *movement,
        };
        let mut standings: Vec<Standing> = self.debaters.iter().map(standing).collect();
        standings.sort_by(|one, other| other.rating.elo.total_cmp(&one.rating.elo));
        standings
    }

    /// Every model, the best rating first, of equals by name.
    pub fn models(&self) -> Vec<ModelStanding> {
        let standing = |(model, rating): (&ModelName, &Rating)| ModelStanding { model: model.clone(), rating: *rating };
        let mut models: Vec<ModelStanding> = self.models.iter().map(standing).collect();
        models.sort_by(|one, other| other.rating.elo.total_cmp(&one.rating.elo));
        models
    }

    /// What was held, oldest debate first.
    pub fn positions(&self) -> &[PositionTaken] {
        &self.positions.taken
    }

    /// Who came back to a topic with another position, oldest first.
    pub fn flips(&self) -> &[Flip] {
        &self.positions.flips
    }

    /// What stands out, oldest first.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// Every pair that has met, by name.
    pub fn relationships(&self) -> Vec<Relationship> {
        self.relations.all()
    }

    /// How many of the debates left a card without [`Course`](agon_core::Course): nothing is known of their objections and conduct.
    pub fn without_course(&self) -> u64 {
        self.without_course
    }

    /// What became of objections, by debater and kind.
    pub fn objections(&self) -> Vec<ObjectionPattern> {
        self.objections.of_debaters()
    }

    /// What became of objections, by model and kind.
    pub fn model_objections(&self) -> Vec<ModelObjections> {
        self.objections.of_models()
    }

    /// What every debater does, by name.
    pub fn traits(&self) -> Vec<Traits> {
        self.records.all()
    }

    /// All of one persona, whatever its models; nothing where no debate knows it.
    pub fn persona(&self, name: &ParticipantId) -> Option<PersonaRecord> {
        let is = |debater: &Debater| debater.persona == *name;
        let standings: Vec<Standing> = self.standings().into_iter().filter(|known| is(&known.debater)).collect();
        if standings.is_empty() {
            return None;
        }
        let pairs = self.relationships().into_iter().filter(|pair| is(&pair.one) || is(&pair.other));
        Some(PersonaRecord {
            standings,
            positions: self.positions().iter().filter(|taken| is(&taken.debater)).cloned().collect(),
            flips: self.flips().iter().filter(|flip| is(&flip.debater)).cloned().collect(),
            moments: self.moments().iter().filter(|moment| moment.debaters.iter().any(is)).cloned().collect(),
            relationships: pairs.collect(),
        })
    }
}

/// Whether a debate takes ratings from earlier ones.
pub fn wants_ratings(spec: &DebateSpec) -> bool {
    weighed_by_rating(spec).next().is_some()
}

fn weighed_by_rating(spec: &DebateSpec) -> impl Iterator<Item = &Persona> {
    let weighs = |voting: Voting| voting.rule.is_weighted() && voting.voters == Voters::Debaters;
    let voters = if spec.voting.is_some_and(weighs) { spec.personas.as_slice() } else { &[] };
    voters.iter().filter(|persona| persona.weight.is_none() && persona.elo.is_none())
}

/// The ratings that weigh the votes of a debate: under `rule: weighted`, where the debaters vote, of every persona that has
/// neither `weight` nor `elo` and that was rated with the same model before.
pub fn ratings_for(spec: &DebateSpec, ledger: &Ledger) -> BTreeMap<ParticipantId, f64> {
    let rated = weighed_by_rating(spec).filter_map(|persona| {
        let debater = Debater { persona: persona.name.clone(), model: persona.voice.model.clone() };
        let rating = ledger.rating(&debater).filter(|rating| rating.rated() > 0)?;
        Some((debater.persona, rating.elo))
    });
    rated.collect()
}
