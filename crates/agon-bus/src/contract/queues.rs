//! Leased work.
use super::{CaseResult, CaseScope, bytes, nothing_to_pull, pull, soon};
use crate::port::{Backlog, Bus, BusError};
use std::time::Duration;

/// First in, first out, over the subjects of a pattern.
pub async fn work_comes_in_the_order_it_was_added(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
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
pub async fn work_that_is_not_acknowledged_comes_again(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    let first = pull(bus, scope).await?;
    let second = pull(bus, scope).await?;
    assert_eq!((first.deliveries(), second.deliveries()), (1, 2));
    second.ack().await?;
    Ok(())
}

/// Acknowledged is gone.
pub async fn acknowledged_work_does_not_come_again(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    pull(bus, scope).await?.ack().await?;
    assert!(nothing_to_pull(bus, scope, 2 * scope.lease).await?);
    Ok(())
}

/// Extending starts the lease anew.
pub async fn an_extended_lease_keeps_the_work(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
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
pub async fn work_given_back_comes_again_after_the_delay(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
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
pub async fn a_late_acknowledgement_takes_the_work_from_the_next_holder(
    bus: &dyn Bus,
    scope: &CaseScope,
) -> CaseResult {
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    let first = pull(bus, scope).await?;
    let second = pull(bus, scope).await?;
    first.ack().await?;
    drop(second);
    assert!(nothing_to_pull(bus, scope, 2 * scope.lease).await?);
    Ok(())
}

/// Work that is added later reaches whoever waits already.
pub async fn a_pull_waits_for_work(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
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
pub async fn a_cancelled_pull_loses_nothing(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    assert!(nothing_to_pull(bus, scope, Duration::from_millis(50)).await?);
    bus.enqueue(&scope.work(0), bytes("w")).await?;
    pull(bus, scope).await?.ack().await?;
    Ok(())
}

/// Adding work to a subject that has some changes nothing, be it free or leased; acknowledged, it may be added again.
pub async fn a_queue_holds_one_piece_of_work_for_a_subject(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
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
pub async fn a_pull_that_does_not_wait_takes_what_is_there(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
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

/// Work that is held counts as work that waits does, and looking takes nothing.
pub async fn queued_work_is_counted_and_shown_by_model_and_debate_until_it_is_acknowledged(
    bus: &dyn Bus,
    scope: &CaseScope,
) -> CaseResult {
    let count = async || -> Result<Option<(u64, String)>, BusError> {
        let all = bus.backlog().await?;
        let own: Vec<Backlog> = all.into_iter().filter(|backlog| backlog.model == scope.model()).collect();
        let work = own.iter().map(|backlog| backlog.work).sum();
        Ok(own.into_iter().next().map(|backlog| (work, backlog.example)))
    };
    assert_eq!(count().await?, None);
    assert_eq!(bus.peek(&scope.work(0)).await?, None);
    bus.enqueue(&scope.work(0), bytes("first")).await?;
    bus.enqueue(&scope.work(1), bytes("second")).await?;
    let first = pull(bus, scope).await?;
    let (work, example) = count().await?.ok_or("the work that was added is not counted")?;
    assert_eq!(work, 2);
    assert!([scope.work(0), scope.work(1)].contains(&example), "{example}");
    assert_eq!(bus.peek(&scope.work(0)).await?, Some(bytes("first")), "although it is held");
    assert_eq!(bus.peek(&scope.work(1)).await?, Some(bytes("second")));
    let queued = bus.queued_subjects().await?;
    assert!([scope.work(0), scope.work(1)].iter().all(|subject| queued.contains(subject)), "{queued:?}");
    first.ack().await?;
    assert_eq!(count().await?, Some((1, scope.work(1))));
    let queued = bus.queued_subjects().await?;
    assert!(!queued.contains(&scope.work(0)) && queued.contains(&scope.work(1)), "{queued:?}");
    pull(bus, scope).await?.ack().await?;
    assert_eq!(count().await?, None);
    Ok(())
}
