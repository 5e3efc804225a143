//! What every bus does: one suite for the in-memory twin and for NATS.
//!
//! Each case takes the bus and a [`Scope`] that keeps its subjects apart from those of other cases. The queue cases use
//! subjects of the `gen` family, because a durable queue has to be set up before it is used.
use crate::port::{Bus, BusError, Delivery, MAX_MESSAGE_BYTES, Message, Payload, Received};
use crate::subject::{DebateKey, Priority, Subject, Token, TurnKey, pattern};
use std::time::Duration;

/// What a case may use: its own names, and how long a lease lasts with this bus.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Unique for each case and run.
    pub name: String,
    /// The shortest lease that the bus grants.
    pub lease: Duration,
}
impl Scope {
    fn key(&self) -> DebateKey {
        DebateKey { tenant: Token::new("contract"), debate: Token::new(&self.name) }
    }
    fn model(&self) -> Token {
        Token::model(&self.name)
    }
    fn work(&self, seat: u32) -> String {
        let turn = TurnKey { round: 1, seat, attempt: 1 };
        Subject::Gen { model: self.model(), prio: Priority::Normal, key: self.key(), turn }.to_string()
    }
    fn queue(&self) -> String {
        pattern::generations(&self.model(), Priority::Normal)
    }
    fn hint(&self) -> String {
        Subject::Ctl { key: self.key() }.to_string()
    }
    fn host(&self, verb: &str) -> String {
        Subject::Host { host: Token::new(&self.name), verb: Token::new(verb) }.to_string()
    }
}

/// The longest that anything which should come may take.
const SOON: Duration = Duration::from_secs(5);

