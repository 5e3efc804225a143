//! Finding debates.
use super::page::Listing;
use super::{Api, CallContext, view};
use crate::auth::Scope;
use crate::error::{Problem, Violation};
use agon_core::{DebateId, DebateState, Halt, ModelName, Outcome, TenantId, Timestamp};
use agon_proto::pb::debate::v1 as debate_v1;
use agon_proto::pb::v1 as pb;
use agon_proto::{DebateSummary, SummaryState};
use agon_store::{CatalogueQuery, ListCursor, ListState};
use futures_util::{StreamExt as _, stream};
use pb::debate::State;

const PAGE: usize = 50;
const MAX_PAGE: usize = 1_000;
/// Pages of the catalogue that one call looks through; where few fit, a page may be short and go on.
const MAX_LOOKS: usize = 20;
/// Orders that are looked up at once.
const LOOK_UPS: usize = 32;

/// A size of pages: absent or 0 is the default, larger ones are cut.
pub(super) fn page_size(asked: i32, usual: usize, most: usize) -> Result<usize, Problem> {
    match usize::try_from(asked) {
        Ok(0) => Ok(usual),
        Ok(size) => Ok(size.min(most)),
        Err(_) => Err(Problem::invalid("page_size", "a page size is 0 or more")),
    }
}

impl Api {
    /// The caller's debates, newest first.
    pub async fn list(
        &self,
        call: &CallContext,
        request: &pb::ListDebatesRequest,
    ) -> Result<pb::ListDebatesResponse, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let size = page_size(request.page_size, PAGE, MAX_PAGE)?;
        let filter = request.filter.clone().unwrap_or_default();
        let tenant = &call.caller.tenant;
        let listing = Listing { tenant, filter: &filter };
        let states = states(&filter)?;
        let mut query = query(&filter, &states, tenant)?;
        query.after = listing.place(&request.page_token)?;
        let mut debates = Vec::new();
        for _ in 0..MAX_LOOKS {
            query.limit = size - debates.len();
            let found = self.ports.catalogue.find(&query).await.map_err(|error| Problem::of_store(&error))?;
            let whole = found.len() == query.limit;
            query.after = found.last().map(place).or(query.after);
            debates.extend(self.shown(found).await?.into_iter().filter(|debate| fits(&states, debate)));
            if !whole {
                return Ok(pb::ListDebatesResponse { debates, next_page_token: String::new() });
            }
            if debates.len() >= size {
                break;
            }
        }
        let next_page_token = query.after.map(|place| listing.token(&place)).unwrap_or_default();
        Ok(pb::ListDebatesResponse { debates, next_page_token })
    }

    /// The debates that judge one of these again, newest first: as many as a page has at most.
    pub async fn rejudgements(&self, call: &CallContext, of: &[pb::Debate]) -> Result<Vec<pb::Debate>, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let tenant = &call.caller.tenant;
        let ended = of.iter().filter(|debate| debate.end_time.is_some());
        let rejudges: Vec<_> =
            ended.clone().filter_map(|debate| DebateId::in_tenant(tenant, &debate.id).ok()).collect();
        if rejudges.is_empty() {
            return Ok(Vec::new());
        }
        let admitted_from = ended.filter_map(|debate| debate.end_time.as_ref().and_then(millis)).min();
        let tenant = Some(tenant.clone());
        let query = CatalogueQuery { tenant, limit: MAX_PAGE, admitted_from, rejudges, ..CatalogueQuery::default() };
        let found = self.ports.catalogue.find(&query).await.map_err(|error| Problem::of_store(&error))?;
        self.shown(found).await
    }

    /// The summaries as resources; of the unfinished ones it is looked up whether they are ordered to end.
    async fn shown(&self, found: Vec<DebateSummary>) -> Result<Vec<pb::Debate>, Problem> {
        let shown = stream::iter(found).map(|summary| async move {
            // where logs cannot be looked at, what is noted is better than nothing
            if self.ports.upkeep.is_lost(&summary.id, summary.admitted).await.unwrap_or(false) {
                return Ok(view::lost(&summary, &self.prices));
            }
            let over = summary.state.is_over();
            let order = if over { None } else { self.ports.commands.cancel_ordered(&summary.id).await.unwrap_or(None) };
            // the catalogue is told of a debate of `agon run` when it begins and when it ends
            if matches!(summary.state, SummaryState::Local)
                && let Ok(shown) = self.resource(&summary.id, false).await
            {
                return Ok(shown);
            }
            Ok(view::listed(&summary, &self.prices, order.is_some()))
        });
        let shown: Vec<Result<_, Problem>> = shown.buffered(LOOK_UPS).collect().await;
        shown.into_iter().collect()
    }
}

