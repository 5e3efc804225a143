//! One debate: showing, cancelling, removing it.
use super::create::ClaimKind;
use super::list::page_size;
use super::view::{self, FoldedLog, ViewExtras};
use super::{Api, CallContext, named};
use crate::auth::Scope;
use crate::error::Problem;
use agon_core::{DebateId, Event, Halt, Position, Record, Timestamp};
use agon_eval::is_cell_id;
use agon_proto::pb::v1 as pb;
use agon_runtime::{CancelError, PauseError, ResumeError};
use agon_store::{AppendError, CancelOrder, LocalState, StoreError, VerifiedLog, chain};
use std::borrow::Cow;
use std::sync::Arc;

const EVENTS: usize = 200;
const MAX_EVENTS: usize = 1_000;
/// Bytes of the reason of a cancellation.
pub(super) const MAX_REASON: usize = 1_024;

/// A debate's log as it was read, and what stands beside it.
pub struct WholeLog {
    folded: FoldedLog,
    cancelling: bool,
    head: Option<String>,
}

impl WholeLog {
    /// Its events that watchers may see, in order, each with its place and time.
    pub fn shown_events(&self) -> impl Iterator<Item = (Position, Timestamp, Cow<'_, Event>)> {
        self.folded.shown_events()
    }
    /// What calls cost here.
    pub fn prices(&self) -> &agon_report::Prices {
        &self.folded.prices
    }
    /// The fold.
    pub fn debate(&self) -> &agon_core::Debate {
        &self.folded.debate
    }
    /// The log as reports read it.
    pub fn minutes(&self) -> Result<agon_report::Minutes<'_>, Problem> {
        self.folded.minutes(self.head.as_deref())
    }
    /// Whether the process is gone that played it without a server.
    pub fn is_left(&self) -> bool {
        self.folded.halt.is_some()
    }
    /// The debate as the API shows it, without spec and result.
    pub fn resource(&self) -> Result<pb::Debate, Problem> {
        self.folded.resource(ViewExtras { full: false, cancelling: self.cancelling, log_head: None })
    }
}