/// Makes one test of each case. `$attr` is the test attribute, `$buses` makes the buses to try as `Arc<impl Bus>`,
/// `$lease` is the shortest lease.
#[macro_export]
macro_rules! bus_contract {
    ($(#[$attr:meta])+, $buses:expr, $lease:expr) => {
        $crate::bus_contract!(@cases [$(#[$attr])+] $buses, $lease;
            a_listener_hears_what_fits_its_pattern,
            a_dropped_listener_costs_nothing,
            a_request_without_a_server_fails_at_once,
            a_server_answers_and_an_unanswered_request_times_out,
            requests_are_shared_among_servers,
            work_comes_in_the_order_it_was_added,
            work_that_is_not_acknowledged_comes_again,
            acknowledged_work_does_not_come_again,
            an_extended_lease_keeps_the_work,
            work_given_back_comes_again_after_the_delay,
            a_late_acknowledgement_takes_the_work_from_the_next_holder,
            a_pull_waits_for_work,
            a_cancelled_pull_loses_nothing,
            a_queue_holds_one_piece_of_work_for_a_subject,
            a_pull_that_does_not_wait_takes_what_is_there,
            the_trace_context_travels_on_every_way,
            a_large_message_arrives_whole_on_every_way,
            a_message_that_is_too_large_is_refused_on_every_way,
            draining_ends_listeners_servers_and_pulls,
        );
    };
    (@cases $attrs:tt $buses:expr, $lease:expr; $($case:ident,)+) => {
        $($crate::bus_contract!(@case $attrs $buses, $lease, $case);)+
    };
    (@case [$(#[$attr:meta])+] $buses:expr, $lease:expr, $case:ident) => {
        $(#[$attr])+
        async fn $case() {
            let unique = format!("{}-{}", stringify!($case), std::process::id());
            let scope = $crate::contract::Scope { name: unique, lease: $lease };
            for bus in $buses {
                $crate::contract::$case(&*bus, &scope).await.unwrap();
            }
        }
    };
}

/// A broken promise, or a bus that failed.
pub type CaseResult = Result<(), Box<dyn std::error::Error>>;

fn bytes(text: &str) -> Payload {
    Payload::from(text.as_bytes().to_vec())
}

async fn soon<T>(what: impl Future<Output = T>) -> Result<T, tokio::time::error::Elapsed> {
    tokio::time::timeout(SOON, what).await
}

async fn pull(bus: &dyn Bus, scope: &Scope) -> Result<Box<dyn Delivery>, Box<dyn std::error::Error>> {
    Ok(tokio::time::timeout(SOON + 3 * scope.lease, bus.pull(&scope.queue(), scope.lease)).await??)
}

async fn nothing_to_pull(bus: &dyn Bus, scope: &Scope, within: Duration) -> Result<bool, BusError> {
    match tokio::time::timeout(within, bus.pull(&scope.queue(), scope.lease)).await {
        Err(_) => Ok(true),
        Ok(delivery) => delivery.map(|_| false),
    }
}

/// Patterns select subjects; a hint reaches every listener.
pub async fn a_listener_hears_what_fits_its_pattern(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let mut exact = bus.subscribe(&scope.hint()).await?;
    let mut one = bus.subscribe("agon.v1.ctl.contract.*").await?;
    let mut other = bus.subscribe(&scope.host("other")).await?;
    assert!(bus.may_have_listeners(&scope.hint()));
    bus.publish(&scope.hint(), bytes("hello")).await?;
    bus.publish(&scope.host("other"), bytes("host")).await?;
    let hello = Received::Message(Message { subject: scope.hint(), payload: bytes("hello") });
    assert_eq!(soon(exact.next()).await?, Some(hello.clone()));
    loop {
        // other cases may talk on the wider pattern
        if soon(one.next()).await? == Some(hello.clone()) {
            break;
        }
    }
    let host = Received::Message(Message { subject: scope.host("other"), payload: bytes("host") });
    assert_eq!(soon(other.next()).await?, Some(host));
    Ok(())
}

/// Publishing goes on when a listener has gone.
pub async fn a_dropped_listener_costs_nothing(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    drop(bus.subscribe(&scope.hint()).await?);
    bus.publish(&scope.hint(), bytes("nobody")).await?;
    let mut listener = bus.subscribe(&scope.hint()).await?;
    bus.publish(&scope.hint(), bytes("somebody")).await?;
    let heard = soon(listener.next()).await?;
    assert_eq!(heard, Some(Received::Message(Message { subject: scope.hint(), payload: bytes("somebody") })));
    Ok(())
}

/// No responders is known without waiting.
pub async fn a_request_without_a_server_fails_at_once(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let started = tokio::time::Instant::now();
    let answer = bus.request(&scope.host("offer"), bytes("?"), Duration::from_secs(60)).await;
    assert!(matches!(answer, Err(BusError::NoResponders(_))), "{answer:?}");
    assert!(started.elapsed() < SOON);
    Ok(())
}

/// Replies come back; a server that drops a request lets the asker wait.
pub async fn a_server_answers_and_an_unanswered_request_times_out(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let mut server = bus.serve(&pattern::host(&Token::new(&scope.name))).await?;
    let serving = async {
        while let Some(request) = server.next().await {
            if request.message.payload == bytes("mute") {
                drop(request);
                break;
            }
            (request.reply)(request.message.payload);
        }
        std::future::pending::<()>().await;
    };
    let asking = async {
        let echo = bus.request(&scope.host("offer"), bytes("echo"), SOON).await?;
        assert_eq!(echo, bytes("echo"));
        let mute = bus.request(&scope.host("offer"), bytes("mute"), Duration::from_millis(100)).await;
        assert!(matches!(mute, Err(BusError::Timeout { .. })), "{mute:?}");
        Ok(())
    };
    tokio::select! { result = asking => result, () = serving => Ok(()) }
}

/// Every server gets its share, each request goes to one.
pub async fn requests_are_shared_among_servers(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let (mut first, mut second) = (bus.serve(&scope.host("work")).await?, bus.serve(&scope.host("work")).await?);
    let serving = async {
        loop {
            tokio::select! {
                Some(request) = first.next() => (request.reply)(bytes("first")),
                Some(request) = second.next() => (request.reply)(bytes("second")),
                else => return,
            }
        }
    };
    let asking = async {
        let mut by_first = 0;
        for _ in 0..40 {
            by_first += u32::from(bus.request(&scope.host("work"), bytes("?"), SOON).await? == bytes("first"));
        }
        assert!((1..40).contains(&by_first), "one of two servers got everything: {by_first}");
        Ok(())
    };
    tokio::select! { result = asking => result, () = serving => Ok(()) }
}

/// First in, first out, over the subjects of a pattern.
pub async fn work_comes_in_the_order_it_was_added(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    for seat in [2, 0, 1] {
        bus.enqueue(&scope.work(seat), bytes("w")).await?;
    }
    for seat in [2, 0, 1] {
        let work = pull(bus, scope).await?;
        assert_eq!((work.message().subject.clone(), work.deliveries()), (scope.work(seat), 1));
        work.ack().await?;
    }
    Ok(())
}

/// A lease that runs out gives the work to the next, and it is counted.
pub async fn work_that_is_not_acknowledged_comes_again(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    let first = pull(bus, scope).await?;
    let second = pull(bus, scope).await?;
    assert_eq!((first.deliveries(), second.deliveries()), (1, 2));
    second.ack().await?;
    Ok(())
}

/// Acknowledged is gone.
pub async fn acknowledged_work_does_not_come_again(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    pull(bus, scope).await?.ack().await?;
    assert!(nothing_to_pull(bus, scope, 2 * scope.lease).await?);
    Ok(())
}

/// Extending starts the lease anew.
pub async fn an_extended_lease_keeps_the_work(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    let work = pull(bus, scope).await?;
    for _ in 0..3 {
        assert!(nothing_to_pull(bus, scope, scope.lease / 2).await?);
        assert!(work.extend().await?);
    }
    work.ack().await?;
    Ok(())
}

/// A negative acknowledgement with a delay.
pub async fn work_given_back_comes_again_after_the_delay(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    pull(bus, scope).await?.nak(scope.lease).await?;
    assert!(nothing_to_pull(bus, scope, scope.lease / 2).await?);
    let again = pull(bus, scope).await?;
    assert_eq!(again.deliveries(), 2);
    again.nak(Duration::ZERO).await?;
    let at_once = soon(bus.pull(&scope.queue(), scope.lease)).await??;
    assert_eq!(at_once.deliveries(), 3);
    at_once.ack().await?;
    Ok(())
}

/// Acknowledgements are not fenced.
pub async fn a_late_acknowledgement_takes_the_work_from_the_next_holder(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    let first = pull(bus, scope).await?;
    let second = pull(bus, scope).await?;
    first.ack().await?;
    drop(second);
    assert!(nothing_to_pull(bus, scope, 2 * scope.lease).await?);
    Ok(())
}

/// Work that is added later reaches whoever waits already.
pub async fn a_pull_waits_for_work(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let adding = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        bus.enqueue(&scope.work(0), bytes("w")).await
    };
    let (work, added) = tokio::join!(pull(bus, scope), adding);
    added?;
    work?.ack().await?;
    Ok(())
}

/// Dropping a pull before it returned leaves the work to the others.
pub async fn a_cancelled_pull_loses_nothing(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    assert!(nothing_to_pull(bus, scope, Duration::from_millis(50)).await?);
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    pull(bus, scope).await?.ack().await?;
    Ok(())
}

/// Adding work to a subject that has some changes nothing, be it free or leased; acknowledged, it may be added again.
pub async fn a_queue_holds_one_piece_of_work_for_a_subject(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("first")).await?;
    bus.enqueue(&scope.work(0), bytes("while free")).await?;
    let work = pull(bus, scope).await?;
    bus.enqueue(&scope.work(0), bytes("while leased")).await?;
    assert_eq!((work.message().payload.clone(), work.deliveries()), (bytes("first"), 1));
    assert!(nothing_to_pull(bus, scope, scope.lease / 2).await?);
    work.ack().await?;
    assert!(nothing_to_pull(bus, scope, scope.lease / 2).await?);
    bus.enqueue(&scope.work(0), bytes("again")).await?;
    let again = pull(bus, scope).await?;
    assert_eq!(again.message().payload, bytes("again"));
    again.ack().await?;
    Ok(())
}

/// `try_pull` says at once that there is nothing, and takes what is free.
pub async fn a_pull_that_does_not_wait_takes_what_is_there(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    assert!(soon(bus.try_pull(&scope.queue(), scope.lease)).await??.is_none());
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    let Some(work) = soon(bus.try_pull(&scope.queue(), scope.lease)).await?? else {
        return Err("the work that was added is not there".into());
    };
    assert_eq!((work.message().subject.clone(), work.deliveries()), (scope.work(0), 1));
    assert!(soon(bus.try_pull(&scope.queue(), scope.lease)).await??.is_none(), "it is leased");
    work.ack().await?;
    Ok(())
}

/// A sender's `traceparent` reaches listeners, servers, askers and those who pull.
pub async fn the_trace_context_travels_on_every_way(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let trace = |n: u8| Payload::traced(vec![n], Some(format!("00-{n:032x}-00000000000000ff-01").into()));
    everything_travels(bus, scope, trace).await
}

/// Larger than what a server takes in one message by default (1 MiB).
pub async fn a_large_message_arrives_whole_on_every_way(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let large = |n: u8| {
        let body: Vec<u8> = (0..3 * 1024 * 1024_u32).map(|at| (at % 251) as u8 ^ n).collect();
        Payload::traced(body, Some(format!("00-{n:032x}-00000000000000ff-00").into()))
    };
    everything_travels(bus, scope, large).await
}

/// Beyond the largest message the sender is told, and nothing is sent.
pub async fn a_message_that_is_too_large_is_refused_on_every_way(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let large = Payload::from(vec![0; MAX_MESSAGE_BYTES + 1]);
    let _server = bus.serve(&scope.host("offer")).await?;
    let refused = [
        bus.publish(&scope.hint(), large.clone()).await,
        bus.request(&scope.host("offer"), large.clone(), SOON).await.map(|_| ()),
        bus.enqueue(&scope.work(0), large).await,
    ];
    for refusal in refused {
        assert!(matches!(refusal, Err(BusError::TooLarge { limit: MAX_MESSAGE_BYTES, .. })), "{refusal:?}");
    }
    Ok(())
}

/// Sends on each of the four ways, and wants the same to arrive.
async fn everything_travels(bus: &dyn Bus, scope: &Scope, make: impl Fn(u8) -> Payload) -> CaseResult {
    let mut listener = bus.subscribe(&scope.hint()).await?;
    bus.publish(&scope.hint(), make(1)).await?;
    let hint = Received::Message(Message { subject: scope.hint(), payload: make(1) });
    assert!(soon(listener.next()).await? == Some(hint), "the hint");

    let mut server = bus.serve(&scope.host("echo")).await?;
    let serving = async {
        let Some(request) = server.next().await else { return false };
        let whole = request.message.payload == make(2);
        (request.reply)(make(3));
        whole
    };
    let subject = scope.host("echo");
    let (answer, asked) = tokio::join!(bus.request(&subject, make(2), 2 * SOON), serving);
    assert!(asked, "the request");
    assert!(answer? == make(3), "the answer");

    bus.enqueue(&scope.work(0), make(4)).await?;
    let work = pull(bus, scope).await?;
    assert!(work.message().payload == make(4), "the work");
    work.ack().await?;
    Ok(())
}

/// After draining, listeners, servers and pulls come to their end.
pub async fn draining_ends_listeners_servers_and_pulls(bus: &dyn Bus, scope: &Scope) -> CaseResult {
    let mut listener = bus.subscribe(&scope.hint()).await?;
    let mut server = bus.serve(&scope.host("offer")).await?;
    let queue = scope.queue();
    let draining = async {
        tokio::task::yield_now().await;
        bus.drain().await;
    };
    let (pulled, ()) = soon(async { tokio::join!(bus.pull(&queue, scope.lease), draining) }).await?;
    assert!(matches!(pulled, Err(BusError::Closed(_))), "a pull ended otherwise than by the end of the bus");
    assert_eq!(soon(listener.next()).await?, None);
    assert!(soon(server.next()).await?.is_none());
    Ok(())
}
