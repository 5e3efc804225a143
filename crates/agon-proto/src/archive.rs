//! What the archive tells of personas and models.
use crate::error::{DecodeError, Problem, each, present, required};
use crate::flat as pb;
use crate::kinds::debate;
use agon_core::ratings::{
    Debater, Flip, ModelStanding, Moment, MomentKind, Movement, PositionTaken, Rating, Relationship, Resolution,
    Standing,
};
use agon_core::{ModelName, ParticipantId, Timestamp};

impl From<&Debater> for pb::RatedDebater {
    fn from(debater: &Debater) -> Self {
        Self { persona: debater.persona.to_string(), model: debater.model.to_string() }
    }
}
impl TryFrom<pb::RatedDebater> for Debater {
    type Error = DecodeError;
    fn try_from(debater: pb::RatedDebater) -> Result<Self, DecodeError> {
        Ok(Self { persona: ParticipantId::new(debater.persona), model: ModelName::new(debater.model) })
    }
}

impl From<&Rating> for pb::Rating {
    fn from(rating: &Rating) -> Self {
        let Rating { debates, won, lost, drawn, undecided, elo } = *rating;
        Self { debates, won, lost, drawn, undecided, elo }
    }
}
impl TryFrom<pb::Rating> for Rating {
    type Error = DecodeError;
    fn try_from(rating: pb::Rating) -> Result<Self, DecodeError> {
        let pb::Rating { debates, won, lost, drawn, undecided, elo } = rating;
        Ok(Self { debates, won, lost, drawn, undecided, elo })
    }
}

impl From<&Standing> for pb::PersonaRating {
    fn from(standing: &Standing) -> Self {
        let Movement { balloted, moved, moved_to_winner, moved_from_winner, compared, agreed } = standing.movement;
        Self {
            debater: Some((&standing.debater).into()),
            rating: Some((&standing.rating).into()),
            movement: Some(pb::BallotMovement {
                balloted,
                moved,
                moved_to_winner,
                moved_from_winner,
                compared,
                agreed,
            }),
        }
    }
}
impl TryFrom<pb::PersonaRating> for Standing {
    type Error = DecodeError;
    fn try_from(standing: pb::PersonaRating) -> Result<Self, DecodeError> {
        let pb::BallotMovement { balloted, moved, moved_to_winner, moved_from_winner, compared, agreed } =
            present(standing.movement, "movement")?;
        Ok(Self {
            debater: required(standing.debater, "debater")?,
            rating: required(standing.rating, "rating")?,
            movement: Movement { balloted, moved, moved_to_winner, moved_from_winner, compared, agreed },
        })
    }
}

impl From<&ModelStanding> for pb::ModelRating {
    fn from(standing: &ModelStanding) -> Self {
        Self { model: standing.model.to_string(), rating: Some((&standing.rating).into()) }
    }
}
impl TryFrom<pb::ModelRating> for ModelStanding {
    type Error = DecodeError;
    fn try_from(standing: pb::ModelRating) -> Result<Self, DecodeError> {
        Ok(Self { model: ModelName::new(standing.model), rating: required(standing.rating, "rating")? })
    }
}

impl From<&PositionTaken> for pb::PersonaPosition {
    fn from(taken: &PositionTaken) -> Self {
        Self {
            debater: Some((&taken.debater).into()),
            topic: taken.topic.clone(),
            first: taken.first.clone(),
            last: taken.last.clone(),
            assigned: taken.assigned,
            resolution: match taken.resolution {
                Resolution::Won => pb::Resolution::Won,
                Resolution::Lost => pb::Resolution::Lost,
                Resolution::Drawn => pb::Resolution::Drawn,
                Resolution::Undecided => pb::Resolution::Undecided,
            }
            .into(),
            debate: taken.debate.name().to_owned(),
            create_time: Some(moment(taken.admitted)),
        }
    }
}
impl TryFrom<pb::PersonaPosition> for PositionTaken {
    type Error = DecodeError;
    fn try_from(taken: pb::PersonaPosition) -> Result<Self, DecodeError> {
        let resolution = match taken.resolution() {
            pb::Resolution::Won => Resolution::Won,
            pb::Resolution::Lost => Resolution::Lost,
            pb::Resolution::Drawn => Resolution::Drawn,
            pb::Resolution::Undecided => Resolution::Undecided,
            pb::Resolution::Unspecified => return Err(unknown("resolution", taken.resolution)),
        };
        Ok(Self {
            debater: required(taken.debater, "debater")?,
            topic: taken.topic,
            first: taken.first,
            last: taken.last,
            assigned: taken.assigned,
            resolution,
            debate: debate(&taken.debate, "debate")?,
            admitted: admitted(taken.create_time)?,
        })
    }
}

impl From<&Flip> for pb::PersonaFlip {
    fn from(flip: &Flip) -> Self {
        Self {
            debater: Some((&flip.debater).into()),
            topic: flip.topic.clone(),
            from: flip.from.clone(),
            to: flip.to.clone(),
            assigned: flip.assigned,
            earlier: flip.earlier.name().to_owned(),
            later: flip.later.name().to_owned(),
        }
    }
}
impl TryFrom<pb::PersonaFlip> for Flip {
    type Error = DecodeError;
    fn try_from(flip: pb::PersonaFlip) -> Result<Self, DecodeError> {
        Ok(Self {
            debater: required(flip.debater, "debater")?,
            topic: flip.topic,
            from: flip.from,
            to: flip.to,
            assigned: flip.assigned,
            earlier: debate(&flip.earlier, "earlier")?,
            later: debate(&flip.later, "later")?,
        })
    }
}

