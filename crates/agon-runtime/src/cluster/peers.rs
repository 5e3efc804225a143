//! Which nodes live: signs of life, sent and heard.
//!
//! A node is dead when it was silent for long enough while our own signs of life came back, so that an outage of the
//! bus kills nobody. A wrong guess is harmless: logs are fenced.
use crate::base::config::Times;
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::base::trouble;
use agon_bus::{BusError, Payload, Received};
use agon_core::{DebateId, NodeId};
use agon_proto::{NodeAlive, Wire};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// So many nodes are remembered at most.
const MOST_NODES: usize = 10_000;
/// A dead node is forgotten after so many times the silence that made it dead.
const REMEMBERED: u32 = 100;

/// A node that was heard of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownNode {
    /// Which.
    pub id: NodeId,
    /// The version of Agon that it runs.
    pub agon_version: String,
    /// It takes no more debates.
    pub draining: bool,
    /// Debates that it coordinates.
    pub debates: u32,
    /// Debates that it may coordinate at once.
    pub max_debates: u32,
    /// How long ago it was last heard.
    pub silent: Duration,
}

/// What is known of a node's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It was heard lately, and keeps its debates.
    Alive,
    /// It was heard lately, and hands its debates over.
    Leaving,
    /// It was not heard for long enough.
    Dead,
    /// Nobody has listened for long enough to know.
    Unknown,
}

/// All nodes with coordinators, as far as they were heard.
pub(crate) struct Peers {
    me: NodeId,
    /// A gap in our own signs of life that shows that the bus was away.
    gap: Duration,
    silent: Duration,
    heard: Mutex<HeardNodes>,
}

#[derive(Default)]
struct HeardNodes {
    nodes: BTreeMap<NodeId, (NodeAlive, Instant)>,
    /// When our own sign of life last came back.
    echo: Option<Instant>,
    /// Since when our own signs of life come back without a gap.
    steady: Option<Instant>,
    /// Since when signs are listened to without a gap that is known of.
    listening: Option<Instant>,
    /// Nodes at whose subjects nobody listens any more, and when each was last heard.
    gone: BTreeMap<NodeId, Instant>,
}

