//! What a hub does: it follows its debate, draws it and sends what has changed.
use super::draw::{DrawnDebate, drawn, running_id, status, view_of};
use super::hub::{HubShared, LINGER, OpenHubs, lock, panicked};
use super::message::{self, StreamText};
use crate::words;
use agon_core::{Timestamp, TurnId};
use agon_proto::TokenDelta;
use agon_proto::pb::v1 as pb;
use agon_report::LiveView;
use agon_server::{Api, CallContext, Problem, WatchStep, WholeLog};
use futures_util::StreamExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// How often words that came are sent on.
const BEAT: Duration = Duration::from_millis(100);
/// How often a debate is drawn at most.
const DRAW: Duration = Duration::from_millis(250);
/// How often it is told what a debate does.
const TELL: Duration = Duration::from_secs(1);
/// When to look again after a failure.
const RETRY: Duration = Duration::from_secs(1);

/// What is known of a debate while it is watched.
#[derive(Clone)]
pub(super) struct HubScene {
    pub log: Arc<WholeLog>,
    view: LiveView,
    waits_for: Option<String>,
}

impl HubScene {
    pub fn begin(log: WholeLog) -> Result<(Self, DrawnDebate), Problem> {
        let view = view_of(&log);
        let scene = Self { log: Arc::new(log), view, waits_for: None };
        let drawn = scene.draw()?;
        Ok((scene, drawn))
    }
    fn draw(&self) -> Result<DrawnDebate, Problem> {
        drawn(&self.log, &self.view, words::now(), self.waits_for.as_deref())
    }
}

/// A debate as its log shows it.
pub(crate) async fn drawn_whole(log: WholeLog) -> Result<DrawnDebate, Problem> {
    let begun = tokio::task::spawn_blocking(move || HubScene::begin(log)).await.map_err(panicked)?;
    begun.map(|(_, drawn)| drawn)
}

/// The work of a hub.
pub(super) struct HubTask {
    pub api: Arc<Api>,
    pub open: Arc<OpenHubs>,
    pub call: CallContext,
    pub name: String,
    pub scene: HubScene,
    pub shared: Arc<HubShared>,
    /// Words that came since the last beat.
    pub fresh: BTreeMap<TurnId, String>,
}

/// How a watch ended.
enum WatchEnding {
    /// With the debate.
    Over,
    /// It has to be opened again.
    Again,
    /// Nobody wants to know.
    Unwatched,
}

impl HubTask {
    pub async fn run(mut self) {
        while !lock(&self.shared.stage).ended {
            match self.watch().await {
                Ok(WatchEnding::Over) | Err(Problem::Draining) => break,
                Ok(WatchEnding::Unwatched) if self.close() => return,
                Ok(WatchEnding::Again | WatchEnding::Unwatched) => {}
                Err(problem @ (Problem::NoDebate(_) | Problem::Lost(_) | Problem::DebateDeleted(_))) => {
                    lock(&self.shared.stage).ended = true;
                    self.send(message::gone(&crate::refusal::told(&problem)));
                }
                Err(problem) => {
                    self.send(message::notice(&crate::refusal::told(&problem)));
                    tokio::time::sleep(RETRY).await;
                    if self.is_unwatched() && self.close() {
                        return;
                    }
                }
            }
        }
        // those who come at once want the same; what is written later, such as another judgement, is for another hub
        tokio::time::sleep(LINGER).await;
        while !self.close() {
            tokio::time::sleep(LINGER).await;
        }
    }

    /// Whether nobody has looked for a while.
    fn is_unwatched(&self) -> bool {
        self.shared.sent.receiver_count() == 0 && lock(&self.shared.stage).visited.elapsed() >= LINGER
    }

    /// Takes the hub away, unless somebody watches.
    fn close(&self) -> bool {
        let mut open = lock(&self.open);
        let mut stage = lock(&self.shared.stage);
        if self.shared.sent.receiver_count() > 0 {
            return false;
        }
        stage.closed = true;
        let id = &stage.log.debate().admission().id;
        let known = open.get(id).and_then(|hub| hub.get());
        if known.is_some_and(|hub| hub.works_for(&self.shared)) {
            open.remove(id);
        }
        true
    }

    fn send(&self, text: StreamText) {
        // nobody may be there at the moment
        drop(self.shared.sent.send(text));
    }

