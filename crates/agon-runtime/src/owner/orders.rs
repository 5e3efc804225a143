//! Passes lasting orders on to the debates that are held here, and has those ended that nobody plays, if this node is to do it: one
//! question each second and with each hint, however many debates.
use crate::base::catalogue;
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::owner::coordinators::Msg;
use crate::owner::takeover::is_heir;
use agon_core::{DebateId, Input};
use agon_proto::{CancelOrder, DebateSummary, SummaryState};
use agon_store::{Cursor, StoreError};
use ractor::ActorRef;

/// Runs until its owner is gone.
pub(crate) async fn follow(shared: Shared, target: ActorRef<Msg>) {
    let (mut cursor, mut trouble) = (None, Trouble::default());
    loop {
        let behind = next(&shared, &target, cursor).await;
        trouble.tell(
            &behind,
            |error| tracing::warn!(%error, "orders cannot be read"),
            |after| tracing::info!(after, "orders are read again"),
        );
        cursor = behind.ok().or(cursor);
        tokio::select! {
            biased;
            () = tokio::time::sleep(shared.config.times.orders_poll) => {}
            () = shared.order_given.notified() => {}
        }
    }
}

async fn next(shared: &Shared, target: &ActorRef<Msg>, cursor: Option<Cursor>) -> Result<Cursor, StoreError> {
    let (orders, behind) = shared.in_time(shared.commands.orders_after(cursor)).await?;
    for (debate, order) in orders {
        if !shared.owned.has(&debate) && is_ours_to_end(shared, &debate).await {
            let orders = Some(Input::Cancel { reason: order.reason });
            tell(target, Msg::Adopt { debate, orders });
            continue;
        }
        pass_on(shared, target, debate, order);
    }
    if cursor.is_none() {
        catch_up(shared, target).await?;
    }
    Ok(behind)
}

/// Debates that were claimed before the first cursor was known may have been given orders since.
async fn catch_up(shared: &Shared, target: &ActorRef<Msg>) -> Result<(), StoreError> {
    for (debate, _) in shared.owned.all() {
        if let Some(order) = shared.in_time(shared.commands.cancel_ordered(&debate)).await? {
            pass_on(shared, target, debate, order);
        }
    }
    Ok(())
}

/// Whether nobody plays the debate before somebody has resumed it, and this node is to take it for that.
async fn is_ours_to_end(shared: &Shared, debate: &DebateId) -> bool {
    let halted = |summary: DebateSummary| matches!(summary.state, SummaryState::Halted(_));
    shared.config.has_peers() && is_heir(shared, debate) && catalogue::known(shared, debate).await.is_some_and(halted)
}

fn pass_on(shared: &Shared, target: &ActorRef<Msg>, debate: DebateId, order: CancelOrder) {
    if shared.owned.has(&debate) {
        tell(target, Msg::Cancel { debate, reason: order.reason });
    }
}
