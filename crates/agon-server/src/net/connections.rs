//! The open connections of a listener: how many there may be, and which one makes room for a new one.
use super::ConnectionLimits;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// All of a listener's.
#[derive(Debug)]
pub(super) struct Connections {
    limits: ConnectionLimits,
    open: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next: u64,
    all: HashMap<u64, Arc<Connection>>,
    addresses: HashMap<IpAddr, usize>,
}

/// One connection, and what it is doing.
#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    address: IpAddr,
    busy: Mutex<Busy>,
    /// Cancelled once it has to make room.
    pub evicted: CancellationToken,
}

#[derive(Debug)]
struct Busy {
    calls: usize,
    /// Calls so far.
    served: u64,
    /// Since when there are none.
    since: Instant,
    /// The calls whose answer waits for its reader, and since when.
    unread: BTreeMap<u64, Instant>,
}

/// A place among the open connections, until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    connections: Arc<Connections>,
    /// The connection that has it.
    pub connection: Arc<Connection>,
}

/// A call of a connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Working {
    connection: Arc<Connection>,
    number: u64,
}

impl Connections {
    pub fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// A place for a connection from this address. Where there is none left, the longest idle connection of the same address, or of
    /// the address that has the most, makes room; none where all of those are at work.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionSlot> {
        let address = network(address);
        let mut open = lock(&self.open);
        let of_address = open.addresses.get(&address).copied().unwrap_or_default();
        if of_address >= self.limits.connections_per_address {
            open.make_room(Some(address))?;
        } else if open.all.len() >= self.limits.connections {
            open.make_room(None)?;
        }
        let number = open.next;
        open.next += 1;
        let busy = Mutex::new(Busy { calls: 0, served: 0, since: Instant::now(), unread: BTreeMap::new() });
        let connection = Arc::new(Connection { number, address, busy, evicted: CancellationToken::new() });
        open.all.insert(number, connection.clone());
        *open.addresses.entry(address).or_default() += 1;
        Some(ConnectionSlot { connections: self.clone(), connection })
    }
}

impl OpenConnections {
    fn make_room(&mut self, of: Option<IpAddr>) -> Option<()> {
        let candidates = self.all.values().filter(|connection| of.is_none_or(|address| connection.address == address));
        let idle = candidates.filter_map(|connection| Some((connection, connection.idle_since()?)));
        let count = |connection: &Connection| self.addresses.get(&connection.address).copied().unwrap_or_default();
        let (victim, _) = idle.max_by_key(|(connection, since)| (count(connection), std::cmp::Reverse(*since)))?;
        let victim = victim.clone();
        victim.evicted.cancel();
        self.remove(&victim);
        Some(())
    }

    fn remove(&mut self, connection: &Connection) {
        if self.all.remove(&connection.number).is_none() {
            return;
        }
        if let Some(count) = self.addresses.get_mut(&connection.address) {
            *count -= 1;
            if *count == 0 {
                self.addresses.remove(&connection.address);
            }
        }
    }
}

impl Connection {
    /// Begins a call.
    pub fn work(self: &Arc<Self>) -> Working {
        let mut busy = lock(&self.busy);
        busy.calls += 1;
        busy.served += 1;
        let number = busy.served;
        drop(busy);
        Working { connection: self.clone(), number }
    }

    /// Since when it has had no call; none while it has one.
    fn idle_since(&self) -> Option<Instant> {
        let busy = lock(&self.busy);
        (busy.calls == 0).then_some(busy.since)
    }

    /// Returns once it has had no call for too long, or its other end has not read an answer for too long.
    pub async fn over(&self, limits: &ConnectionLimits) {
        loop {
            let until = self.good_until(limits);
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }

    /// Until when nothing can be wrong with it.
    fn good_until(&self, limits: &ConnectionLimits) -> Instant {
        let busy = lock(&self.busy);
        let patience = if busy.served > 0 { limits.idle } else { limits.first_call };
        match busy.unread.values().min() {
            _ if busy.calls == 0 => busy.since + patience,
            Some(since) => *since + limits.unread,
            None => Instant::now() + limits.unread,
        }
    }
}

impl Working {
    /// A part of the answer waits for its reader.
    pub fn given(&self) {
        lock(&self.connection.busy).unread.insert(self.number, Instant::now());
    }

