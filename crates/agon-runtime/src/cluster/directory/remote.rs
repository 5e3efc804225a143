//! The hosts of other processes, as they announce themselves.
use super::KnownHost;
use super::local::plain;
use super::place::HostStanding;
use crate::cluster::needs::TurnNeeds;
use agon_core::{HostId, ModelName};
use agon_proto::{HostAlive, HostModel};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;
use tokio::time::Instant;

/// How long a host that is silent is still listed.
const FORGET: Duration = Duration::from_secs(600);
/// So many hosts are remembered; further ones are passed over.
const MOST_HOSTS: usize = 10_000;

pub(super) struct Remotes {
    silent: Duration,
    known: RwLock<KnownRemotes>,
}

#[derive(Default)]
struct KnownRemotes {
    hosts: BTreeMap<HostId, RemoteHost>,
    hearing: Hearing,
}

struct RemoteHost {
    alive: HostAlive,
    models: BTreeMap<ModelName, HostModel>,
    /// When it was last heard, by the clock of hearing.
    heard: Duration,
    at: Instant,
    dead: bool,
}

impl RemoteHost {
    /// Is dead from now on, and how that was seen. Whoever drains said so before it ended.
    fn die(&mut self, seen: &str) {
        let (host, node) = (&self.alive.host, &self.alive.node);
        match self.alive.draining {
            true => tracing::info!(%host, %node, "drained host has gone"),
            false => tracing::warn!(%host, %node, "host {seen}, its turns go elsewhere"),
        }
        self.dead = true;
    }
}

/// A clock that runs only while the bus brings messages, so that a node that hears nothing at all declares nobody dead.
#[derive(Default)]
struct Hearing {
    run: Duration,
    last: Option<Instant>,
    /// When the last stretch of silence ended: whoever was away too may come back later than this node did.
    resumed: Duration,
}

impl Hearing {
    /// After the last message the clock runs on for so long at the most.
    fn now(&self, now: Instant, most: Duration) -> Duration {
        self.run + self.last.map_or(Duration::ZERO, |last| now.saturating_duration_since(last).min(most))
    }
    /// How long whoever was last heard at `heard` has been silent.
    fn silence(&self, heard: Duration, now: Duration) -> Duration {
        now.saturating_sub(heard.max(self.resumed))
    }
    fn message(&mut self, now: Instant, most: Duration) {
        self.run = self.now(now, most);
        if self.last.is_some_and(|last| now.saturating_duration_since(last) > most) {
            self.resumed = self.run;
        }
        self.last = Some(now);
    }
}

impl Remotes {
    pub(super) fn new(silent: Duration) -> Self {
        Self { silent, known: RwLock::default() }
    }
    fn read(&self) -> RwLockReadGuard<'_, KnownRemotes> {
        // every change leaves the map whole, so that a panic elsewhere does no harm
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn write(&self) -> RwLockWriteGuard<'_, KnownRemotes> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
    /// Half the silence that kills: announcements come several times as often.
    fn most_unheard(&self) -> Duration {
        self.silent / 2
    }

    pub(super) fn bus_is_heard(&self, now: Instant) {
        self.write().hearing.message(now, self.most_unheard());
    }

    /// Takes in an announcement; true when placement should know.
    pub(super) fn heard(&self, alive: HostAlive, now: Instant) -> bool {
        let mut known = self.write();
        if known.hosts.len() >= MOST_HOSTS && !known.hosts.contains_key(&alive.host) {
            tracing::warn!(host = %alive.host, most = MOST_HOSTS, "too many hosts, passed over");
            return false;
        }
        let heard = known.hearing.now(now, self.most_unheard());
        let models = alive.models.iter().map(|model| (plain(&model.name), model.clone())).collect();
        let news = RemoteHost { models, heard, at: now, dead: false, alive };
        let changed = known.hosts.get(&news.alive.host).is_none_or(|old| old.dead || !same(&old.alive, &news.alive));
        if changed {
            tracing::debug!(host = %news.alive.host, node = %news.alive.node, draining = news.alive.draining, "host heard");
        }
        known.hosts.insert(news.alive.host.clone(), news);
        changed
    }

    pub(super) fn lives(&self, host: &HostId) -> bool {
        let known = self.read();
        let now = known.hearing.now(Instant::now(), self.most_unheard());
        known.hosts.get(host).is_some_and(|remote| self.takes_turns(&known.hearing, remote, now))
    }

    fn takes_turns(&self, hearing: &Hearing, remote: &RemoteHost, now: Duration) -> bool {
        !remote.alive.draining && !remote.dead && hearing.silence(remote.heard, now) <= self.silent
    }

