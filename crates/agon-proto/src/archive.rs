//! What the archive tells of personas and models.
use crate::enums::numbered;
use crate::error::{DecodeError, FieldProblem, present};
use crate::field::Mirrored;
use crate::mirror::mirror;
use agon_archive::ratings::{
    Debater, Flip, ModelStanding, Moment, MomentKind, Movement, PositionTaken, Rating, Relationship, Resolution,
    Standing,
};
use agon_core::Timestamp;

numbered!(Resolution as Resolution { Won, Lost, Drawn, Undecided });
numbered!(MomentKind as MomentKind { Upset, Reversal, Vindication, Streak, Breakthrough });

mirror! {
    Debater as RatedDebater { persona, model }
    Rating as Rating { debates, won, lost, drawn, undecided, elo }
    Movement as BallotMovement { balloted, moved, moved_to_winner, moved_from_winner, compared, agreed }
    Standing as PersonaRating { debater, rating, movement }
    ModelStanding as ModelRating { model, rating }
    PositionTaken as PersonaPosition {
        debater, topic, first, last, assigned, resolution,
        debate: name(),
        admitted as create_time,
    }
    Flip as PersonaFlip { debater, topic, from, to, assigned, earlier: name(), later: name() }
    Moment as PersonaMoment { kind, debate: name(), topic, admitted as create_time, debaters, position, count }
    Relationship as PersonaRelationship { one, other, debates, compared, agreed, convinced, was_convinced }
}

impl Mirrored<Option<prost_types::Timestamp>> for Timestamp {
    fn out(&self) -> Option<prost_types::Timestamp> {
        let nanos = i32::try_from(self.0 % 1_000).unwrap_or(0) * 1_000_000;
        Some(prost_types::Timestamp { seconds: i64::try_from(self.0 / 1_000).unwrap_or(i64::MAX), nanos })
    }
    fn read(wire: Option<prost_types::Timestamp>, field: &str) -> Result<Self, DecodeError> {
        let at = present(wire, field)?;
        let early = || DecodeError::field(field, FieldProblem::Invalid("before 1970".to_owned()));
        let seconds = u64::try_from(at.seconds).map_err(|_| early())?;
        let nanos = u64::try_from(at.nanos).map_err(|_| early())?;
        Ok(Self(seconds.saturating_mul(1_000).saturating_add(nanos / 1_000_000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flat as pb;
    use agon_archive::Ledger;
    use agon_core::{Card, CardSeat, DebateId, MajorityShift, Outcome};

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