impl Api {
    /// The log of a debate, for whoever draws it.
    pub async fn debate_log(&self, call: &CallContext, name: &str) -> Result<WholeLog, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let debate = named(&call.caller, name)?;
        self.shown_log(&debate, self.log(&debate).await?).await
    }

    /// The id of a debate that the caller may read, if there is such a debate.
    pub fn readable(&self, call: &CallContext, name: &str) -> Result<DebateId, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        named(&call.caller, name)
    }

    /// The same log with what was written since.
    pub async fn grown(&self, call: &CallContext, log: &WholeLog) -> Result<WholeLog, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let debate = log.debate().admission().id.clone();
        let mut records = log.folded.records.clone();
        let after = records.last().map_or(Position(0), |record| record.last());
        records.extend(self.log_after(&debate, after).await?);
        self.shown_log(&debate, records).await
    }

    async fn shown_log(&self, debate: &DebateId, records: Vec<Arc<Record>>) -> Result<WholeLog, Problem> {
        let folded = self.folded_from(debate, records).await?;
        let cancelling = folded.debate.ended().is_none() && self.cancel_ordered(debate).await?;
        let head = self.log_head(&folded).await?;
        Ok(WholeLog { folded, cancelling, head })
    }

    /// One debate.
    pub async fn get(&self, call: &CallContext, request: &pb::GetDebateRequest) -> Result<pb::Debate, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let debate = named(&call.caller, &request.name)?;
        let full = match pb::DebateView::try_from(request.view) {
            Ok(pb::DebateView::Unspecified | pb::DebateView::Full) => true,
            Ok(pb::DebateView::Basic) => false,
            Err(_) => return Err(Problem::invalid("view", format!("there is no view {}", request.view))),
        };
        match self.resource(&debate, full).await {
            Err(Problem::Lost(name)) => {
                let known = self.lost(&debate).await?;
                known.map(|known| view::lost(&known, &self.prices)).ok_or(Problem::NoDebate(name))
            }
            shown => shown,
        }
    }

    /// A debate as its log shows it now.
    pub(super) async fn resource(&self, debate: &DebateId, full: bool) -> Result<pb::Debate, Problem> {
        let folded = self.folded(debate).await?;
        self.shown_as(&folded, full).await
    }

    pub(super) async fn folded(&self, debate: &DebateId) -> Result<FoldedLog, Problem> {
        self.folded_from(debate, self.log(debate).await?).await
    }

    async fn folded_from(&self, debate: &DebateId, records: Vec<Arc<Record>>) -> Result<FoldedLog, Problem> {
        let mut folded = FoldedLog::of(debate, records, Arc::clone(&self.prices))?;
        if folded.debate.ended().is_none() {
            folded.halt = self.halt(debate).await?;
        }
        Ok(folded)
    }

    /// Why nobody plays a debate that has not ended.
    pub(super) async fn halt(&self, debate: &DebateId) -> Result<Option<Halt>, Problem> {
        match self.local(debate).await? {
            Some(LocalState::Halted(halt)) => Ok(Some(halt)),
            Some(LocalState::Played(_)) | None => Ok(None),
        }
    }

    /// How a debate of `agon run` stands.
    pub(super) async fn local(&self, debate: &DebateId) -> Result<Option<LocalState>, Problem> {
        self.ports.upkeep.local(debate).await.map_err(|error| Problem::of_store(&error))
    }

    pub(super) async fn shown_as(&self, folded: &FoldedLog, full: bool) -> Result<pb::Debate, Problem> {
        let debate = &folded.debate.admission().id;
        let cancelling = folded.debate.ended().is_none() && self.cancel_ordered(debate).await?;
        let head = if full { self.log_head(folded).await? } else { None };
        folded.resource(ViewExtras { full, cancelling, log_head: head.as_deref() })
    }

    async fn cancel_ordered(&self, debate: &DebateId) -> Result<bool, Problem> {
        let order = self.ports.commands.cancel_ordered(debate).await;
        order.map(|order| order.is_some()).map_err(|error| Problem::of_store(&error))
    }

    /// The hash that stands for the whole log of a debate that is over.
    pub(super) async fn log_head(&self, folded: &FoldedLog) -> Result<Option<String>, Problem> {
        if folded.debate.ended().is_none() {
            return Ok(None);
        }
        let records = self.ports.upkeep.raw_records(&folded.debate.admission().id).await;
        let records = records.map_err(|error| Problem::of_store(&error))?;
        Ok(records.last().map(|record| chain::hex(&record.hash)))
    }

    /// Orders a debate to end. Ordering twice is one order; a debate that is over stays as it is.
    pub async fn cancel(&self, call: &CallContext, request: &pb::CancelDebateRequest) -> Result<pb::Debate, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let debate = named(&call.caller, &request.name)?;
        check_reason(&request.reason)?;
        let folded = self.folded(&debate).await?;
        if folded.debate.ended().is_none() {
            let reason = if request.reason.is_empty() { "cancelled by its client" } else { &request.reason };
            let by = call.caller.principal.as_deref();
            if let Some(LocalState::Played(_)) = self.handed_over(&folded, "cancel").await? {
                // its process finds the order
                let order = CancelOrder { reason: reason.to_owned(), by: by.map(str::to_owned) };
                let ordered = self.ports.commands.order_cancel(&debate, order).await;
                ordered.map_err(|error| Problem::of_store(&error))?;
                return self.resource(&debate, true).await;
            }
            match self.ports.node.cancel(&debate, reason, by).await {
                // it ended in between
                Ok(()) | Err(CancelError::Ended { .. }) => {}
                Err(CancelError::Unknown(debate)) => return Err(Problem::no_debate(&debate)),
                Err(CancelError::Store(error)) => return Err(Problem::of_store(&error)),
            }
        }
        self.resource(&debate, true).await
    }

    /// Pauses a debate. Pausing twice is one pause, and one that nobody plays stays as it is; a debate that is over is refused.
    pub async fn pause(&self, call: &CallContext, request: &pb::PauseDebateRequest) -> Result<pb::Debate, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let debate = named(&call.caller, &request.name)?;
        check_reason(&request.reason)?;
        self.folded(&debate).await?;
        self.of_no_eval(&debate, "cancel").await?;
        let by = call.caller.principal.as_ref().map(|by| format!("by {by}"));
        let said = Some(request.reason.clone()).filter(|reason| !reason.is_empty());
        let detail = [said, by].into_iter().flatten().collect::<Vec<_>>().join(", ");
        let paused = self.ports.node.pause(&debate, Some(detail).filter(|detail| !detail.is_empty())).await;
        paused.map_err(|error| of_pause(&error))?;
        self.resource(&debate, true).await
    }

    /// Has a paused or interrupted debate continued. Doing so twice is one resumption; a debate that runs or is over is refused.
    pub async fn resume(&self, call: &CallContext, request: &pb::ResumeDebateRequest) -> Result<pb::Debate, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let debate = named(&call.caller, &request.name)?;
        let folded = self.folded(&debate).await?;
        let by = call.caller.principal.as_deref();
        let resumed = match self.handed_over(&folded, "resume").await? {
            None => self.ports.node.resume(&debate, by).await,
            Some(LocalState::Halted(_)) => self.ports.node.take_over(&debate, by).await,
            Some(LocalState::Played(owner)) => {
                let debate = debate.name().to_owned();
                let detail = format!("debate {debate} is played by process {} on {:?}", owner.pid, owner.host);
                return Err(Problem::State { debate, detail });
            }
        };
        resumed.map_err(|error| of_resume(&error))?;
        self.resource(&debate, true).await
    }

    /// Refuses a debate of `agon eval run`, whose eval alone gives orders to it.
    async fn of_no_eval(&self, debate: &DebateId, command: &str) -> Result<(), Problem> {
        if !is_cell_id(debate.name()) || self.local(debate).await?.is_none() {
            return Ok(());
        }
        let debate = debate.name().to_owned();
        let detail = format!("debate {debate} belongs to an eval; on its machine: agon eval {command}");
        Err(Problem::State { debate, detail })
    }

    /// How a debate of `agon run` stood. One that nobody plays belongs to the servers of its store from then on; those of an eval
    /// stay with it.
    async fn handed_over(&self, folded: &FoldedLog, command: &str) -> Result<Option<LocalState>, Problem> {
        let admission = folded.debate.admission();
        self.of_no_eval(&admission.id, command).await?;
        let handed_over = self.ports.upkeep.hand_over(&admission.id, admission.priority).await;
        handed_over.map_err(|error| Problem::of_store(&error))
    }

    /// Whether the hash chain of a debate's log holds.
    pub async fn verify(
        &self,
        call: &CallContext,
        request: &pb::VerifyDebateRequest,
    ) -> Result<pb::VerifyDebateResponse, Problem> {
        use pb::verify_debate_response::{Damage, Found, Whole};
        call.caller.require(Scope::DebatesRead)?;
        let debate = named(&call.caller, &request.name)?;
        let found = match self.ports.upkeep.verify(&debate).await {
            Ok(VerifiedLog { records, events, head_hash }) => {
                Found::Whole(Whole { records, events, hash: chain::hex(&head_hash) })
            }
            Err(StoreError::Damaged { at, detail, .. }) => Found::Damaged(Damage { event: at.0, detail }),
            Err(StoreError::NotFound(_)) => return Err(self.missing(&debate).await?),
            Err(error @ (StoreError::Backend(_) | StoreError::Full(_))) => {
                return Err(Problem::of_store(&error));
            }
        };
        Ok(pb::VerifyDebateResponse { id: debate.name().to_owned(), found: Some(found) })
    }

    /// Removes a debate that is over, or whose log is gone or damaged: also what a deletion that failed has left.
    pub async fn delete(&self, call: &CallContext, request: &pb::DeleteDebateRequest) -> Result<(), Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let debate = named(&call.caller, &request.name)?;
        match self.folded(&debate).await {
            Ok(folded) if folded.debate.ended().is_none() => {
                return Err(Problem::NotOver(debate.name().to_owned()));
            }
            // what is left of it
            Ok(_) | Err(Problem::Lost(_)) => {}
            // nobody can go on with it, unless it is a process that has not seen the damage
            Err(Problem::Damaged { .. }) => {
                if matches!(self.local(&debate).await?, Some(LocalState::Played(_))) {
                    return Err(Problem::NotOver(debate.name().to_owned()));
                }
            }
            Err(Problem::NoDebate(_)) if self.is_listed(&debate).await? => {}
            Err(problem) => return Err(problem),
        }
        self.mark_deleted(&debate, ClaimKind::Debate).await?;
        self.ports.upkeep.delete(&debate).await.map_err(|error| Problem::of_store(&error))?;
        self.ports.journal.forget(&debate);
        Ok(())
    }

    /// Whether the catalogue knows a debate.
    async fn is_listed(&self, debate: &DebateId) -> Result<bool, Problem> {
        let known = self.ports.catalogue.get_summary(debate).await;
        known.map(|known| known.is_some()).map_err(|error| Problem::of_store(&error))
    }

    /// A page of events. Events of one step are not parted.
    pub async fn events(
        &self,
        call: &CallContext,
        request: &pb::ListDebateEventsRequest,
    ) -> Result<pb::ListDebateEventsResponse, Problem> {
        let (events, more) = self.event_page(call, request, Extent::Log).await?;
        let events = events.iter().map(|(position, at, event)| event_message(*position, *at, event)).collect();
        Ok(pb::ListDebateEventsResponse { events, more })
    }

    /// The page of events that the debate file lets clients see, and whether more are there.
    pub async fn shown_page(
        &self,
        call: &CallContext,
        request: &pb::ListDebateEventsRequest,
    ) -> Result<(Vec<(Position, Timestamp, Event)>, bool), Problem> {
        self.event_page(call, request, Extent::Clients).await
    }

    /// A page of events, and whether more are there.
    async fn event_page(
        &self,
        call: &CallContext,
        request: &pb::ListDebateEventsRequest,
        extent: Extent,
    ) -> Result<(Vec<(Position, Timestamp, Event)>, bool), Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let debate = named(&call.caller, &request.name)?;
        let size = page_size(request.page_size, EVENTS, MAX_EVENTS)?;
        let Some(admission) = self.admitted(&debate).await? else {
            return Err(self.missing(&debate).await?);
        };
        let whole = extent == Extent::Log
            && (!agon_report::hides_from_clients(&admission.spec)
                || self.folded(&debate).await?.debate.ended().is_some());
        let shown = |event: &Event| match whole {
            true => Some(event.clone()),
            false => agon_report::for_clients(&admission.spec, event).map(Cow::into_owned),
        };
        let mut after = Position(request.after_sequence);
        let mut events = Vec::new();
        loop {
            let records = self.ports.journal.read(&debate, after).await.map_err(|error| Problem::of_store(&error))?;
            // A store that gives what was read already has nothing more.
            if records.last().is_none_or(|last| last.last() <= after) {
                break;
            }
            for record in &records {
                if events.len() >= size {
                    return Ok((events, true));
                }
                let new = record.entries().filter(|(position, _)| *position > after);
                events.extend(new.filter_map(|(position, event)| Some((position, record.at, shown(event)?))));
                after = after.max(record.last());
            }
        }
        Ok((events, false))
    }
}

