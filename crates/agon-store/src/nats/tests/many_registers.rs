//! Results of turns, where there are many.
use super::{NatsRig, on_every_server, until};
use crate::contract::{debate, said};
use crate::nats::upkeep::MANY_REGISTERS;
use crate::{NatsStoreConfig, Registers as _, Upkeep as _};
use agon_core::TurnId;
use futures_util::{StreamExt as _, stream};

fn turn(round: u32) -> TurnId {
    TurnId { round, seat: 0, attempt: 1 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_registers_only_those_of_the_turns_are_removed() {
    on_every_server(async |rig: NatsRig| {
        let store = rig.open(NatsStoreConfig::default()).await;
        let (ended, other) = (debate("ended"), debate("other"));
        for round in 1..=20 {
            store.decide(&ended, turn(round), said("a")).await.unwrap();
        }
        let rounds = 1..=u32::try_from(MANY_REGISTERS).unwrap();
        let decided = stream::iter(rounds).map(|round| store.decide(&other, turn(round), said("b")));
        decided.buffer_unordered(64).for_each(async |decided| assert!(decided.unwrap().won)).await;
        until("the store has seen them", async || store.found.registers() > MANY_REGISTERS).await;

        store.decide(&ended, turn(22), said("c")).await.unwrap();
        // the last one was never decided
        let asked: Vec<TurnId> = (1..=21).map(turn).collect();
        store.purge_registers(&ended, &asked).await.unwrap();

        for turn in asked {
            assert!(store.get(&ended, turn).await.unwrap().is_none(), "{turn:?}");
        }
        assert!(store.get(&ended, turn(22)).await.unwrap().is_some(), "nobody has named it");
        assert!(store.get(&other, turn(1)).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_register_that_the_server_has_lost_is_undecided_and_written_again() {
    on_every_server(async |rig: NatsRig| {
        let (host, owner) = (rig.open(NatsStoreConfig::default()).await, rig.open(NatsStoreConfig::default()).await);
        let a = debate("a");
        host.decide(&a, turn(1), said("first")).await.unwrap();
        owner.purge_registers(&a, &[]).await.unwrap();

        assert!(host.get(&a, turn(1)).await.unwrap().is_none());
        let again = host.decide(&a, turn(1), said("second")).await.unwrap();

        assert!(again.won);
        assert_eq!(owner.get(&a, turn(1)).await.unwrap(), Some(again.result));
    })
    .await;
}