fn place(summary: &DebateSummary) -> ListCursor {
    ListCursor { admitted: summary.admitted, id: summary.id.clone() }
}

fn fits(states: &[State], debate: &pb::Debate) -> bool {
    states.is_empty() || states.contains(&debate.state())
}

fn states(filter: &pb::DebateFilter) -> Result<Vec<State>, Problem> {
    let one = |(at, number): (usize, &i32)| match State::try_from(*number) {
        Ok(State::Unspecified) | Err(_) => {
            Err(Problem::invalid(format!("filter.states[{at}]"), format!("there is no state {number}")))
        }
        Ok(state) => Ok(state),
    };
    filter.states.iter().enumerate().map(one).collect()
}

/// The catalogue knows nothing of orders and of processes, so that what they change is found among what they may change.
fn list_states(state: State) -> Vec<ListState> {
    let halted = [Halt::Paused, Halt::Interrupted].map(ListState::Halted);
    match state {
        State::Unspecified => Vec::new(),
        State::Queued => vec![ListState::Queued],
        State::Running => vec![ListState::Running, ListState::Local],
        State::Cancelling => {
            [ListState::Queued, ListState::Running, ListState::Local].into_iter().chain(halted).collect()
        }
        State::Paused => vec![ListState::Local, ListState::Halted(Halt::Paused)],
        State::Interrupted => vec![ListState::Local, ListState::Halted(Halt::Interrupted)],
        // whatever was known of it last
        State::Lost => {
            let open = [ListState::Queued, ListState::Running, ListState::Local];
            let ended = [DebateState::Succeeded, DebateState::Failed, DebateState::Cancelled].map(ListState::Ended);
            open.into_iter().chain(halted).chain(ended).collect()
        }
        State::Succeeded => vec![ListState::Ended(DebateState::Succeeded)],
        State::Failed => vec![ListState::Ended(DebateState::Failed)],
        State::Cancelled => vec![ListState::Ended(DebateState::Cancelled)],
    }
}

fn query(filter: &pb::DebateFilter, states: &[State], tenant: &TenantId) -> Result<CatalogueQuery, Problem> {
    let mut wrong = Vec::new();
    let outcomes = filter.outcomes.iter().enumerate().filter_map(|(at, number)| {
        let outcome = debate_v1::Outcome::try_from(*number).ok().and_then(|outcome| Outcome::try_from(outcome).ok());
        if outcome.is_none() {
            wrong.push(Violation::of(format!("filter.outcomes[{at}]"), format!("there is no outcome {number}")));
        }
        outcome
    });
    let outcomes = outcomes.collect();
    let nameless = filter.models.iter().enumerate().filter(|(_, name)| name.is_empty());
    wrong.extend(nameless.map(|(at, _)| Violation::of(format!("filter.models[{at}]"), "a model has a name")));
    let mut moment = |field: &str, at: Option<prost_types::Timestamp>| {
        let read = at.map_or(Some(None), |at| millis(&at).map(Some));
        if read.is_none() {
            wrong.push(Violation::of(format!("filter.{field}"), "a moment lies after 1970"));
        }
        read.flatten()
    };
    let admitted_from = moment("created_after", filter.created_after);
    let admitted_before = moment("created_before", filter.created_before);
    if !wrong.is_empty() {
        return Err(Problem::Invalid(wrong));
    }
    let mut listed: Vec<ListState> = states.iter().copied().flat_map(list_states).collect();
    listed.dedup();
    Ok(CatalogueQuery {
        tenant: Some(tenant.clone()),
        limit: 0,
        after: None,
        states: listed,
        outcomes,
        labels: filter.labels.clone(),
        without_label: Some(filter.without_label.clone()).filter(|label| !label.is_empty()),
        admitted_from,
        admitted_before,
        text: Some(filter.text.clone()).filter(|text| !text.is_empty()),
        models: filter.models.iter().map(|name| ModelName::from(name.as_str())).collect(),
        rejudges: Vec::new(),
    })
}

fn millis(at: &prost_types::Timestamp) -> Option<Timestamp> {
    let (seconds, nanos) = (u64::try_from(at.seconds).ok()?, u64::try_from(at.nanos).ok()?);
    Some(Timestamp(seconds.checked_mul(1_000)?.checked_add(nanos / 1_000_000)?))
}
