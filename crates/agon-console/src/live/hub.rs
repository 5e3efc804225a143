//! One who watches a debate for all whose browsers show it.
use super::draw::{DrawnDebate, drawn, running_id, status, view_of};
use super::message::{self, StreamText};
use crate::words;
use agon_core::{Position, Timestamp, TurnId};
use agon_proto::TokenDelta;
use agon_proto::pb::v1 as pb;
use agon_report::LiveView;
use agon_server::{Api, CallContext, Problem, WatchPlace, WatchStep, WholeLog};
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How often words that came are sent on.
const BEAT: Duration = Duration::from_millis(100);
/// How often a debate is drawn at most.
const DRAW: Duration = Duration::from_millis(250);
/// How often it is told what a debate does.
const TELL: Duration = Duration::from_secs(1);
/// When to look again after a failure.
const RETRY: Duration = Duration::from_secs(1);
/// How often a silent stream gives a sign of life.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How long one browser is served before it has to come again, and to show who it is.
const STAY: Duration = Duration::from_secs(1_800);
/// Messages that a slow browser may be behind; then it is sent everything anew.
const BEHIND: usize = 256;

/// The debates that somebody watches.
pub(crate) struct Hubs {
    api: Arc<Api>,
    open: Mutex<HashMap<String, Weak<Hub>>>,
}

impl Hubs {
    pub fn new(api: Arc<Api>) -> Self {
        Self { api, open: Mutex::new(HashMap::new()) }
    }

    /// The hub of a debate: the one that is open, or a new one.
    pub async fn of(&self, call: &CallContext, name: &str) -> Result<Arc<Hub>, Problem> {
        let log = match self.known(call, name) {
            Some(hub) => return Ok(hub),
            None => self.api.debate_log(call, name).await?,
        };
        let key = log.debate().admission().id.to_string();
        let (scene, drawn) = tokio::task::spawn_blocking(move || HubScene::begin(log)).await.map_err(panicked)??;
        let mut open = lock(&self.open);
        // somebody may have been faster
        if let Some(hub) = open.get(&key).and_then(Weak::upgrade) {
            return Ok(hub);
        }
        open.retain(|_, hub| hub.strong_count() > 0);
        let hub = Hub::start(self.api.clone(), call.clone(), name.to_owned(), scene, drawn);
        open.insert(key, Arc::downgrade(&hub));
        Ok(hub)
    }