    /// The reader has room for more.
    pub fn asked(&self) {
        lock(&self.connection.busy).unread.remove(&self.number);
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        lock(&self.connections.open).remove(&self.connection);
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut busy = lock(&self.connection.busy);
        busy.calls -= 1;
        busy.unread.remove(&self.number);
        busy.since = Instant::now();
    }
}

/// What counts as one address: of IPv6 the part that a site is given, as it may use any number of addresses in it.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn limited(connections: usize, connections_per_address: usize) -> Arc<Connections> {
        Connections::new(ConnectionLimits { connections, connections_per_address, ..ConnectionLimits::default() })
    }
    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }
    async fn later() {
        tokio::time::advance(Duration::from_secs(1)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_connection_of_the_busiest_address_makes_room() {
        let connections = limited(4, 4);
        let other = connections.admit(address(2)).unwrap();
        later().await;
        let crowd: Vec<_> = (0..3).map(|_| connections.admit(address(1)).unwrap()).collect();
        later().await;
        let at_work = crowd[0].connection.work();
        drop(crowd[1].connection.work());

        let newcomer = connections.admit(address(3));

        assert!(newcomer.is_some());
        let evicted = |place: &ConnectionSlot| place.connection.evicted.is_cancelled();
        assert_eq!((evicted(&other), crowd.iter().map(evicted).collect()), (false, vec![false, false, true]));
        drop(at_work);
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_at_its_limit_makes_room_by_its_own_connections() {
        let connections = limited(100, 2);
        let other = connections.admit(address(2)).unwrap();
        let first = connections.admit(address(1)).unwrap();
        later().await;
        let second = connections.admit(address(1)).unwrap();

        let _third = connections.admit(address(1)).unwrap();

        let evicted = [&other, &first, &second].map(|place| place.connection.evicted.is_cancelled());
        assert_eq!(evicted, [false, true, false]);
        assert_eq!(lock(&connections.open).addresses[&address(1)], 2, "one that was evicted counts no more");
        drop(first);
        assert_eq!(lock(&connections.open).addresses[&address(1)], 2, "and is not taken away twice");
    }

    #[tokio::test(start_paused = true)]
    async fn where_all_are_at_work_nobody_makes_room() {
        let connections = limited(2, 2);
        let places: Vec<_> = (1..=2).map(|last| connections.admit(address(last)).unwrap()).collect();
        let work: Vec<_> = places.iter().map(|place| place.connection.work()).collect();
        assert!(connections.admit(address(3)).is_none());
        drop(work);
        assert!(connections.admit(address(3)).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_call_is_over_after_its_time_and_one_at_work_is_not() {
        let limits = ConnectionLimits::default();
        let connections = limited(9, 9);
        let silent = connections.admit(address(1)).unwrap();
        let begun = Instant::now();
        silent.connection.over(&limits).await;
        assert_eq!(begun.elapsed().as_secs(), limits.first_call.as_secs());
        let place = connections.admit(address(1)).unwrap();
        let work = place.connection.work();
        let long = tokio::time::timeout(limits.idle * 10, place.connection.over(&limits)).await;
        assert!(long.is_err());
        drop(work);
        let begun = Instant::now();
        place.connection.over(&limits).await;
        assert_eq!(begun.elapsed().as_secs(), limits.idle.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_answer_nobody_reads_is_over_and_one_whose_answer_has_nothing_to_say_is_not() {
        let limits = ConnectionLimits::default();
        let connections = limited(9, 9);
        let place = connections.admit(address(1)).unwrap();
        let (one, other) = (place.connection.work(), place.connection.work());
        one.given();
        one.asked();
        assert!(tokio::time::timeout(limits.unread * 10, place.connection.over(&limits)).await.is_err());
        other.given();
        let begun = Instant::now();
        place.connection.over(&limits).await;
        assert_eq!(begun.elapsed().as_secs(), limits.unread.as_secs());
        drop(other);
        assert!(tokio::time::timeout(limits.unread * 10, place.connection.over(&limits)).await.is_err());
    }

    #[test]
    fn a_site_of_ipv6_is_one_address() {
        let parse = |text: &str| network(text.parse().unwrap());
        assert_eq!(parse("2001:db8::1"), parse("2001:db8::ffff:1"));
        assert_ne!(parse("2001:db8::1"), parse("2001:db8:0:1::1"));
        assert_eq!(parse("::ffff:10.0.0.1"), address(1));
    }
}
