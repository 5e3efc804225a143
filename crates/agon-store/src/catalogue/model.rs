//! A catalogue as simple as can be, to compare the others with.
use super::{CatalogueIndex, CatalogueQuery, DebateBacklog, ListCursor, ListState, OwnerTest, supersedes};
use agon_core::{
    DebateId, DebateState, Halt, ModelName, ModelUsage, NodeId, Outcome, Position, Priority, SummaryFigures, TenantId,
    Timestamp, UsageTotals,
};
use agon_proto::{DebateSummary, SummaryState};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A change.
#[derive(Clone, Debug)]
pub(crate) enum CatalogueStep {
    Note(Box<DebateSummary>),
    Strike(DebateId),
}

#[derive(Default)]
pub(crate) struct CatalogueModel(Vec<DebateSummary>);

impl CatalogueModel {
    pub(crate) fn take(&mut self, step: CatalogueStep) {
        match step {
            CatalogueStep::Note(new) => {
                if self.0.iter().all(|old| old.id != new.id || supersedes(&new, old)) {
                    self.0.retain(|old| old.id != new.id);
                    self.0.push(*new);
                }
            }
            CatalogueStep::Strike(id) => self.0.retain(|old| old.id != id),
        }
        self.0.sort_by_key(|summary| (summary.admitted, summary.id.clone()));
    }
    pub(crate) fn find(&self, query: &CatalogueQuery) -> Vec<DebateSummary> {
        let models = |summary: &DebateSummary| {
            let figures = summary.figures.iter().flat_map(|figures| &figures.models);
            figures.map(|known| known.model.clone()).collect::<BTreeSet<_>>()
        };
        let wanted: BTreeSet<_> = query.models.iter().cloned().collect();
        let called = |summary: &&DebateSummary| wanted.is_empty() || !wanted.is_disjoint(&models(summary));
        let others = CatalogueQuery { models: Vec::new(), ..query.clone() };
        let fitting = self.0.iter().rev().filter(|summary| others.fits(summary)).filter(called);
        fitting.take(query.limit).cloned().collect()
    }
    pub(crate) fn standing(&self) -> DebateBacklog {
        let mut standing = DebateBacklog::default();
        for summary in self.unfinished() {
            match summary.state {
                SummaryState::Queued => {
                    *standing.queued.entry(summary.priority).or_default() += 1;
                    standing.oldest = standing.oldest.into_iter().chain([summary.admitted]).min();
                }
                SummaryState::Running { owner } => *standing.running.entry(owner).or_default() += 1,
                SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => {}
            }
        }
        standing
    }
    pub(crate) fn left(&self, is_gone: &OwnerTest<'_>) -> BTreeSet<DebateId> {
        let is_left = |summary: &&DebateSummary| match &summary.state {
            SummaryState::Queued => summary.epoch > 0,
            SummaryState::Running { owner } => is_gone(owner),
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
        };
        self.0.iter().filter(is_left).map(|summary| summary.id.clone()).collect()
    }
    pub(crate) fn unfinished(&self) -> Vec<DebateSummary> {
        let over = |summary: &&DebateSummary| {
            matches!(summary.state, SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. })
        };
        self.0.iter().filter(|summary| !over(summary)).cloned().collect()
    }
}

fn id() -> impl Strategy<Value = DebateId> {
    (prop::sample::select(vec!["default", "acme", "z"]), 0..4_u8)
        .prop_map(|(tenant, n)| DebateId::in_tenant(&TenantId::parse(tenant).unwrap(), &format!("debate-{n}")).unwrap())
}

fn models() -> impl Strategy<Value = Vec<ModelName>> {
    prop::sample::subsequence(vec![ModelName::from("one"), ModelName::from("two"), ModelName::from("three")], 0..=2)
}

fn summary() -> impl Strategy<Value = DebateSummary> {
    let priority = prop::sample::select(Priority::ALL.to_vec());
    let state = prop_oneof![
        Just(SummaryState::Queued),
        Just(SummaryState::Local),
        Just(SummaryState::Halted(Halt::Paused)),
        Just(SummaryState::Halted(Halt::Interrupted)),
        Just(SummaryState::Running { owner: NodeId::from("node") }),
        Just(SummaryState::Running { owner: NodeId::from("other") }),
        Just(SummaryState::Ended { state: DebateState::Succeeded, outcome: Some(Outcome::Tie) }),
    ];
    let counts = (0..3_u64, 0..3_u64, 0..5_u64);
    let figures = prop::option::of(models().prop_map(|models| SummaryFigures {
        models: models.into_iter().map(|model| ModelUsage { model, usage: UsageTotals::default() }).collect(),
        ..SummaryFigures::default()
    }));
    let parts = (id(), state, priority, counts, figures);
    parts.prop_map(|(id, state, priority, (epoch, last, admitted), figures)| DebateSummary {
        topic: format!("Topic {epoch}"),
        id,
        state,
        labels: Default::default(),
        priority,
        creator: None,
        rehearsal: false,
        epoch,
        last: Position(last),
        admitted: Timestamp(admitted),
        updated: Timestamp(last),
        card: None,
        paused_ms: 0,
        claimed: None,
        rounds: None,
        figures,
    })
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<CatalogueStep>> {
    let step = prop_oneof![4 => summary().prop_map(|summary| CatalogueStep::Note(Box::new(summary))), 1 => id().prop_map(CatalogueStep::Strike)];
    prop::collection::vec(step, 0..40)
}

pub(crate) fn query() -> impl Strategy<Value = CatalogueQuery> {
    let tenant = prop::option::of(prop::sample::select(vec!["default", "acme", "z", "nobody"]));
    let moment = || prop::option::of((0..6_u64).prop_map(Timestamp));
    let after = prop::option::of((0..6_u64, id()));
    let states = prop::sample::subsequence(
        vec![ListState::Queued, ListState::Running, ListState::Local, ListState::Halted(Halt::Interrupted)],
        0..=4,
    );
    let parts = (tenant, 0..6_usize, after, moment(), moment(), states, models());
    parts.prop_map(|(tenant, limit, after, from, before, states, models)| CatalogueQuery {
        tenant: tenant.map(|tenant| TenantId::parse(tenant).unwrap()),
        limit,
        after: after.map(|(admitted, id)| ListCursor { admitted: Timestamp(admitted), id }),
        states,
        admitted_from: from,
        admitted_before: before,
        models,
        ..CatalogueQuery::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn an_index_is_what_a_sorted_list_is(steps in steps(), queries in prop::collection::vec(query(), 1..10)) {
        let (mut index, mut model) = (CatalogueIndex::default(), CatalogueModel::default());
        for step in steps {
            match step.clone() {
                CatalogueStep::Note(summary) => { index.note(*summary); },
                CatalogueStep::Strike(id) => { index.strike(&id); },
            }
            model.take(step);
            prop_assert_eq!(index.unfinished(), model.unfinished());
            prop_assert_eq!(index.standing(), model.standing());
            for owner in ["node", "other"].map(NodeId::from) {
                let is_gone = move |of: &NodeId| *of == owner;
                prop_assert_eq!(index.left(&is_gone).into_iter().collect::<BTreeSet<_>>(), model.left(&is_gone));
            }
        }
        for query in queries {
            prop_assert_eq!(index.find(&query), model.find(&query));
        }
    }
}