impl From<&Moment> for pb::PersonaMoment {
    fn from(told: &Moment) -> Self {
        Self {
            kind: match told.kind {
                MomentKind::Upset => pb::MomentKind::Upset,
                MomentKind::Reversal => pb::MomentKind::Reversal,
                MomentKind::Vindication => pb::MomentKind::Vindication,
                MomentKind::Streak => pb::MomentKind::Streak,
                MomentKind::Breakthrough => pb::MomentKind::Breakthrough,
            }
            .into(),
            debate: told.debate.name().to_owned(),
            topic: told.topic.clone(),
            create_time: Some(moment(told.admitted)),
            debaters: told.debaters.iter().map(Into::into).collect(),
            position: told.position.clone(),
            count: told.count,
        }
    }
}
impl TryFrom<pb::PersonaMoment> for Moment {
    type Error = DecodeError;
    fn try_from(told: pb::PersonaMoment) -> Result<Self, DecodeError> {
        let kind = match told.kind() {
            pb::MomentKind::Upset => MomentKind::Upset,
            pb::MomentKind::Reversal => MomentKind::Reversal,
            pb::MomentKind::Vindication => MomentKind::Vindication,
            pb::MomentKind::Streak => MomentKind::Streak,
            pb::MomentKind::Breakthrough => MomentKind::Breakthrough,
            pb::MomentKind::Unspecified => return Err(unknown("kind", told.kind)),
        };
        Ok(Self {
            kind,
            debate: debate(&told.debate, "debate")?,
            topic: told.topic,
            admitted: admitted(told.create_time)?,
            debaters: each(told.debaters, "debaters")?,
            position: told.position,
            count: told.count,
        })
    }
}

impl From<&Relationship> for pb::PersonaRelationship {
    fn from(pair: &Relationship) -> Self {
        Self {
            one: Some((&pair.one).into()),
            other: Some((&pair.other).into()),
            debates: pair.debates,
            compared: pair.compared,
            agreed: pair.agreed,
            convinced: pair.convinced,
            was_convinced: pair.was_convinced,
        }
    }
}
impl TryFrom<pb::PersonaRelationship> for Relationship {
    type Error = DecodeError;
    fn try_from(pair: pb::PersonaRelationship) -> Result<Self, DecodeError> {
        Ok(Self {
            one: required(pair.one, "one")?,
            other: required(pair.other, "other")?,
            debates: pair.debates,
            compared: pair.compared,
            agreed: pair.agreed,
            convinced: pair.convinced,
            was_convinced: pair.was_convinced,
        })
    }
}

fn unknown(field: &str, number: i32) -> DecodeError {
    DecodeError::field(field, Problem::UnknownNumber(number))
}

fn moment(at: Timestamp) -> prost_types::Timestamp {
    let nanos = i32::try_from(at.0 % 1_000).unwrap_or(0) * 1_000_000;
    prost_types::Timestamp { seconds: i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX), nanos }
}

fn admitted(at: Option<prost_types::Timestamp>) -> Result<Timestamp, DecodeError> {
    let at = present(at, "create_time")?;
    let early = || DecodeError::field("create_time", Problem::Invalid("before 1970".to_owned()));
    let seconds = u64::try_from(at.seconds).map_err(|_| early())?;
    let nanos = u64::try_from(at.nanos).map_err(|_| early())?;
    Ok(Timestamp(seconds.saturating_mul(1_000).saturating_add(nanos / 1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Card, CardSeat, MajorityShift, Outcome};
    use agon_core::{DebateId, Ledger};

    fn ledger() -> Ledger {
        let seat = |persona: &str, stance: &str, last: &str| CardSeat {
            persona: persona.into(),
            model: "m".into(),
            stance: Some(stance.to_owned()),
            first: Some(stance.to_owned()),
            last: Some(last.to_owned()),
        };
        let card = |winner: &str, outcome| Card {
            outcome,
            verdict: None,
            winner: Some(winner.to_owned()).filter(|_| outcome == Outcome::Decided),
            majority: MajorityShift::Overturned,
            seats: vec![seat("Ada", "tea", winner), seat("Bo", "coffee", "coffee")],
            course: None,
        };
        let decided = ["tea", "tea", "tea", "tea", "coffee"].map(|winner| card(winner, Outcome::Decided));
        let others = [Outcome::Tie, Outcome::Inconclusive].map(|outcome| card("tea", outcome));
        let cards: Vec<Card> = decided.into_iter().chain(others).collect();
        let one = |(n, card)| {
            (DebateId::parse(&format!("debate-{n}")).unwrap(), Timestamp(1_800_000_000_123 + n as u64), "Tea?", card)
        };
        Ledger::fold(cards.iter().enumerate().map(one))
    }

    fn survives<C, P>(all: &[C])
    where
        C: TryFrom<P, Error = DecodeError> + PartialEq + std::fmt::Debug,
        P: for<'c> From<&'c C>,
    {
        assert!(!all.is_empty());
        for one in all {
            assert_eq!(C::try_from(P::from(one)).as_ref(), Ok(one));
        }
    }

    #[test]
    fn what_a_ledger_tells_survives_the_way_out_and_back() {
        let ledger = ledger();
        survives::<Standing, pb::PersonaRating>(&ledger.standings());
        survives::<ModelStanding, pb::ModelRating>(&ledger.models());
        survives::<PositionTaken, pb::PersonaPosition>(ledger.positions());
        survives::<Flip, pb::PersonaFlip>(ledger.flips());
        survives::<Moment, pb::PersonaMoment>(ledger.moments());
        survives::<Relationship, pb::PersonaRelationship>(&ledger.relationships());
        let kinds: std::collections::BTreeSet<MomentKind> = ledger.moments().iter().map(|one| one.kind).collect();
        assert!(kinds.len() >= 4, "{kinds:?}");
    }
}
