//! What a ledger tells, as data.
use super::elo::START;
use agon_core::ObjectionKind;
use agon_core::{Chances, Fates};
use agon_core::{DebateId, ModelName, ParticipantId, Timestamp};
use serde::Serialize;

/// A persona that speaks by a model. The same persona by another model is somebody else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Debater {
    /// Its name.
    pub persona: ParticipantId,
    /// The model that the debate file names for it.
    pub model: ModelName,
}

/// How a debater, or a model, has done. Of a debater `won + lost + drawn + undecided` is `debates`; of a model these four count
/// its seats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Debates that it took part in.
    pub debates: u32,
    /// Seats on the side that won over others.
    pub won: u32,
    /// Seats that lost to another side.
    pub lost: u32,
    /// Seats in ties between sides.
    pub drawn: u32,
    /// Seats that met nobody to be compared with: no winner, a winner that all or none stood for, an unknown side, and of
    /// models nobody but themselves on the other sides.
    pub undecided: u32,
    /// The rating after all of them.
    pub elo: f64,
}
impl Default for Rating {
    fn default() -> Self {
        Self { debates: 0, won: 0, lost: 0, drawn: 0, undecided: 0, elo: START }
    }
}
impl Rating {
    /// Seats that the rating rests on.
    pub fn rated(&self) -> u32 {
        self.won.saturating_add(self.lost).saturating_add(self.drawn)
    }
    pub(super) fn count(&mut self, resolution: Resolution) {
        let count = match resolution {
            Resolution::Won => &mut self.won,
            Resolution::Lost => &mut self.lost,
            Resolution::Drawn => &mut self.drawn,
            Resolution::Undecided => &mut self.undecided,
        };
        *count = count.saturating_add(1);
    }
}

/// What became of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// Its side won over another.
    Won,
    /// Another side won.
    Lost,
    /// A tie with another side.
    Drawn,
    /// Nothing can be said: see [`Rating::undecided`].
    Undecided,
}

/// What became of a debater's private ballots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Movement {
    /// Debates in which it cast both ballots.
    pub balloted: u32,
    /// Of these, debates in which the last ballot differs from the first.
    pub moved: u32,
    /// Of the moves, those to what won.
    pub moved_to_winner: u32,
    /// Of the moves, those away from what won.
    pub moved_from_winner: u32,
    /// Debates with a winner in which it cast the last ballot.
    pub compared: u32,
    /// Of these, debates in which that ballot is what won.
    pub agreed: u32,
}

/// A debater with its rating.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Who.
    #[serde(flatten)]
    pub debater: Debater,
    /// How it has done.
    #[serde(flatten)]
    pub rating: Rating,
    /// What became of its ballots.
    #[serde(flatten)]
    pub movement: Movement,
}

/// A model with its rating.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelStanding {
    /// Which.
    pub model: ModelName,
    /// How its seats have done against other models.
    #[serde(flatten)]
    pub rating: Rating,
}

/// What a debater held in a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PositionTaken {
    /// Who.
    #[serde(flatten)]
    pub debater: Debater,
    /// On what: the beginning of the topic.
    pub topic: String,
    /// What it stood for from the start: its stance or, without one, its first ballot; its own name where ballots name the
    /// authors of proposals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// What it held at the end: its last ballot or, without one, the same as from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The debate file gave it the stance to start with.
    pub assigned: bool,
    /// What became of it.
    pub resolution: Resolution,
    /// In which debate.
    pub debate: DebateId,
    /// When that was admitted, in milliseconds since the Unix epoch.
    #[serde(rename = "admitted_ms")]
    pub admitted: Timestamp,
}

/// A debater came back to a topic with another position than it had left the last debate on it with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flip {
    /// Who.
    #[serde(flatten)]
    pub debater: Debater,
    /// On what.
    pub topic: String,
    /// What it held at the end of the earlier debate.
    pub from: String,
    /// What it stood for at the start of the later one.
    pub to: String,
    /// The later position is a stance that the debate file gave it, and no change of its own mind.
    pub assigned: bool,
    /// The earlier debate.
    pub earlier: DebateId,
    /// The later one.
    pub later: DebateId,
}

/// What may stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MomentKind {
    /// A seat won that was rated at least 100 below the mean of the seats that lost.
    Upset,
    /// The winner is not what the majority held before the debate.
    Reversal,
    /// A position won that had lost an earlier debate on the same topic, and had not won since.
    Vindication,
    /// A debater won for the 3rd, 5th or 10th time in a row. Undecided debates neither count nor end a row.
    Streak,
    /// A debater won after at least 3 rated debates without a win.
    Breakthrough,
}

