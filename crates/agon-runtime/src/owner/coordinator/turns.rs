//! The turns that a coordinator has open: offered, looked at, withdrawn.
use super::{CoordinatorStop, Msg, State};
use crate::base::clock::millis;
use crate::base::subjects;
use crate::base::tasks::tell;
use crate::cluster::TurnNeeds;
use crate::owner::due_queue::Due;
use crate::owner::offer::{self, Offered, WantedTurn};
use crate::owner::replay;
use crate::owner::turn_checks::{QueuedAt, TurnFound, TurnPlace};
use agon_core::{HostId, Input, TurnId, TurnResult};
use agon_proto::{CutTurn, DebateTurn, Hint, OwnerChanged, TurnOffer, TurnTaken};
use ractor::ActorRef;
use std::time::Duration;
use tokio::time::Instant;

impl State {
    /// `first`: this coordinator has opened the turn and offers it for the first time.
    pub(super) fn offer(&self, myself: &ActorRef<Msg>, turn: TurnId, first: bool) {
        let (Some(open), Some(debate)) = (self.turns.get(turn), self.debate.as_ref()) else { return };
        let admission = debate.admission();
        let offer = TurnOffer {
            debate: self.id.clone(),
            ask: open.ask.clone(),
            first,
            owner: Some(self.shared.config.id.clone()),
            priority: admission.priority,
            // known when it is sent
            time_left: None,
            beginning: debate.usage().calls == 0,
        };
        let until = Instant::now() + Duration::from_millis(open.ask.deadline.since(self.now()));
        let (placed, warm) = (open.host.clone(), self.warm.get(&open.ask.model).cloned());
        let needs = TurnNeeds::of(&admission.spec, &open.ask);
        let wanted = WantedTurn { offer, until, needs, rehearsal: admission.rehearsal, placed, warm };
        let (target, shared, queued) = (myself.clone(), self.shared.clone(), open.queued);
        self.scope.spawn(myself.get_cell(), async move {
            let offered =
                if queued { offer::requeue(&shared, &wanted).await } else { offer::offer(&shared, &wanted).await };
            tell(&target, Msg::Offered { turn, offered });
        });
    }

    pub(super) async fn on_offered(
        &mut self,
        myself: &ActorRef<Msg>,
        turn: TurnId,
        offered: Offered,
    ) -> Result<(), CoordinatorStop> {
        match offered {
            Offered::Accepted(host) if offer::plays_on(&self.shared, &host) => {
                self.place(turn, host);
                Ok(())
            }
            // it died in between
            Offered::Accepted(_) => {
                self.offer(myself, turn, false);
                Ok(())
            }
            Offered::Queued => {
                self.turns.queued(self.now(), turn);
                Ok(())
            }
            Offered::Unserved => {
                self.turns.queued(self.now(), turn);
                self.not_served(turn);
                Ok(())
            }
            Offered::Refused => self.look(myself, turn).await,
        }
    }

    fn not_served(&mut self, turn: TurnId) {
        let own = self.debate.as_ref().map_or(0, |debate| debate.admission().spec.timeout_per_turn_ms);
        self.turns.not_served(turn, self.now().plus(UNSERVED_GRACE.saturating_add(own)));
    }

    /// The turns that a predecessor left may be played somewhere: hosts are asked, and what none of them has taken is
    /// offered a moment later.
    pub(super) async fn ask_who_plays(&mut self, myself: &ActorRef<Msg>, left: &[TurnId]) {
        if left.is_empty() {
            return;
        }
        if self.shared.config.embedded {
            return left.iter().for_each(|turn| self.offer(myself, *turn, false));
        }
        let at = self.now().plus(ANSWER_TIME);
        left.iter().for_each(|turn| self.turns.offer_at(*turn, at));
        let owner = self.shared.config.id.clone();
        let hint = Hint::OwnerChanged(OwnerChanged { debate: self.id.clone(), owner });
        self.shared.hint_debate(&self.id, hint).await;
    }

