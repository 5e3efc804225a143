//! What debates that are over say of personas and models.
use super::{Api, CallContext};
use crate::auth::Scope;
use crate::error::Problem;
use agon_archive::ratings::{Ledger, Relationship};
use agon_core::ParticipantId;
use agon_proto::pb::v1 as pb;
use agon_store::Cards;

/// Rows of one kind in an answer.
const MOST_ROWS: usize = 1_000;

impl Api {
    /// The ratings of the caller's debates, the best first.
    pub async fn ratings(
        &self,
        call: &CallContext,
        request: &pb::ListRatingsRequest,
    ) -> Result<pb::ListRatingsResponse, Problem> {
        let (ledger, basis) = self.ledger(call, request.rehearsal).await?;
        let mut left_off = LeftOff::default();
        let (personas, models) = (ledger.standings(), ledger.models());
        Ok(pb::ListRatingsResponse {
            basis: Some(basis),
            personas: left_off.first(&personas).iter().map(Into::into).collect(),
            models: left_off.first(&models).iter().map(Into::into).collect(),
            left_off: left_off.0,
        })
    }

    /// All of one persona in the caller's debates.
    pub async fn persona(
        &self,
        call: &CallContext,
        request: &pb::GetPersonaRequest,
    ) -> Result<pb::PersonaRecord, Problem> {
        let (ledger, basis) = self.ledger(call, request.rehearsal).await?;
        let name = request.name.as_str();
        let unknown = || Problem::NoPersona(crate::error::cut(name));
        let record = ledger.persona(&ParticipantId::from(name)).ok_or_else(unknown)?;
        let mut left_off = LeftOff::default();
        let mut pairs: Vec<&Relationship> = record.relationships.iter().collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.debates));
        Ok(pb::PersonaRecord {
            basis: Some(basis),
            name: name.to_owned(),
            ratings: left_off.first(&record.standings).iter().map(Into::into).collect(),
            positions: left_off.last(&record.positions).iter().map(Into::into).collect(),
            flips: left_off.last(&record.flips).iter().map(Into::into).collect(),
            moments: left_off.last(&record.moments).iter().map(Into::into).collect(),
            relationships: left_off.first(&pairs).iter().map(|pair| (*pair).into()).collect(),
            left_off: left_off.0,
        })
    }

    async fn ledger(&self, call: &CallContext, rehearsal: bool) -> Result<(Ledger, pb::Basis), Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let cards = Cards::newest(self.ports.catalogue.as_ref(), &call.caller.tenant, rehearsal).await;
        let cards = cards.map_err(|error| Problem::of_store(&error))?;
        let ledger = cards.ledger();
        let basis = pb::Basis { debates: ledger.debates(), truncated: cards.truncated, rehearsal };
        Ok((ledger, basis))
    }
}

/// Rows that an answer has no room for.
#[derive(Default)]
struct LeftOff(u64);

impl LeftOff {
    fn first<'r, T>(&mut self, rows: &'r [T]) -> &'r [T] {
        let (kept, left) = rows.split_at(rows.len().min(MOST_ROWS));
        self.0 += left.len() as u64;
        kept
    }
    fn last<'r, T>(&mut self, rows: &'r [T]) -> &'r [T] {
        let (left, kept) = rows.split_at(rows.len().saturating_sub(MOST_ROWS));
        self.0 += left.len() as u64;
        kept
    }
}