    /// The hosts that take turns for the model in such debates, and how they stand towards it.
    pub(super) fn standings(&self, model: &ModelName, rehearsal: bool) -> Vec<(HostStanding, HostId)> {
        let known = self.read();
        let now = known.hearing.now(Instant::now(), self.most_unheard());
        let model = plain(model);
        let living = known.hosts.values().filter(|remote| remote.alive.rehearsal == rehearsal);
        let living = living.filter(|remote| self.takes_turns(&known.hearing, remote, now));
        living.filter_map(|remote| Some((remote.standing(&model)?, remote.alive.host.clone()))).collect()
    }

    /// Whether a host says what it has, and lacks what a turn needs.
    pub(super) fn lacks(&self, host: &HostId, needs: &TurnNeeds) -> bool {
        let known = self.read();
        let there = known.hosts.get(host).and_then(|remote| remote.alive.tools.as_ref());
        there.is_some_and(|there| !needs.are_met_by(there))
    }

    pub(super) fn known(&self) -> Vec<KnownHost> {
        let (known, at) = (self.read(), Instant::now());
        let now = known.hearing.now(at, self.most_unheard());
        let host = |remote: &RemoteHost| KnownHost {
            alive: remote.alive.clone(),
            silence: at.saturating_duration_since(remote.at),
            lives: self.takes_turns(&known.hearing, remote, now),
        };
        known.hosts.values().map(host).collect()
    }

    /// Whether a host was heard lately and is not gone; it may drain.
    pub(super) fn is_there(&self, host: &HostId) -> bool {
        let (known, at) = (self.read(), Instant::now());
        let there = |remote: &RemoteHost| !remote.dead && at.saturating_duration_since(remote.at) <= self.silent;
        known.hosts.get(host).is_some_and(there)
    }

    /// The hosts that have been silent for so long and are not dead yet, and when each was last heard; only those that were heard since this
    /// node came back to the bus.
    pub(super) fn late(&self, after: Duration, at: Instant) -> Vec<(HostId, Instant)> {
        let known = self.read();
        let now = known.hearing.now(at, self.most_unheard());
        let late = known.hosts.values().filter(|remote| !remote.dead && remote.heard >= known.hearing.resumed);
        let late = late.filter(|remote| known.hearing.silence(remote.heard, now) > after);
        late.map(|remote| (remote.alive.host.clone(), remote.at)).collect()
    }

    /// Nobody listens for a host that was last heard then. True when that is news.
    pub(super) fn bury(&self, host: &HostId, last: Instant) -> bool {
        let mut known = self.write();
        let Some(remote) = known.hosts.get_mut(host).filter(|remote| !remote.dead && remote.at == last) else {
            return false;
        };
        remote.die("is gone");
        true
    }

    /// Notices who has died and forgets the long dead. True when somebody died, and when to look next.
    pub(super) fn expire(&self, at: Instant) -> (bool, Option<Instant>) {
        let mut known = self.write();
        let KnownRemotes { hosts, hearing } = &mut *known;
        let now = hearing.now(at, self.most_unheard());
        let mut died = false;
        for remote in hosts.values_mut().filter(|remote| !remote.dead) {
            if hearing.silence(remote.heard, now) > self.silent {
                remote.die("is silent");
                died = true;
            }
        }
        hosts.retain(|_, remote| !remote.dead || at.saturating_duration_since(remote.at) < FORGET);
        let oldest = hosts.values().filter(|remote| !remote.dead).map(|remote| remote.heard).min();
        // should the clock stop before, this is a look in vain
        let next = oldest.map(|heard| {
            at + (heard.max(hearing.resumed) + self.silent).saturating_sub(now) + Duration::from_millis(1)
        });
        (died, next)
    }
}

impl RemoteHost {
    fn standing(&self, model: &ModelName) -> Option<HostStanding> {
        let Some(listed) = self.models.get(model).filter(|_| !model.is_external()) else {
            let takes = self.alive.takes(model) && !model.is_external();
            return takes.then_some(HostStanding {
                listed: false,
                known: false,
                breaker: agon_proto::BreakerState::Closed,
                warm: None,
                load: 0,
                permits: 1,
            });
        };
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Some(HostStanding {
            listed: !self.alive.serves_any && self.alive.serves_prefix.is_none(),
            known: true,
            breaker: listed.breaker,
            warm: listed.warm,
            load: count(listed.running).saturating_add(count(listed.waiting)),
            permits: count(listed.permits),
        })
    }
}