/// Something that stands out in a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// What.
    pub kind: MomentKind,
    /// In which debate.
    pub debate: DebateId,
    /// On what: the beginning of the topic.
    pub topic: String,
    /// When the debate was admitted, in milliseconds since the Unix epoch.
    #[serde(rename = "admitted_ms")]
    pub admitted: Timestamp,
    /// Whose: the winner of an upset, streak or breakthrough, all winning seats otherwise.
    pub debaters: Vec<Debater>,
    /// The position that was vindicated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Wins in a row of a streak, debates without a win before a breakthrough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// What two debaters were to each other, over all debates in which both took part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Relationship {
    /// The one whose name comes first.
    pub one: Debater,
    /// The other.
    pub other: Debater,
    /// Debates together.
    pub debates: u32,
    /// Of these, debates in which both cast a last ballot.
    pub compared: u32,
    /// Of these, debates in which both ballots are the same.
    pub agreed: u32,
    /// Debates after which the other held what the one stood for from the start, and had not before. That it was the words of
    /// the one that did it is not known.
    pub convinced: u32,
    /// The same the other way round.
    pub was_convinced: u32,
}

/// All of one persona, whatever its models.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PersonaRecord {
    /// By model, the best rating first.
    #[serde(rename = "ratings")]
    pub standings: Vec<Standing>,
    /// What it held, oldest debate first.
    pub positions: Vec<PositionTaken>,
    /// Where it came back to a topic with another position, oldest first.
    pub flips: Vec<Flip>,
    /// What stands out of what it did, oldest first.
    pub moments: Vec<Moment>,
    /// What others were to it.
    pub relationships: Vec<Relationship>,
}

/// What became of objections that somebody raised, and of those that it met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RaisedAndMet {
    /// Those that it raised against others.
    pub raised: Fates,
    /// Those that others raised against it.
    pub met: Fates,
}

/// What became of the objections of one kind of a debater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectionPattern {
    /// Whose.
    #[serde(flatten)]
    pub debater: Debater,
    /// How severe.
    pub kind: ObjectionKind,
    /// What became of them.
    #[serde(flatten)]
    pub counts: RaisedAndMet,
}

/// What became of the objections of one kind of a model, whoever spoke by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelObjections {
    /// Which.
    pub model: ModelName,
    /// How severe.
    pub kind: ObjectionKind,
    /// What became of them.
    #[serde(flatten)]
    pub counts: RaisedAndMet,
}

/// Something that a debater can do or leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HabitKind {
    /// Accepts an objection to its proposal; of those that it met.
    AcceptsObjections,
    /// Finds something wrong in a proposal; of its critiques.
    FindsFault,
    /// Takes a point of information; of the times that some were offered.
    TakesPoints,
    /// Votes for itself or its stance; of the votes in which it could.
    VotesForItself,
    /// Ends with another private ballot than it began with; of the debates with both.
    ChangesBallot,
}

/// How often a debater did something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HabitCounts {
    /// Debates in which it had the choice.
    pub debates: u32,
    /// How often it had the choice in these, and did it.
    #[serde(flatten)]
    pub chances: Chances,
}

/// A habit with respect to objections of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ByKind {
    /// How severe.
    pub kind: ObjectionKind,
    /// How often it met them, and accepted them.
    #[serde(flatten)]
    pub chances: Chances,
}

/// What a debater does, over all of its debates and over the earlier and the later half of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Habit {
    /// What.
    pub kind: HabitKind,
    /// Over all debates in which it had the choice.
    #[serde(flatten)]
    pub all: HabitCounts,
    /// The earlier half of these; the smaller one where their number is odd.
    pub earlier: HabitCounts,
    /// The later half.
    pub later: HabitCounts,
    /// What it accepts, by how severe the objection is; only of [`HabitKind::AcceptsObjections`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_kind: Vec<ByKind>,
}

/// What is known of how a debater behaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Traits {
    /// Who.
    #[serde(flatten)]
    pub debater: Debater,
    /// Debates that it took part in.
    pub debates: u32,
    /// Of these, those of which only outcome and ballots are known.
    pub without_course: u32,
    /// What it does, where there were enough debates to speak of a habit.
    pub habits: Vec<Habit>,
}
