use super::{StoreRig, TURN, debate, said};
use crate::Registers as _;
use agon_core::{TurnId, TurnResult};
use std::sync::Arc;

pub(crate) async fn the_first_result_stays(rig: &impl StoreRig) {
    let store = rig.store().await;
    assert!(store.get(&debate("a"), TURN).await.unwrap().is_none());
    let first = store.decide(&debate("a"), TURN, said("one")).await.unwrap();
    assert!(first.won);
    let second = store.decide(&debate("a"), TURN, TurnResult::Withdrawn).await.unwrap();
    assert!(!second.won);
    assert_eq!(*second.result, said("one"));
    assert_eq!(*store.get(&debate("a"), TURN).await.unwrap().unwrap(), said("one"));
}

pub(crate) async fn of_many_writers_of_a_register_one_wins(rig: &impl StoreRig) {
    let store = rig.store().await;
    for seat in 0..20 {
        let turn = TurnId { seat, ..TURN };
        let mut tasks = tokio::task::JoinSet::new();
        for writer in 0..8 {
            let store = Arc::clone(&store);
            tasks.spawn(async move { store.decide(&debate("a"), turn, said(&writer.to_string())).await.unwrap() });
        }
        let decisions = tasks.join_all().await;
        assert_eq!(decisions.iter().filter(|decision| decision.won).count(), 1);
        let held = store.get(&debate("a"), turn).await.unwrap().unwrap();
        assert!(decisions.iter().all(|decision| decision.result == held));
    }
}

pub(crate) async fn turns_and_tries_have_their_own_registers(rig: &impl StoreRig) {
    let store = rig.store().await;
    let turns = [TURN, TURN.next_attempt(), TurnId { seat: 9, ..TURN }, TurnId { round: 9, ..TURN }];
    for (n, turn) in turns.into_iter().enumerate() {
        assert!(store.decide(&debate("a"), turn, said(&n.to_string())).await.unwrap().won);
    }
    assert!(store.decide(&debate("b"), TURN, said("b")).await.unwrap().won);
    for (n, turn) in turns.into_iter().enumerate() {
        assert_eq!(*store.get(&debate("a"), turn).await.unwrap().unwrap(), said(&n.to_string()));
    }
    assert_eq!(*store.get(&debate("b"), TURN).await.unwrap().unwrap(), said("b"));
}