/// Whether both say the same, load and speed aside.
fn same(one: &HostAlive, other: &HostAlive) -> bool {
    fn lasting(alive: &HostAlive) -> HostAlive {
        // how a server is away shows in the breaker as far as placement goes, and speeds place no turn
        let quiet = |model: &HostModel| HostModel {
            running: 0,
            waiting: 0,
            away: None,
            millitokens_per_second: None,
            ..model.clone()
        };
        HostAlive { models: alive.models.iter().map(quiet).collect(), ..alive.clone() }
    }
    lasting(one) == lasting(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_proto::BreakerState;

    const SILENT: Duration = Duration::from_secs(6);
    const SECOND: Duration = Duration::from_secs(1);

    fn alive(host: &str) -> HostAlive {
        let model = HostModel {
            name: "m".into(),
            digest: None,
            context: None,
            warm: None,
            permits: 1,
            running: 0,
            waiting: 0,
            breaker: BreakerState::Closed,
            away: None,
            millitokens_per_second: None,
        };
        HostAlive {
            host: host.into(),
            node: "n2".into(),
            agon_version: "test".into(),
            serves_any: false,
            serves_prefix: None,
            draining: false,
            rehearsal: false,
            models: vec![model],
            server: "http://gpu:11434".into(),
            tools: None,
        }
    }
    async fn hear_ourselves(remotes: &Remotes, seconds: u32) {
        for _ in 0..seconds {
            remotes.bus_is_heard(Instant::now());
            tokio::time::advance(SECOND).await;
        }
    }

    #[test]
    fn a_host_with_a_prefix_takes_the_models_that_begin_with_it_and_a_slash() {
        let alive = HostAlive { serves_prefix: Some("openai".to_owned()), models: Vec::new(), ..alive("gpu") };
        let (models, heard, at) = (BTreeMap::new(), Duration::ZERO, Instant::now());
        let host = RemoteHost { models, heard, at, dead: false, alive };
        let taken = |model: &str| host.standing(&model.into()).is_some();
        assert!(taken("openai/gpt-5"));
        assert!(!taken("openai") && !taken("openai-like/x") && !taken("google/gemini"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_is_silent_while_the_bus_is_heard_dies_after_the_limit_and_comes_back_when_heard() {
        let remotes = Remotes::new(SILENT);
        assert!(remotes.heard(alive("gpu1"), Instant::now()));

        hear_ourselves(&remotes, 6).await;
        assert!(remotes.lives(&"gpu1".into()));
        assert!(!remotes.expire(Instant::now()).0);
        hear_ourselves(&remotes, 1).await;
        assert!(!remotes.lives(&"gpu1".into()));
        assert!(remotes.expire(Instant::now()).0);

        assert!(remotes.heard(alive("gpu1"), Instant::now()), "its return is news");
        assert!(remotes.lives(&"gpu1".into()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_hears_nothing_declares_nobody_dead_and_gives_them_time_when_it_hears_again() {
        let remotes = Remotes::new(SILENT);
        remotes.heard(alive("gpu1"), Instant::now());
        hear_ourselves(&remotes, 2).await;

        tokio::time::advance(Duration::from_secs(100)).await;
        assert!(remotes.lives(&"gpu1".into()), "the bus is deaf");
        remotes.bus_is_heard(Instant::now());
        assert!(remotes.lives(&"gpu1".into()), "the bus is back, its announcement not yet");
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_stretch_without_any_message_every_host_has_the_whole_limit_to_be_heard_again() {
        let remotes = Remotes::new(SILENT);
        remotes.heard(alive("gpu1"), Instant::now());
        remotes.bus_is_heard(Instant::now());
        tokio::time::advance(SECOND * 4).await;

        hear_ourselves(&remotes, 6).await;
        assert!(!remotes.expire(Instant::now()).0 && remotes.lives(&"gpu1".into()), "it may take as long to reconnect");
        hear_ourselves(&remotes, 1).await;
        assert!(remotes.expire(Instant::now()).0 && !remotes.lives(&"gpu1".into()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_look_is_when_the_next_host_would_die() {
        let remotes = Remotes::new(SILENT);
        remotes.bus_is_heard(Instant::now());
        let begin = Instant::now();
        remotes.heard(alive("gpu1"), begin);
        hear_ourselves(&remotes, 4).await;

        let (died, next) = remotes.expire(Instant::now());

        assert!(!died);
        assert_eq!(next, Some(begin + SILENT + Duration::from_millis(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn load_and_speed_alone_are_no_news_and_draining_is() {
        let remotes = Remotes::new(SILENT);
        let quiet = alive("gpu1");
        remotes.heard(quiet.clone(), Instant::now());
        let mut loaded = quiet.clone();
        loaded.models[0].running = 1;
        loaded.models[0].millitokens_per_second = Some(2_500);

        assert!(!remotes.heard(loaded.clone(), Instant::now()));
        assert_eq!(remotes.known()[0].alive, loaded, "known all the same");
        assert!(remotes.heard(HostAlive { draining: true, ..quiet }, Instant::now()));
        assert!(!remotes.lives(&"gpu1".into()));
    }
}
