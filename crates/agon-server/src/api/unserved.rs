//! Turns whose model no known host serves, for those who watch their debate.
use agon_core::{Ask, Debate, DebateId, Effect, Event, TurnId};
use agon_proto::TokenDelta;
use agon_runtime::Node;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often it is said that a turn waits for a host. Live views take a wait of which nothing was said for 4 s for over.
const SAY_EVERY: Duration = Duration::from_secs(2);
/// A gateway that has just started knows every host after so long: they announce themselves every 2 s.
const FIRST: Duration = Duration::from_secs(5);

/// The open turns of a debate, and who could tell whether a host takes them.
pub(super) struct Unserved {
    node: Arc<Node>,
    debate: DebateId,
    rehearsal: bool,
    open: BTreeMap<TurnId, Ask>,
    began: Instant,
}

/// That nobody in the cluster leads debates, if so.
pub(super) fn leaderless(node: &Node) -> Option<String> {
    let told = "no coordinator runs; `agon serve --roles coordinator` starts one";
    node.lacks_coordinators().then(|| told.to_owned())
}

impl Unserved {
    /// The open turns of the debate as it is.
    pub(super) fn of(node: Arc<Node>, debate: &Debate) -> Self {
        let admission = debate.admission();
        let asked = debate.outstanding().into_iter().filter_map(|effect| match effect {
            Effect::Ask(ask) => Some((ask.turn, ask)),
            Effect::WakeAt { .. } | Effect::Cut { .. } | Effect::Finish => None,
        });
        Self {
            node,
            debate: admission.id.clone(),
            rehearsal: admission.rehearsal,
            open: asked.collect(),
            began: Instant::now(),
        }
    }

    /// That nobody leads debates, if so.
    pub(super) fn leaderless(&self) -> Option<String> {
        leaderless(&self.node)
    }

    /// Takes in what happened next.
    pub(super) fn take(&mut self, event: &Event) {
        if let Event::TurnAsked(ask) = event {
            self.open.insert(ask.turn, ask.clone());
        }
        if let Some((turn, _)) = event.settled() {
            self.open.retain(|open, _| !open.same_slot(turn));
        }
    }

    /// How long a watcher may be left without a word, where it is `pause` otherwise.
    pub(super) fn pause(&self, pause: Duration) -> Duration {
        if self.asks().next().is_some() { pause.min(SAY_EVERY) } else { pause }
    }

    /// What each turn waits for that no host takes.
    pub(super) fn waits(&self) -> Vec<TokenDelta> {
        let wait = |ask: &Ask| TokenDelta {
            debate: self.debate.clone(),
            turn: ask.turn,
            participant: ask.participant.clone(),
            offset: 0,
            text: String::new(),
            waiting: format!("a host that serves {}", ask.model),
        };
        let asks = self.asks().filter(|_| self.began.elapsed() >= FIRST);
        asks.map(wait).collect()
    }

    fn asks(&self) -> impl Iterator<Item = &Ask> {
        let asks = self.open.values().filter(|ask| !ask.model.is_external());
        asks.filter(|ask| !self.node.serves(&ask.model, self.rehearsal))
    }
}