    /// A host that was never heard of here may be one that is not known yet: it has the turn, and when it is offered again
    /// does not depend on its life.
    pub(super) fn on_taken(&mut self, taken: TurnTaken) -> Result<(), CoordinatorStop> {
        let again = self.now().plus(millis(self.shared.config.times.reoffer_after));
        self.turns.offer_at(taken.turn, again);
        match offer::plays_on(&self.shared, &taken.host) {
            true => self.place(taken.turn, taken.host),
            false => self.turns.taken(taken.turn, taken.host),
        }
        Ok(())
    }

    /// Whoever has room next plays what a host gives back.
    pub(super) fn on_returned(
        &mut self,
        myself: &ActorRef<Msg>,
        turn: TurnId,
        host: &HostId,
    ) -> Result<(), CoordinatorStop> {
        if self.turns.returned(turn, host) {
            self.offer(myself, turn, false);
        }
        Ok(())
    }

    fn place(&mut self, turn: TurnId, host: HostId) {
        if let Some(open) = self.turns.get(turn) {
            self.warm.insert(open.ask.model.clone(), host.clone());
            self.turns.placed(turn, host);
        }
    }

    /// Offers anew what was played at a host that is gone, and what nobody could play. The register decides, should
    /// the host live after all.
    pub(super) async fn hosts_changed(&mut self, myself: &ActorRef<Msg>) -> Result<(), CoordinatorStop> {
        let Some(debate) = self.debate.as_ref() else { return Ok(()) };
        let (directory, rehearsal) = (&self.shared.directory, debate.admission().rehearsal);
        let homeless =
            self.turns.homeless(|host| offer::plays_on(&self.shared, host), |model| directory.serves(model, rehearsal));
        for turn in homeless {
            self.look(myself, turn).await?;
            self.offer(myself, turn, false);
        }
        Ok(())
    }

    pub(super) async fn on_due(&mut self, myself: &ActorRef<Msg>) -> Result<(), CoordinatorStop> {
        self.alarm = None;
        for due in self.turns.due(self.now()) {
            match due {
                Due::Withdraw(turn) => self.withdraw(myself, turn).await?,
                Due::Check(turn) => self.check(myself, turn).await?,
                Due::Look(turn) => self.look(myself, turn).await?,
                Due::Offer(turn) => {
                    self.look(myself, turn).await?;
                    self.offer(myself, turn, false);
                }
                Due::Retry(turn) => self.on_input(myself, Input::RetryDue { turn }).await?,
            }
        }
        Ok(())
    }

    pub(super) async fn look_around(&mut self, myself: &ActorRef<Msg>) -> Result<(), CoordinatorStop> {
        for turn in self.turns.turns() {
            self.check(myself, turn).await?;
        }
        Ok(())
    }

    /// Has it found out whether a turn is where it is believed to be. Where nobody can tell, its register does.
    async fn check(&mut self, myself: &ActorRef<Msg>, turn: TurnId) -> Result<(), CoordinatorStop> {
        let Some(place) = self.believed_at(turn) else { return self.look(myself, turn).await };
        self.shared.turn_checks.add(DebateTurn { debate: self.id.clone(), turn }, place);
        self.cut_again(turn).await;
        Ok(())
    }

    /// Where hosts and registers are in this process, a look costs less than a question.
    fn believed_at(&self, turn: TurnId) -> Option<TurnPlace> {
        let (open, debate) = (self.turns.get(turn)?, self.debate.as_ref()?);
        if self.shared.config.embedded {
            return None;
        }
        if let Some(host) = &open.host {
            return Some(TurnPlace::Host(host.clone()));
        }
        let (priority, rehearsal) = (debate.admission().priority, debate.admission().rehearsal);
        let place = || QueuedAt {
            queue: subjects::queue(&open.ask.model, rehearsal, priority),
            subject: subjects::queued_turn((&self.id, &open.ask), priority, rehearsal),
        };
        open.queued.then(|| TurnPlace::Queue(place()))
    }