    /// Follows the debate until the watch ends.
    async fn watch(&mut self) -> Result<WatchEnding, Problem> {
        let request = pb::WatchDebateRequest {
            name: self.name.clone(),
            after_sequence: self.scene.view.position().0,
            include_deltas: true,
        };
        let mut steps = self.api.watch(&self.call, &request).await?;
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut dirty, mut drew, mut told) = (true, None::<Instant>, Instant::now());
        loop {
            tokio::select! {
                step = steps.next() => match step {
                    Some(Ok(step)) => dirty |= self.take(step),
                    Some(Err(problem)) => return Err(problem),
                    None => {
                        self.redraw().await?;
                        return Ok(if self.scene.log.debate().ended().is_some() { WatchEnding::Over } else { WatchEnding::Again });
                    }
                },
                _ = beat.tick() => {
                    self.tell_words();
                    if dirty && drew.is_none_or(|drew| drew.elapsed() >= DRAW) {
                        dirty = false;
                        self.redraw().await?;
                        drew = Some(Instant::now());
                        told = Instant::now();
                    } else if told.elapsed() >= TELL {
                        told = Instant::now();
                        if self.is_unwatched() {
                            return Ok(WatchEnding::Unwatched);
                        }
                        self.tell_status()?;
                    }
                }
            }
        }
    }

    /// Takes a step in; whether the page has to be drawn again.
    fn take(&mut self, step: WatchStep) -> bool {
        match step {
            WatchStep::Snapshot(_) => false,
            WatchStep::Event(position, at, event, _) => {
                self.scene.view.lines(position, at, &event);
                self.scene.waits_for = None;
                true
            }
            WatchStep::Delta(delta) => {
                self.hear(&delta);
                false
            }
            WatchStep::Heartbeat(_, waits_for) => {
                self.scene.waits_for = waits_for;
                // nothing else tells that a process is gone which played the debate without a server
                true
            }
        }
    }

    fn hear(&mut self, delta: &TokenDelta) {
        let at = Timestamp(words::now());
        if !delta.waiting.is_empty() {
            return self.scene.view.waits(at, delta.turn, &delta.waiting);
        }
        let view = &mut self.scene.view;
        let length = |view: &LiveView| {
            view.speaking().find(|(turn, _)| *turn == delta.turn).map(|(_, speaking)| speaking.text.len())
        };
        let Some(before) = length(view) else { return };
        view.delta(at, delta.turn, delta.offset, &delta.text);
        let Some((_, speaking)) = view.speaking().find(|(turn, _)| *turn == delta.turn) else { return };
        let new = speaking.text.get(before..).unwrap_or_default();
        // an answer in JSON is for programs until it is whole; how long it is stands in the status
        if !new.is_empty() && !speaking.text.trim_start().starts_with('{') {
            self.fresh.entry(delta.turn).or_default().push_str(new);
        }
    }

    /// Sends the words that came since the last beat.
    fn tell_words(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        let mut text = String::new();
        let mut stage = lock(&self.shared.stage);
        for (turn, new) in std::mem::take(&mut self.fresh) {
            let known = stage.words.entry(turn).or_default();
            text.push_str(&message::words(&running_id(turn), known.encode_utf16().count(), &new));
            known.push_str(&new);
        }
        // whoever comes between would have them twice or not at all
        drop(self.shared.sent.send(text.into()));
    }

    /// Draws the debate as it is now, and sends what has changed.
    async fn redraw(&mut self) -> Result<(), Problem> {
        self.tell_words();
        self.scene.log = Arc::new(self.api.grown(&self.call, &self.scene.log).await?);
        let scene = self.scene.clone();
        let drawn = tokio::task::spawn_blocking(move || scene.draw()).await.map_err(panicked)??;
        let mut stage = lock(&self.shared.stage);
        stage.words.retain(|turn, _| self.scene.view.speaking().any(|(open, _)| open == *turn));
        stage.ended = drawn.over;
        stage.log = self.scene.log.clone();
        if let Some(patch) = stage.take(drawn) {
            drop(self.shared.sent.send(patch));
        }
        Ok(())
    }

    /// Sends how far the debate is, which changes with the time.
    fn tell_status(&self) -> Result<(), Problem> {
        let scene = &self.scene;
        let part = Arc::new(status(&scene.log, &scene.view, words::now(), scene.waits_for.as_deref())?);
        let mut stage = lock(&self.shared.stage);
        if let Some(old) = stage.drawn.sections.iter_mut().find(|old| old.id == part.id) {
            *old = part.clone();
        }
        drop(self.shared.sent.send(message::piece(&part)));
        Ok(())
    }
}
