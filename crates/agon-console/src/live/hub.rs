//! One who watches a debate for all whose browsers show it.
use super::draw::{DrawnDebate, running_id};
use super::message::{self, StreamText};
use super::task::{HubScene, HubTask};
use agon_core::{DebateId, Position, TurnId};
use agon_server::{Api, CallContext, Problem, WatchPlace, WholeLog};
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How often a silent stream gives a sign of life.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How long one browser is served before it has to come again, and to show who it is.
const STAY: Duration = Duration::from_secs(1_800);
/// How long a debate stays drawn for those who come next.
pub(super) const LINGER: Duration = Duration::from_secs(10);
/// Messages that a slow browser may be behind; then it is sent everything anew.
const BEHIND: usize = 256;

/// The hubs that are open. One that is being opened is waited for by all who want it.
pub(super) type OpenHubs = Mutex<HashMap<DebateId, Arc<OnceCell<Arc<Hub>>>>>;

/// The debates that somebody watches or has just looked at.
pub(crate) struct Hubs {
    api: Arc<Api>,
    open: Arc<OpenHubs>,
}

impl Hubs {
    pub fn new(api: Arc<Api>) -> Self {
        Self { api, open: Arc::default() }
    }

    /// The hub of a debate: the one that is open, or a new one.
    pub async fn of(&self, call: &CallContext, name: &str) -> Result<Arc<Hub>, Problem> {
        let id = self.api.readable(call, name)?;
        let cell = lock(&self.open).entry(id.clone()).or_default().clone();
        let hub = cell.get_or_try_init(|| self.begin(call, name)).await.cloned();
        if hub.is_err() {
            let mut open = lock(&self.open);
            if open.get(&id).is_some_and(|cell| !cell.initialized()) {
                open.remove(&id);
            }
        }
        hub
    }

    async fn begin(&self, call: &CallContext, name: &str) -> Result<Arc<Hub>, Problem> {
        let log = self.api.debate_log(call, name).await?;
        let (scene, drawn) = tokio::task::spawn_blocking(move || HubScene::begin(log)).await.map_err(panicked)??;
        // whoever is first may leave first
        let call = CallContext { deadline: None, ..call.clone() };
        Ok(Hub::start(self, call, name.to_owned(), scene, drawn))
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn panicked(error: tokio::task::JoinError) -> Problem {
    Problem::Internal(format!("the debate was not drawn: {error}"))
}

/// The hub of one debate. It works for as long as somebody watches, and a little longer.
pub(crate) struct Hub {
    shared: Arc<HubShared>,
    _work: AbortOnDropHandle<()>,
}

pub(super) struct HubShared {
    pub stage: Mutex<HubStage>,
    pub sent: broadcast::Sender<StreamText>,
    stop: CancellationToken,
}

/// What one who comes now is shown.
pub(super) struct HubStage {
    pub log: Arc<WholeLog>,
    pub drawn: DrawnDebate,
    /// With which event each piece changed last.
    changed: BTreeMap<String, Position>,
    /// The words of running speeches so far.
    pub words: BTreeMap<TurnId, String>,
    /// Nothing more will be sent.
    pub ended: bool,
    /// Whoever comes now wants another hub.
    pub closed: bool,
    /// When somebody has looked last.
    pub visited: Instant,
}

/// What one gets who wants to watch.
pub(crate) enum Joined<S> {
    Stream(S),
    /// Nothing will change any more.
    Over,
    /// The hub has just closed: another has to be opened.
    Closed(WatchPlace),
}

impl Hub {
    fn start(hubs: &Hubs, call: CallContext, name: String, scene: HubScene, drawn: DrawnDebate) -> Arc<Self> {
        let (sent, _) = broadcast::channel(BEHIND);
        let ended = drawn.over;
        // one who comes from an earlier event has seen these pieces otherwise, and nobody knows which
        let changed = drawn.parts().map(|part| (part.id.clone(), drawn.position)).collect();
        let log = scene.log.clone();
        let stage =
            HubStage { log, drawn, changed, words: BTreeMap::new(), ended, closed: false, visited: Instant::now() };
        let (api, open) = (hubs.api.clone(), hubs.open.clone());
        let shared = Arc::new(HubShared { stage: Mutex::new(stage), sent, stop: api.stopping().clone() });
        let work = HubTask { api, open, call, name, scene, shared: shared.clone(), fresh: BTreeMap::new() };
        let work = AbortOnDropHandle::new(tokio::spawn(work.run()));
        Arc::new(Self { shared, _work: work })
    }

    /// Whether it is this one's.
    pub(super) fn works_for(&self, shared: &Arc<HubShared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    /// The debate as it was drawn last, and its log then.
    pub fn now(&self) -> (Arc<WholeLog>, DrawnDebate) {
        let mut stage = lock(&self.shared.stage);
        stage.visited = Instant::now();
        (stage.log.clone(), stage.drawn.clone())
    }

    /// What has changed since an event, and then whatever changes.
    pub fn join(
        self: Arc<Self>,
        after: Position,
        place: WatchPlace,
    ) -> Joined<impl Stream<Item = Result<StreamText, Infallible>> + use<>> {
        let (first, receiver, ended) = {
            let stage = lock(&self.shared.stage);
            if stage.closed {
                return Joined::Closed(place);
            }
            if stage.ended && after >= stage.drawn.position {
                return Joined::Over;
            }
            (stage.since(after), self.shared.sent.subscribe(), stage.ended)
        };
        let guest = Guest { hub: self, receiver, _place: place, until: Instant::now() + STAY, ended };
        let first = stream::once(async { Ok(StreamText::from_static(b"retry: 1000\n\n")) })
            .chain(stream::once(async { Ok(first) }));
        let then = stream::unfold(guest, |mut guest| async move { Some((Ok(guest.next().await?), guest)) });
        Joined::Stream(first.chain(then))
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
    pub fn take(&mut self, drawn: DrawnDebate) -> Option<StreamText> {
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
                Ok(text) => {
                    // nothing follows the last one
                    self.ended = self.receiver.is_empty() && lock(&self.hub.shared.stage).ended;
                    Some(text)
                }
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