    fn known(&self, call: &CallContext, name: &str) -> Option<Arc<Hub>> {
        let id = agon_core::DebateId::in_tenant(&call.caller.tenant, name).ok()?;
        lock(&self.open).get(&id.to_string()).and_then(Weak::upgrade)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn panicked(error: tokio::task::JoinError) -> Problem {
    Problem::Internal(format!("the debate was not drawn: {error}"))
}

/// What is known of a debate while it is watched.
#[derive(Clone)]
struct HubScene {
    log: Arc<WholeLog>,
    view: LiveView,
    waits_for: Option<String>,
}

impl HubScene {
    fn begin(log: WholeLog) -> Result<(Self, DrawnDebate), Problem> {
        let view = view_of(&log);
        let scene = Self { log: Arc::new(log), view, waits_for: None };
        let drawn = scene.draw()?;
        Ok((scene, drawn))
    }
    fn draw(&self) -> Result<DrawnDebate, Problem> {
        drawn(&self.log, &self.view, words::now(), self.waits_for.as_deref())
    }
}

/// The hub of one debate. It works for as long as somebody holds it.
pub(crate) struct Hub {
    shared: Arc<HubShared>,
    _work: AbortOnDropHandle<()>,
}

struct HubShared {
    stage: Mutex<HubStage>,
    sent: broadcast::Sender<StreamText>,
    stop: CancellationToken,
}

/// What one who comes now is shown.
struct HubStage {
    drawn: DrawnDebate,
    /// With which event each piece changed last.
    changed: BTreeMap<String, Position>,
    /// The words of running speeches so far.
    words: BTreeMap<TurnId, String>,
    /// Nothing more will be sent.
    ended: bool,
}

impl Hub {
    fn start(api: Arc<Api>, call: CallContext, name: String, scene: HubScene, drawn: DrawnDebate) -> Arc<Self> {
        let (sent, _) = broadcast::channel(BEHIND);
        let ended = drawn.over;
        // one who comes from an earlier event has seen these pieces otherwise, and nobody knows which
        let changed = drawn.parts().map(|part| (part.id.clone(), drawn.position)).collect();
        let stage = Mutex::new(HubStage { drawn, changed, words: BTreeMap::new(), ended });
        let shared = Arc::new(HubShared { stage, sent, stop: api.stopping().clone() });
        let work = HubTask { api, call, name, scene, shared: shared.clone(), fresh: BTreeMap::new() };
        let work = AbortOnDropHandle::new(tokio::spawn(work.run()));
        Arc::new(Self { shared, _work: work })
    }

    /// What has changed since an event, and then whatever changes; nothing where nothing will.
    pub fn join(
        self: Arc<Self>,
        after: Position,
        place: WatchPlace,
    ) -> Option<impl Stream<Item = Result<StreamText, Infallible>> + use<>> {
        let (first, receiver, ended) = {
            let stage = lock(&self.shared.stage);
            if stage.ended && after >= stage.drawn.position {
                return None;
            }
            (stage.since(after), self.shared.sent.subscribe(), stage.ended)
        };
        let guest = Guest { hub: self, receiver, _place: place, until: Instant::now() + STAY, ended };
        let first = stream::once(async { Ok(StreamText::from_static(b"retry: 1000\n\n")) })
            .chain(stream::once(async { Ok(first) }));
        Some(first.chain(stream::unfold(guest, |mut guest| async move { Some((Ok(guest.next().await?), guest)) })))
    }
}

impl HubStage {
    /// Everything that changed after an event, and the words of running speeches.
    fn since(&self, after: Position) -> StreamText {
        let newer = |id: &str| self.changed.get(id).is_none_or(|changed| *changed > after);
        let mut text = message::patch(&self.drawn, self.drawn.parts().filter(|part| newer(&part.id)));
        for (turn, words) in &self.words {
            text.push_str(&message::speech(&running_id(*turn), words));
        }
        text.into()
    }

    /// Takes another drawing in, and says what is new in it, if anything is.
    fn take(&mut self, drawn: DrawnDebate) -> Option<StreamText> {
        let drawn = drawn.sharing(&self.drawn);
        let old: Vec<_> = self.drawn.parts().cloned().collect();
        let fresh: Vec<_> =
            drawn.parts().filter(|part| !old.iter().any(|old| Arc::ptr_eq(old, part))).cloned().collect();
        for part in &fresh {
            self.changed.insert(part.id.clone(), drawn.position);
        }
        self.changed.retain(|id, _| drawn.parts().any(|part| part.id == *id));
        let news = !fresh.is_empty() || drawn.position != self.drawn.position || drawn.over != self.drawn.over;
        let patch = news.then(|| message::patch(&drawn, fresh.iter()).into());
        self.drawn = drawn;
        patch
    }
}

/// One browser.
struct Guest {
    hub: Arc<Hub>,
    receiver: broadcast::Receiver<StreamText>,
    _place: WatchPlace,
    until: Instant,
    ended: bool,
}

impl Guest {
    async fn next(&mut self) -> Option<StreamText> {
        if self.ended {
            return None;
        }
        tokio::select! {
            biased;
            () = self.hub.shared.stop.cancelled() => None,
            () = tokio::time::sleep_until(self.until) => None,
            told = self.receiver.recv() => match told {
                Ok(text) => Some(text),
                Err(RecvError::Closed) => None,
                Err(RecvError::Lagged(_)) => {
                    let stage = lock(&self.hub.shared.stage);
                    self.receiver = self.hub.shared.sent.subscribe();
                    self.ended = stage.ended;
                    Some(stage.since(Position(0)))
                }
            },
            () = tokio::time::sleep(HEARTBEAT) => Some(StreamText::from_static(message::ALIVE.as_bytes())),
        }
    }
}

/// The work of a hub.
struct HubTask {
    api: Arc<Api>,
    call: CallContext,
    name: String,
    scene: HubScene,
    shared: Arc<HubShared>,
    /// Words that came since the last beat.
    fresh: BTreeMap<TurnId, String>,
}

/// How a watch ended.
enum WatchEnding {
    /// With the debate.
    Over,
    /// It has to be opened again.
    Again,
}

impl HubTask {
    async fn run(mut self) {
        while !lock(&self.shared.stage).ended {
            match self.watch().await {
                Ok(WatchEnding::Over) => break,
                Ok(WatchEnding::Again) => {}
                Err(Problem::Draining) => break,
                Err(problem @ (Problem::NoDebate(_) | Problem::Lost(_) | Problem::DebateDeleted(_))) => {
                    lock(&self.shared.stage).ended = true;
                    self.send(message::gone(&crate::refusal::told(&problem)));
                }
                Err(problem) => {
                    self.send(message::notice(&crate::refusal::told(&problem)));
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
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
                false
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
        if let Some(patch) = stage.take(drawn) {
            drop(self.shared.sent.send(patch));
        }
        Ok(())
    }

    /// Sends how far the debate is, which changes with the time.
    fn tell_status(&self) -> Result<(), Problem> {
        if self.shared.sent.receiver_count() == 0 {
            return Ok(());
        }
        let scene = &self.scene;
        let part = status(&scene.log, &scene.view, words::now(), scene.waits_for.as_deref())?;
        self.send(message::piece(&Arc::new(part)));
        Ok(())
    }
}