    /// A turn that is where it was believed to be has no result. What is at no host any more was lost or given back; what is
    /// in no queue was played, or is offered again when its time has come.
    pub(super) async fn on_checked(
        &mut self,
        myself: &ActorRef<Msg>,
        turn: TurnId,
        checked: TurnFound,
    ) -> Result<(), CoordinatorStop> {
        match checked {
            TurnFound::There | TurnFound::ThereToTeach => {
                self.confirmed(myself, turn, checked == TurnFound::ThereToTeach)
            }
            TurnFound::NotQueued | TurnFound::Unknown => self.look(myself, turn).await?,
            TurnFound::NotAt(host) => {
                self.look(myself, turn).await?;
                if self.turns.get(turn).is_some_and(|open| open.host.as_ref() == Some(&host)) {
                    self.on_returned(myself, turn, &host)?;
                }
            }
        }
        Ok(())
    }

    fn confirmed(&mut self, myself: &ActorRef<Msg>, turn: TurnId, teach: bool) {
        self.turns.confirmed(self.now(), turn);
        let (Some(open), Some(debate)) = (self.turns.get(turn), self.debate.as_ref()) else { return };
        if open.host.is_none() && !self.shared.directory.serves(&open.ask.model, debate.admission().rehearsal) {
            return self.not_served(turn);
        }
        if teach && open.queued {
            self.offer(myself, turn, false);
        }
    }

    /// Feeds what the register holds, if it is decided.
    pub(super) async fn look(&mut self, myself: &ActorRef<Msg>, turn: TurnId) -> Result<(), CoordinatorStop> {
        if self.turns.get(turn).is_none() {
            return Ok(());
        }
        match self.register(turn).await? {
            Some(result) => self.on_result(myself, turn, &result).await,
            None => {
                self.cut_again(turn).await;
                Ok(())
            }
        }
    }

    /// The hint may have been lost.
    async fn cut_again(&self, turn: TurnId) {
        if self.cuts.contains(&turn) {
            self.cut(turn).await;
        }
    }

    /// Has the host that plays the turn end the speech where it is.
    pub(super) async fn cut(&self, turn: TurnId) {
        let hint = Hint::CutTurn(CutTurn { debate: self.id.clone(), turn });
        self.shared.hint_debate(&self.id, hint).await;
    }

    /// The deadline races with the host for the register; whoever comes first decides. A turn that nobody could play
    /// says so.
    pub(super) async fn withdraw(&mut self, myself: &ActorRef<Msg>, turn: TurnId) -> Result<(), CoordinatorStop> {
        let (Some(open), Some(debate)) = (self.turns.get(turn), self.debate.as_ref()) else { return Ok(()) };
        let (directory, rehearsal) = (&self.shared.directory, debate.admission().rehearsal);
        let served = open.host.is_some() || directory.serves(&open.ask.model, rehearsal);
        let result = if served { TurnResult::Withdrawn } else { offer::unserved(&self.shared, &open.ask, rehearsal) };
        let result = self.decide(turn, result).await?;
        self.on_result(myself, turn, &result).await
    }

    pub(super) async fn on_result(
        &mut self,
        myself: &ActorRef<Msg>,
        turn: TurnId,
        result: &TurnResult,
    ) -> Result<(), CoordinatorStop> {
        if let Some((model, host)) = replay::placement(result) {
            self.warm.insert(model, host);
        }
        let told = self.step(Input::TurnDecided { turn, result: result.clone() }).await?;
        self.turns.close(turn);
        if told { self.perform(myself).await } else { Ok(()) }
    }

    /// One timer for all that will be due.
    pub(super) fn set_alarm(&mut self, myself: &ActorRef<Msg>) {
        let Some(next) = self.turns.next() else { return };
        // one that rings too early costs less than a new one for every turn
        if self.alarm.as_ref().is_some_and(|(at, _)| *at <= next) {
            return;
        }
        // never at once: what is due and not accepted must not turn into a busy loop
        let wait = next.since(self.now()).max(SHORTEST_ALARM);
        let alarm = self.scope.after(myself, Duration::from_millis(wait), Msg::Tick);
        if let Some((_, old)) = self.alarm.replace((next, alarm)) {
            old.abort();
        }
    }
}

/// In milliseconds.
const SHORTEST_ALARM: u64 = 5;
/// How long a turn whose model no host serves waits for one beyond its own time, in milliseconds.
const UNSERVED_GRACE: u64 = 30_000;
/// How long hosts have to say what they play, in milliseconds.
const ANSWER_TIME: u64 = 300;