impl Peers {
    pub(crate) fn new(me: NodeId, times: &Times) -> Self {
        Self { me, gap: times.heartbeat * 2, silent: times.node_silent, heard: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HeardNodes> {
        // every change leaves it whole
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a sign of life.
    pub(crate) fn hear(&self, alive: NodeAlive, now: Instant) {
        let mut heard = self.lock();
        if alive.node == self.me {
            let gone = heard.echo.is_none_or(|last| now.duration_since(last) > self.gap);
            heard.echo = Some(now);
            if gone {
                heard.steady = Some(now);
            }
        }
        if heard.nodes.len() >= MOST_NODES && !heard.nodes.contains_key(&alive.node) {
            return;
        }
        heard.nodes.insert(alive.node.clone(), (alive, now));
        let forgotten = self.silent * REMEMBERED;
        heard.nodes.retain(|_, (_, last)| now.duration_since(*last) < forgotten);
        let HeardNodes { nodes, gone, .. } = &mut *heard;
        gone.retain(|node, at| match nodes.get(node) {
            Some((_, last)) => last == at,
            None => now.duration_since(*at) < forgotten,
        });
    }

    /// The nodes that have been silent for so long and are not dead yet, and when each was last heard; none while our own signs of life do
    /// not come back, and of those that were not heard since they do: they may come back to the bus later than we did.
    pub(crate) fn late(&self, after: Duration, now: Instant) -> Vec<(NodeId, Instant)> {
        let heard = self.lock();
        let listening = heard.echo.is_some_and(|echo| now.duration_since(echo) <= self.gap);
        let Some(steady) = heard.steady.filter(|_| listening) else { return Vec::new() };
        let late = |(id, (_, last)): (&NodeId, &(NodeAlive, Instant))| {
            let silence = now.duration_since(*last);
            let is_late =
                *last >= steady && silence > after && silence <= self.silent && heard.gone.get(id) != Some(last);
            is_late.then(|| (id.clone(), *last))
        };
        heard.nodes.iter().filter_map(late).collect()
    }

    /// Those of these owners of debates that were never heard, although all who live should have been by now; none once silence alone
    /// tells. And since when they should have been heard.
    pub(crate) fn unheard(
        &self,
        owners: impl IntoIterator<Item = NodeId>,
        after: Duration,
        now: Instant,
    ) -> Vec<(NodeId, Instant)> {
        let heard = self.lock();
        let Some(steady) = heard.steady.filter(|steady| now.duration_since(*steady) > after) else { return Vec::new() };
        let unheard =
            |node: &NodeId| *node != self.me && !heard.nodes.contains_key(node) && !heard.gone.contains_key(node);
        owners.into_iter().filter(unheard).map(|node| (node, steady)).collect()
    }

    /// Nobody listens for a node that was last heard then.
    pub(crate) fn bury(&self, node: &NodeId, last: Instant) {
        self.lock().gone.insert(node.clone(), last);
    }

    /// What is known of a node.
    pub(crate) fn life(&self, node: &NodeId, now: Instant) -> Life {
        let heard = self.lock();
        match heard.nodes.get(node) {
            None if heard.gone.contains_key(node) => Life::Dead,
            known => self.judge(&heard, known, now),
        }
    }

    fn judge(&self, heard: &HeardNodes, known: Option<&(NodeAlive, Instant)>, now: Instant) -> Life {
        let last = known.map(|(_, last)| *last);
        if let Some((alive, last)) = known
            && heard.gone.get(&alive.node) == Some(last)
        {
            return Life::Dead;
        }
        if let Some((alive, last)) = known
            && now.duration_since(*last) <= self.silent
        {
            return if alive.draining { Life::Leaving } else { Life::Alive };
        }
        let listening = heard.echo.is_some_and(|echo| now.duration_since(echo) <= self.gap);
        let Some(steady) = heard.steady.filter(|_| listening) else { return Life::Unknown };
        let since = last.map_or(steady, |last| last.max(steady));
        if now.duration_since(since) > self.silent { Life::Dead } else { Life::Unknown }
    }

    /// Listens from now on, or may have missed something until now.
    pub(crate) fn listens(&self, now: Instant) {
        self.lock().listening = Some(now);
    }

    /// Whether a node gives signs of life, as one sees it who gives none himself; nothing while that cannot be known.
    pub(crate) fn gives_signs(&self, node: &NodeId, now: Instant) -> Option<bool> {
        let heard = self.lock();
        let recent = |since: &Instant| now.duration_since(*since) <= self.silent;
        if heard.nodes.get(node).is_some_and(|(_, last)| recent(last)) {
            return Some(true);
        }
        heard.listening.filter(|since| !recent(since)).map(|_| false)
    }

    /// Whether no node gives signs of life, where one has listened for long enough to know.
    pub(crate) fn are_absent(&self, now: Instant) -> bool {
        let heard = self.lock();
        let recent = |since: &Instant| now.duration_since(*since) <= self.silent;
        heard.listening.is_some_and(|since| !recent(&since)) && !heard.nodes.values().any(|(_, last)| recent(last))
    }

    /// The nodes that are dead, among those that were ever heard or asked for.
    pub(crate) fn dead(&self, now: Instant) -> Vec<NodeId> {
        let heard = self.lock();
        let dead = |(id, known): (&NodeId, &(NodeAlive, Instant))| {
            (self.judge(&heard, Some(known), now) == Life::Dead).then(|| id.clone())
        };
        let unheard = heard.gone.keys().filter(|node| !heard.nodes.contains_key(*node));
        heard.nodes.iter().filter_map(dead).chain(unheard.cloned()).collect()
    }

    /// Whether this node has listened for long enough to know who is dead.
    pub(crate) fn knows(&self, now: Instant) -> bool {
        let heard = self.lock();
        let listening = heard.echo.is_some_and(|echo| now.duration_since(echo) <= self.gap);
        listening && heard.steady.is_some_and(|steady| now.duration_since(steady) > self.silent)
    }

    /// Which node is to take a debate over: of those that live and have room, the one with the highest hash. Nodes that
    /// know of the same nodes choose the same one.
    pub(crate) fn heir(&self, debate: &DebateId, now: Instant) -> Option<NodeId> {
        let heard = self.lock();
        let has_room = |alive: &NodeAlive| !alive.draining && alive.debates < alive.max_debates;
        let fit = heard.nodes.iter().filter(|(id, known)| {
            has_room(&known.0) && (**id == self.me || self.judge(&heard, Some(known), now) == Life::Alive)
        });
        fit.map(|(id, _)| id).max_by_key(|id| weight(debate, id)).cloned()
    }

    /// The debates that stand still although their nodes live, by what these say.
    pub(crate) fn stalled(&self, now: Instant) -> u64 {
        let heard = self.lock();
        let living = heard.nodes.values().filter(|(_, last)| now.duration_since(*last) <= self.silent);
        living.map(|(alive, _)| u64::from(alive.stalled)).sum()
    }

    /// Every node that was heard of and is not known to be dead.
    pub(crate) fn known(&self, now: Instant) -> Vec<KnownNode> {
        let heard = self.lock();
        let living = heard.nodes.values().filter(|(_, last)| now.duration_since(*last) <= self.silent);
        let known = |(alive, last): &(NodeAlive, Instant)| KnownNode {
            id: alive.node.clone(),
            agon_version: alive.agon_version.clone(),
            draining: alive.draining,
            debates: alive.debates,
            max_debates: alive.max_debates,
            silent: now.duration_since(*last),
        };
        living.map(known).collect()
    }
}

/// The same on every machine and in every version.
fn weight(debate: &DebateId, node: &NodeId) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(debate.as_str().as_bytes());
    // a byte that stands in no id
    hasher.update(&[0]);
    hasher.update(node.as_str().as_bytes());
    *hasher.finalize().as_bytes()
}

/// Gives signs of life until the owner is gone. In a task of its own, so that no busy actor makes the node look dead.
pub(crate) async fn beat(shared: Shared) {
    let mut draining = shared.draining.subscribe();
    let subject = subjects::node_alive(&shared.config.id);
    let heartbeat = shared.config.times.heartbeat;
    loop {
        let now_draining = *draining.borrow_and_update();
        let payload = Payload::from(alive(&shared, now_draining).to_bytes());
        // a bus that is away is given up on before the next one is due
        match tokio::time::timeout(heartbeat, shared.bus.publish(&subject, payload)).await {
            Ok(Ok(())) => {}
            Ok(Err(BusError::Closed(_))) => return,
            Ok(Err(error)) => tracing::debug!(%error, "sign of life lost"),
            Err(_) => tracing::debug!("sign of life lost, the bus does not take it"),
        }
        tokio::select! {
            biased;
            () = tokio::time::sleep(heartbeat) => {}
            _ = draining.changed() => {}
        }
    }
}

fn alive(shared: &Shared, draining: bool) -> NodeAlive {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    NodeAlive {
        node: shared.config.id.clone(),
        agon_version: env!("CARGO_PKG_VERSION").to_owned(),
        draining,
        debates: number(shared.owned.len()),
        max_debates: number(shared.config.max_debates),
        stalled: number(shared.owned.stalled()),
    }
}

/// Hears the signs of life of all nodes until the bus is closed or the owner is gone.
pub(crate) async fn listen(shared: Shared) {
    let subject = subjects::nodes_alive();
    let signs = trouble::open(
        || shared.bus.subscribe(&subject),
        |error| tracing::warn!(%error, "the signs of life of other nodes cannot be heard"),
        |after| tracing::info!(after, "the signs of life of other nodes are heard again"),
    );
    let Some(mut signs) = signs.await else { return };
    shared.peers.listens(Instant::now());
    while let Some(received) = signs.next().await {
        hear(&shared, received);
    }
}

fn hear(shared: &Shared, received: Received) {
    match received {
        Received::Message(message) => match NodeAlive::from_bytes(&message.payload) {
            Ok(alive) => shared.peers.hear(alive, Instant::now()),
            Err(error) => tracing::warn!(subject = message.subject, %error, "sign of life cannot be read"),
        },
        Received::Lagged(lost) => {
            shared.peers.listens(Instant::now());
            tracing::debug!(lost, "signs of life lost");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers() -> (Peers, Instant) {
        (Peers::new("me".into(), &Times::default()), Instant::now())
    }
    fn sign(node: &str) -> NodeAlive {
        NodeAlive {
            node: node.into(),
            agon_version: "1".into(),
            draining: false,
            debates: 0,
            max_debates: 10,
            stalled: 0,
        }
    }
    /// Our own signs and another's come back every two seconds.
    fn run(peers: &Peers, start: Instant, seconds: std::ops::Range<u64>, nodes: &[&str]) {
        for second in seconds.step_by(2) {
            for node in nodes {
                peers.hear(sign(node), start + Duration::from_secs(second));
            }
        }
    }
    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn a_node_that_is_silent_while_we_are_heard_is_dead() {
        let (peers, start) = peers();
        run(&peers, start, 0..10, &["me", "other"]);
        run(&peers, start, 10..18, &["me"]);

        assert_eq!(peers.life(&"other".into(), after(start, 14)), Life::Alive);
        assert_eq!(peers.life(&"other".into(), after(start, 15)), Life::Dead);
        assert_eq!(peers.dead(after(start, 15)), ["other".into()]);
    }

    #[test]
    fn a_node_for_which_nobody_listens_is_dead_before_its_silence_kills_it_and_alive_once_it_is_heard() {
        let (peers, start) = peers();
        run(&peers, start, 0..10, &["me", "other"]);
        peers.hear(sign("me"), after(start, 10));
        let (other, late) = (NodeId::from("other"), Duration::from_millis(2_300));

        assert_eq!(peers.late(late, after(start, 10)), []);
        let [(node, last)] = peers.late(late, after(start, 11)).try_into().unwrap();
        peers.bury(&node, last);

        assert_eq!(peers.life(&other, after(start, 11)), Life::Dead);
        assert_eq!((peers.dead(after(start, 11)), peers.late(late, after(start, 11))), (vec![other.clone()], vec![]));
        peers.hear(sign("other"), after(start, 12));
        assert_eq!(peers.life(&other, after(start, 12)), Life::Alive);
    }

    #[test]
    fn an_owner_that_one_who_has_just_started_never_heard_is_dead_once_nobody_listens_for_it() {
        let (peers, start) = peers();
        run(&peers, start, 0..4, &["me", "other"]);
        let owners = || ["me", "other", "owner"].map(NodeId::from);
        let after_two = Duration::from_millis(2_200);

        assert_eq!(peers.unheard(owners(), after_two, after(start, 2)), []);
        let [(owner, since)] = peers.unheard(owners(), after_two, after(start, 3)).try_into().unwrap();
        assert_eq!((&owner, peers.life(&owner, after(start, 3))), (&"owner".into(), Life::Unknown));
        peers.bury(&owner, since);
        run(&peers, start, 4..5, &["me", "other"]);

        assert_eq!(peers.life(&owner, after(start, 4)), Life::Dead);
        assert_eq!(peers.dead(after(start, 4)), std::slice::from_ref(&owner));
        assert_eq!(peers.unheard(owners(), after_two, after(start, 4)), []);
        peers.hear(sign("owner"), after(start, 5));
        assert_eq!((peers.life(&owner, after(start, 5)), peers.dead(after(start, 5))), (Life::Alive, vec![]));
    }

    #[test]
    fn nobody_is_late_for_one_who_has_just_come_back_to_the_bus() {
        let (peers, start) = peers();
        run(&peers, start, 0..10, &["me", "other"]);
        run(&peers, start, 20..24, &["me"]);

        assert_eq!(peers.late(Duration::from_secs(2), after(start, 24)), []);
    }

    #[test]
    fn an_outage_of_the_bus_kills_nobody() {
        let (peers, start) = peers();
        run(&peers, start, 0..10, &["me", "other"]);

        assert_eq!(peers.life(&"other".into(), after(start, 25)), Life::Unknown);
        peers.hear(sign("me"), after(start, 30));
        assert_eq!(peers.life(&"other".into(), after(start, 31)), Life::Unknown);
        peers.hear(sign("other"), after(start, 33));
        assert_eq!(peers.life(&"other".into(), after(start, 34)), Life::Alive);
    }

    #[test]
    fn a_node_that_was_never_heard_is_dead_once_we_have_listened_long_enough() {
        let (peers, start) = peers();
        run(&peers, start, 0..10, &["me"]);

        assert_eq!(peers.life(&"stranger".into(), after(start, 5)), Life::Unknown);
        assert!(!peers.knows(after(start, 5)));
        assert_eq!(peers.life(&"stranger".into(), after(start, 7)), Life::Dead);
        assert!(peers.knows(after(start, 7)));
    }

    #[test]
    fn who_only_listens_knows_of_silence_once_it_has_listened_without_a_gap_for_long_enough() {
        let (peers, start) = peers();
        let other: NodeId = "other".into();
        assert_eq!(peers.gives_signs(&other, after(start, 60)), None, "nobody listens");
        peers.listens(start);
        peers.hear(sign("other"), start);

        assert_eq!(peers.gives_signs(&other, after(start, 6)), Some(true));
        assert_eq!(peers.gives_signs(&other, after(start, 7)), Some(false));
        peers.listens(after(start, 8));
        assert_eq!(peers.gives_signs(&other, after(start, 9)), None, "its signs may have been lost");
        assert_eq!(peers.gives_signs(&other, after(start, 15)), Some(false));
    }

    #[test]
    fn every_node_names_the_same_heir_and_each_gets_a_share() {
        let (mine, start) = peers();
        let others = Peers::new("other".into(), &Times::default());
        run(&mine, start, 0..2, &["me", "other"]);
        run(&others, start, 0..2, &["me", "other"]);
        let debates: Vec<DebateId> = (0..100).map(|n| DebateId::parse(&format!("debate-{n}")).unwrap()).collect();

        let heirs: Vec<_> = debates.iter().map(|debate| mine.heir(debate, after(start, 1)).unwrap()).collect();

        let seen_there: Vec<_> = debates.iter().map(|debate| others.heir(debate, after(start, 1)).unwrap()).collect();
        assert_eq!(heirs, seen_there);
        assert!((30..70).contains(&heirs.iter().filter(|heir| heir.as_str() == "me").count()));
    }

    #[test]
    fn debates_that_stand_still_are_counted_while_their_nodes_live() {
        let (peers, start) = peers();
        peers.hear(NodeAlive { stalled: 2, ..sign("one") }, start);
        peers.hear(NodeAlive { stalled: 3, ..sign("other") }, after(start, 5));

        assert_eq!(peers.stalled(after(start, 6)), 5);
        assert_eq!(peers.stalled(after(start, 8)), 3, "of the dead the catalogue tells");
    }

    #[test]
    fn a_node_that_drains_or_is_full_inherits_nothing() {
        let (peers, start) = peers();
        peers.hear(sign("me"), start);
        peers.hear(NodeAlive { draining: true, ..sign("leaving") }, start);
        peers.hear(NodeAlive { debates: 10, ..sign("full") }, start);

        let heirs = (0..50).map(|n| peers.heir(&DebateId::parse(&format!("debate-{n}")).unwrap(), start));

        assert!(heirs.into_iter().all(|heir| heir == Some("me".into())));
        assert_eq!(peers.life(&"leaving".into(), start), Life::Leaving);
    }
}
