//! The cards of debates that are over, as ratings are folded from.
use crate::catalogue::{Catalogue, CatalogueQuery, ListCursor, ListState};
use crate::port::StoreError;
use agon_archive::ratings::{Ledger, MOST_DEBATES};
use agon_core::{DebateState, TenantId};
use agon_proto::DebateSummary;

/// Entries that are read from the catalogue at once.
const PAGE: usize = 1_000;
/// Entries that are looked through for one answer, where most of them do not fit.
const MOST_LOOKED_AT: usize = 10 * MOST_DEBATES;

/// The newest debates that left a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cards {
    /// Their entries, newest first.
    pub debates: Vec<DebateSummary>,
    /// There are, or may be, older ones.
    pub truncated: bool,
}

impl Cards {
    /// The newest cards of a tenant, [`MOST_DEBATES`] at most, of rehearsed debates or of real ones: they never mix.
    pub async fn newest(catalogue: &dyn Catalogue, tenant: &TenantId, rehearsal: bool) -> Result<Self, StoreError> {
        Self::at_most(MOST_DEBATES, catalogue, tenant, rehearsal).await
    }

    /// The same, so many at most.
    pub async fn at_most(
        most: usize,
        catalogue: &dyn Catalogue,
        tenant: &TenantId,
        rehearsal: bool,
    ) -> Result<Self, StoreError> {
        let states = vec![ListState::Ended(DebateState::Succeeded)];
        let mut query =
            CatalogueQuery { tenant: Some(tenant.clone()), limit: PAGE, states, ..CatalogueQuery::default() };
        let mut cards = Self::default();
        for _ in 0..MOST_LOOKED_AT / PAGE {
            let found = catalogue.find(&query).await?;
            let whole = found.len() == PAGE;
            query.after = found.last().map(|last| ListCursor { admitted: last.admitted, id: last.id.clone() });
            cards.debates.extend(found.into_iter().filter(|one| one.rehearsal == rehearsal && one.card.is_some()));
            if cards.debates.len() > most {
                cards.debates.truncate(most);
                break;
            }
            if !whole {
                return Ok(cards);
            }
        }
        Ok(Self { truncated: true, ..cards })
    }

    /// What they come to.
    pub fn ledger(&self) -> Ledger {
        Ledger::fold(self.debates.iter().filter_map(|debate| {
            Some((debate.id.clone(), debate.admitted, debate.topic.as_str(), debate.card.as_ref()?))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryStore;
    use agon_core::{Card, CardSeat, DebateId, MajorityShift, Outcome, Position, Priority, Timestamp};
    use agon_proto::SummaryState;

    fn seat(persona: &str, stance: &str) -> CardSeat {
        CardSeat {
            persona: persona.into(),
            model: "m".into(),
            stance: Some(stance.to_owned()),
            first: None,
            last: None,
        }
    }

    fn ended(tenant: &TenantId, number: u64, rehearsal: bool) -> DebateSummary {
        let outcome = Outcome::Decided;
        DebateSummary {
            id: DebateId::in_tenant(tenant, &format!("debate-{number}")).unwrap(),
            topic: "Tea?".to_owned(),
            state: SummaryState::Ended { state: DebateState::Succeeded, outcome: Some(outcome) },
            labels: Default::default(),
            priority: Priority::Normal,
            creator: None,
            rehearsal,
            epoch: 1,
            last: Position(9),
            admitted: Timestamp(number),
            updated: Timestamp(number),
            paused_ms: 0,
            claimed: None,
            rounds: None,
            figures: None,
            card: Some(Card {
                outcome,
                verdict: None,
                winner: Some("tea".to_owned()),
                majority: MajorityShift::None,
                seats: vec![seat("Ada", "tea"), seat("Bo", "coffee")],
                course: None,
            }),
        }
    }

    #[tokio::test]
    async fn cards_are_of_one_tenant_and_rehearsed_ones_stand_apart() {
        let store = MemoryStore::new();
        let (here, there) = (TenantId::default(), TenantId::parse("acme").unwrap());
        let debates = [ended(&here, 1, false), ended(&here, 2, true), ended(&here, 3, false), ended(&there, 4, false)];
        let uncounted = DebateSummary { card: None, ..ended(&here, 5, false) };
        for debate in debates.into_iter().chain([uncounted]) {
            store.note(debate).await.unwrap();
        }
        let of = async |tenant, rehearsal| {
            let cards = Cards::newest(&store, tenant, rehearsal).await.unwrap();
            assert!(!cards.truncated);
            cards.ledger().debates()
        };
        assert_eq!((of(&here, false).await, of(&here, true).await), (2, 1));
        assert_eq!((of(&there, false).await, of(&there, true).await), (1, 0));
    }

    #[tokio::test]
    async fn the_newest_ten_thousand_count_and_it_is_said_that_there_are_more() {
        let store = MemoryStore::new();
        let tenant = TenantId::default();
        for number in 0..=MOST_DEBATES as u64 {
            store.note(ended(&tenant, number, false)).await.unwrap();
        }
        let cards = Cards::newest(&store, &tenant, false).await.unwrap();
        assert_eq!((cards.debates.len(), cards.truncated), (MOST_DEBATES, true));
        assert_eq!(cards.debates.last().unwrap().admitted, Timestamp(1));
        assert_eq!(cards.ledger().debates(), MOST_DEBATES as u64);
    }
}
