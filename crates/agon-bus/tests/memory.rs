//! The in-memory bus under the contract of the port, and what it promises beyond.
use agon_bus::{Bus, BusError, Delivery, Faults, FaultyBus, MemoryBus, MemoryBusLimits, Message, Payload, Received};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::time::Instant;

const LEASE: Duration = Duration::from_secs(20);

mod contract {
    agon_bus::bus_contract!(
        #[tokio::test(start_paused = true)],
        [std::sync::Arc::new(agon_bus::MemoryBus::new())],
        std::time::Duration::from_secs(20)
    );
}

mod contract_behind_a_wrapper_without_faults {
    agon_bus::bus_contract!(
        #[tokio::test(start_paused = true)],
        [std::sync::Arc::new(agon_bus::FaultyBus::new(agon_bus::MemoryBus::new(), 1, agon_bus::Faults::default()))],
        std::time::Duration::from_secs(20)
    );
}

fn is_pending<T>(future: &mut (impl Future<Output = T> + Unpin)) -> bool {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

fn payload(n: usize) -> Payload {
    Payload::from(n.to_string())
}
fn end() -> Payload {
    Payload::from("end".to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_slow_listener_learns_how_much_it_missed_and_where() {
    let bus = MemoryBus::with_limits(MemoryBusLimits { per_subscription: 2, ..MemoryBusLimits::default() });
    let mut slow = bus.subscribe("a").await.unwrap();
    for n in 0..5 {
        bus.publish("a", payload(n)).await.unwrap();
    }
    let message = |n| Some(Received::Message(Message { subject: "a".into(), payload: payload(n) }));
    assert_eq!(slow.next().await, message(0));
    bus.publish("a", payload(5)).await.unwrap();
    assert_eq!(slow.next().await, message(1));
    assert_eq!(slow.next().await, Some(Received::Lagged(3)));
    assert_eq!(slow.next().await, message(5));
}

#[tokio::test(start_paused = true)]
async fn two_servers_take_turns() {
    let bus = MemoryBus::new();
    let (mut first, mut second) = (bus.serve("h.x").await.unwrap(), bus.serve("h.*").await.unwrap());
    let asker = bus.clone();
    let asking = tokio::spawn(async move {
        for n in 0..6 {
            asker.request("h.x", payload(n), LEASE).await.unwrap();
        }
    });
    for _ in 0..3 {
        for server in [&mut first, &mut second] {
            let request = server.next().await.unwrap();
            (request.reply)(Payload::default());
        }
    }
    asking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_server_is_not_asked_any_more() {
    let bus = MemoryBus::new();
    drop(bus.serve("h").await.unwrap());
    assert!(matches!(bus.request("h", Payload::default(), LEASE).await, Err(BusError::NoResponders(_))));
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_refuses_and_an_acknowledgement_makes_room() {
    let bus = MemoryBus::with_limits(MemoryBusLimits { per_queue: 2, ..MemoryBusLimits::default() });
    bus.enqueue("agon.v1.gen.m.p1.x", payload(0)).await.unwrap();
    bus.enqueue("agon.v1.gen.n.p1.x", payload(1)).await.unwrap();
    let refused = bus.enqueue("agon.v1.gen.m.p0.x", payload(2)).await;
    assert!(matches!(refused, Err(BusError::QueueFull(queue)) if queue == "agon.v1.gen"));
    bus.enqueue("agon.v1.job.p1.0.x", payload(3)).await.unwrap();
    bus.pull("agon.v1.gen.m.>", LEASE).await.unwrap().ack().await.unwrap();
    bus.enqueue("agon.v1.gen.m.p0.x", payload(2)).await.unwrap();
    assert_eq!(bus.queued("agon.v1.gen.>"), 2);
}

#[tokio::test(start_paused = true)]
async fn redelivered_work_keeps_its_place_in_front() {
    let bus = MemoryBus::new();
    for n in 0..3 {
        bus.enqueue(&format!("q.a.{n}"), payload(n)).await.unwrap();
    }
    let first = bus.pull("q.>", LEASE).await.unwrap();
    let second = bus.pull("q.a.*", LEASE).await.unwrap();
    second.nak(Duration::ZERO).await.unwrap();
    first.nak(Duration::ZERO).await.unwrap();
    let again = [bus.pull("q.a.>", LEASE).await.unwrap(), bus.pull("*.a.*", LEASE).await.unwrap()];
    assert_eq!(again.map(|work| work.message().payload.clone()), [payload(0), payload(1)]);
}

#[tokio::test(start_paused = true)]
async fn a_lease_runs_out_to_the_moment_and_then_belongs_to_the_next() {
    let bus = MemoryBus::new();
    bus.enqueue("q", payload(0)).await.unwrap();
    let started = Instant::now();
    let first = bus.pull("q", LEASE).await.unwrap();
    let second = bus.pull("q", LEASE).await.unwrap();
    assert_eq!(started.elapsed().as_secs(), LEASE.as_secs());
    assert!(!first.extend().await.unwrap());
    first.nak(Duration::ZERO).await.unwrap();
    assert!(second.extend().await.unwrap(), "a late nak took nothing away");
}

#[tokio::test(start_paused = true)]
async fn a_shorter_lease_taken_later_wakes_those_who_wait_already() {
    let bus = MemoryBus::new();
    bus.enqueue("q.0", payload(0)).await.unwrap();
    bus.enqueue("q.1", payload(1)).await.unwrap();
    let _long = bus.pull("q.*", 10 * LEASE).await.unwrap();
    let waiter = tokio::spawn({
        let bus = bus.clone();
        async move { bus.pull("q.*", LEASE).await.unwrap().message().payload.clone() }
    });
    // the waiter has work 1 at once; the next one waits with the long lease in view
    assert_eq!(waiter.await.unwrap(), payload(1));
    let started = Instant::now();
    let again = bus.pull("q.*", LEASE).await.unwrap();
    assert_eq!((again.message().payload.clone(), started.elapsed().as_secs()), (payload(1), LEASE.as_secs()));
    let waiting = bus.pull("q.*", LEASE);
    let shorter = async {
        again.nak(Duration::from_secs(1)).await.unwrap();
        Instant::now()
    };
    let (work, given_back) = tokio::join!(waiting, shorter);
    assert_eq!((work.unwrap().deliveries(), given_back.elapsed().as_secs()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_are_served_in_the_order_they_came() {
    let bus = MemoryBus::new();
    let mut waiting = Vec::new();
    for n in 0..5 {
        let bus = bus.clone();
        waiting.push(tokio::spawn(async move { (n, bus.pull("q.*", LEASE).await.unwrap().message().payload.clone()) }));
        tokio::task::yield_now().await;
    }
    for n in 0..5 {
        bus.enqueue(&format!("q.{n}"), payload(n)).await.unwrap();
    }
    for served in waiting {
        let (n, got) = served.await.unwrap();
        assert_eq!(got, payload(n));
    }
}

#[tokio::test(start_paused = true)]
async fn a_pull_dropped_after_the_work_was_handed_to_it_gives_it_to_the_next() {
    let bus = MemoryBus::new();
    let mut first = Box::pin(bus.pull("q", LEASE));
    assert!(is_pending(&mut first));
    let mut second = Box::pin(bus.pull("q", LEASE));
    assert!(is_pending(&mut second));
    bus.enqueue("q", payload(0)).await.unwrap();
    drop(first);
    let started = Instant::now();
    assert_eq!(second.await.unwrap().deliveries(), 1);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_listeners_servers_and_pulls() {
    let bus = MemoryBus::new();
    let (mut listener, mut server) = (bus.subscribe(">").await.unwrap(), bus.serve("h").await.unwrap());
    let mut pull = Box::pin(bus.pull("q", LEASE));
    assert!(is_pending(&mut pull));
    bus.publish("a", payload(1)).await.unwrap();
    bus.close();
    assert!(matches!(listener.next().await, Some(Received::Message(_))));
    assert_eq!(listener.next().await, None);
    assert!(server.next().await.is_none());
    assert!(matches!(pull.await, Err(BusError::Closed(_))));
    assert!(matches!(bus.publish("a", payload(2)).await, Err(BusError::Closed(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_pullers_on_many_threads_take_every_piece_once() {
    let bus = MemoryBus::new();
    let pullers: Vec<_> = (0..16)
        .map(|_| {
            let bus = bus.clone();
            tokio::spawn(async move {
                let mut taken = Vec::new();
                loop {
                    let work = bus.pull("q.>", LEASE).await.unwrap();
                    work.ack().await.unwrap();
                    match std::str::from_utf8(&work.message().payload).unwrap().parse::<u32>() {
                        Ok(n) => taken.push(n),
                        Err(_) => return taken,
                    }
                }
            })
        })
        .collect();
    for n in 0..2_000 {
        bus.enqueue(&format!("q.{}.{n}", n % 7), payload(n)).await.unwrap();
    }
    for n in 0..16 {
        bus.enqueue(&format!("q.end.{n}"), end()).await.unwrap();
    }
    let mut all = Vec::new();
    for puller in pullers {
        all.extend(puller.await.unwrap());
    }
    all.sort_unstable();
    assert_eq!(all, (0..2_000).collect::<Vec<u32>>());
}

#[tokio::test(start_paused = true)]
async fn faults_strike_as_often_as_asked_and_the_same_way_each_time() {
    let faults = Faults { lose_hint: 100, double_hint: 100, delay_hint: 100, lose_work: 200, redeliver_acked: 200 };
    let run = || async {
        let bus = FaultyBus::new(MemoryBus::new(), 7, faults);
        let mut listener = bus.subscribe("a").await.unwrap();
        for n in 0..1_000 {
            bus.publish("a", payload(n)).await.unwrap();
            bus.enqueue(&format!("q.{n}"), payload(n)).await.unwrap();
        }
        bus.calm();
        bus.publish("a", end()).await.unwrap();
        let mut heard = Vec::new();
        while let Some(Received::Message(message)) = listener.next().await {
            if message.payload == end() {
                break;
            }
            heard.push(std::str::from_utf8(&message.payload).unwrap().parse::<u32>().unwrap());
        }
        (heard, bus.counts())
    };
    let (heard, counts) = run().await;
    assert_eq!((heard.clone(), counts), run().await);
    assert!([counts.lost_hints, counts.delayed_hints, counts.doubled_hints].iter().all(|n| (50..150).contains(n)));
    assert!((150..250).contains(&counts.lost_work));
    assert!(heard.windows(2).any(|pair| pair[0] > pair[1]), "something came late");
}

#[tokio::test(start_paused = true)]
async fn acknowledged_work_that_comes_again_comes_as_new() {
    let faults = Faults { redeliver_acked: 1_000, ..Faults::default() };
    let bus = Arc::new(FaultyBus::new(MemoryBus::new(), 7, faults));
    bus.enqueue("q", payload(0)).await.unwrap();
    let first: Box<dyn Delivery> = bus.pull("q", LEASE).await.unwrap();
    first.ack().await.unwrap();
    assert_eq!(bus.pull("q", LEASE).await.unwrap().deliveries(), 1);
    assert_eq!(bus.counts().redelivered, 1);
}