/// Which events a page has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The whole log once the debate has ended; until then the same as [`Self::Clients`].
    Log,
    /// Those that the debate file lets clients see, also afterwards.
    Clients,
}

fn check_reason(reason: &str) -> Result<(), Problem> {
    match reason.len() {
        found if found > MAX_REASON => {
            Err(Problem::invalid("reason", format!("{found} bytes; a reason has at most {MAX_REASON}")))
        }
        _ => Ok(()),
    }
}

fn of_pause(error: &PauseError) -> Problem {
    match error {
        PauseError::Unknown(debate) => Problem::no_debate(debate),
        PauseError::Ended { debate, .. } => {
            let debate = debate.name().to_owned();
            let detail = format!("debate {debate} is over; only one that has not ended can be paused");
            Problem::State { debate, detail }
        }
        PauseError::Append(AppendError::Store(error)) => Problem::of_store(error),
        PauseError::Append(AppendError::Fenced { .. } | AppendError::Unsure(_)) => {
            Problem::Unavailable("it is unknown whether the pause was written down".to_owned())
        }
    }
}

fn of_resume(error: &ResumeError) -> Problem {
    match error {
        ResumeError::Unknown(debate) => Problem::no_debate(debate),
        ResumeError::Ended { debate, .. } | ResumeError::Runs(debate) => {
            let why = if matches!(error, ResumeError::Runs(_)) { "is not paused or interrupted" } else { "is over" };
            let debate = debate.name().to_owned();
            let detail = format!("debate {debate} {why}; only a paused or interrupted debate can be resumed");
            Problem::State { debate, detail }
        }
        ResumeError::Append(AppendError::Store(error)) | ResumeError::Queue(error) => Problem::of_store(error),
        ResumeError::Append(AppendError::Fenced { .. } | AppendError::Unsure(_)) => {
            Problem::Unavailable("it is unknown whether the resumption was written down".to_owned())
        }
    }
}

/// An event as the API carries it.
pub(crate) fn event_message(position: Position, at: Timestamp, event: &Event) -> pb::DebateEvent {
    pb::DebateEvent {
        sequence: position.0,
        time: Some(super::view::timestamp(at)),
        event: Some(event.into()),
        calls_done: None,
        calls_planned: None,
    }
}
