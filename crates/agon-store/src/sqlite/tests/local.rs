use super::*;
use crate::{Claimed, EvalLogs as _, LocalState, NewEvalRecord, Owner};
use agon_core::Halt;
use std::process::{Child, Command, Stdio};

/// A process that lives until it is killed.
fn process() -> Child {
    Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap()
}

fn owner(child: &Child) -> Owner {
    Owner::of(child.id(), Timestamp(START))
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

async fn admitted(store: &SqliteStore, name: &str, owner: &Owner) {
    assert_eq!(store.admit_local(&debate(name), owner).await.unwrap(), Claimed::Won);
    store.append(&debate(name), record(1, 1, 0)).await.unwrap();
}

#[tokio::test]
async fn of_many_processes_that_resume_a_debate_one_wins_and_the_others_are_told_who() {
    let rig = Sqlite::new();
    let dead = process();
    let store = rig.open();
    admitted(&store, "a", &owner(&dead)).await;
    kill(dead);
    assert_eq!(store.local(&debate("a")).await.unwrap(), Some(LocalState::Halted(Halt::Interrupted)));

    let processes: Vec<Child> = (0..8).map(|_| process()).collect();
    let owners: Vec<Owner> = processes.iter().map(owner).collect();
    let stores: Vec<_> = owners.iter().map(|_| rig.open()).collect();
    let id = debate("a");
    let claims = stores.iter().zip(&owners).map(|(store, owner)| store.claim_local(&id, owner));
    let claims: Vec<Claimed> = futures_util::future::join_all(claims).await.into_iter().map(Result::unwrap).collect();

    let winner = claims.iter().position(|claim| *claim == Claimed::Won).unwrap();
    for (at, claim) in claims.iter().enumerate().filter(|(at, _)| *at != winner) {
        assert_eq!(*claim, Claimed::Held(owners[winner].clone()), "{at}");
    }
    assert_eq!(store.local(&debate("a")).await.unwrap(), Some(LocalState::Played(owners[winner].clone())));
    processes.into_iter().for_each(kill);
}

#[tokio::test]
async fn what_was_stopped_on_purpose_is_paused_however_its_process_ends() {
    let rig = Sqlite::new();
    let store = rig.open();
    let (one, two) = (process(), process());
    let (first, second) = (owner(&one), owner(&two));
    admitted(&store, "a", &first).await;
    // whoever does not play it changes nothing
    store.pause_local(&debate("a"), &second).await.unwrap();
    store.leave_local(&debate("a"), &second).await.unwrap();
    assert_eq!(store.local(&debate("a")).await.unwrap(), Some(LocalState::Played(first.clone())));

    store.pause_local(&debate("a"), &first).await.unwrap();
    assert_eq!(store.local(&debate("a")).await.unwrap(), Some(LocalState::Played(first.clone())), "it still lives");
    kill(one);
    assert_eq!(store.local(&debate("a")).await.unwrap(), Some(LocalState::Halted(Halt::Paused)));

    assert_eq!(store.claim_local(&debate("a"), &second).await.unwrap(), Claimed::Won);
    store.leave_local(&debate("a"), &second).await.unwrap();
    assert_eq!(
        store.local(&debate("a")).await.unwrap(),
        Some(LocalState::Halted(Halt::Interrupted)),
        "that was before"
    );
    kill(two);
}

#[tokio::test]
async fn a_debate_that_nobody_plays_is_handed_to_the_servers_with_a_job() {
    let rig = Sqlite::new();
    let store = rig.open();
    let child = process();
    let first = owner(&child);
    admitted(&store, "a", &first).await;
    let hand_over = async || store.hand_over(&debate("a"), Priority::Normal).await.unwrap();
    assert_eq!(hand_over().await, Some(LocalState::Played(first.clone())), "its process lives");
    let job = async || store.take("node", Duration::from_secs(60)).await.unwrap();
    assert!(job().await.is_none());

    kill(child);
    assert_eq!(hand_over().await, Some(LocalState::Halted(Halt::Interrupted)));
    assert_eq!(store.local(&debate("a")).await.unwrap(), None);
    assert_eq!(job().await.unwrap().debate, debate("a"));
    assert_eq!(store.claim_local(&debate("a"), &first).await.unwrap(), Claimed::Servers);
    assert_eq!(hand_over().await, None, "it is theirs already");
}

#[tokio::test]
async fn a_debate_of_a_server_and_one_that_ended_cannot_be_claimed() {
    let rig = Sqlite::new();
    let store = rig.open();
    let child = process();
    let own = owner(&child);
    store.append(&debate("served"), record(1, 1, 0)).await.unwrap();
    assert_eq!(store.claim_local(&debate("served"), &own).await.unwrap(), Claimed::Servers);
    assert_eq!(store.admit_local(&debate("served"), &own).await.unwrap(), Claimed::Refused);
    assert_eq!(store.claim_local(&debate("unknown"), &own).await.unwrap(), Claimed::Refused);

    admitted(&store, "over", &own).await;
    store.append(&debate("over"), ending(2)).await.unwrap();
    assert_eq!(store.local(&debate("over")).await.unwrap(), None);
    assert_eq!(store.claim_local(&debate("over"), &own).await.unwrap(), Claimed::Refused);
    assert!(store.locals().await.unwrap().is_empty());
    kill(child);
}

#[tokio::test]
async fn an_id_whose_process_died_before_the_admission_is_free() {
    let rig = Sqlite::new();
    let store = rig.open();
    let (dead, child) = (process(), process());
    let first = owner(&dead);
    assert_eq!(store.admit_local(&debate("a"), &first).await.unwrap(), Claimed::Won);
    assert_eq!(store.admit_local(&debate("a"), &owner(&child)).await.unwrap(), Claimed::Held(first));
    kill(dead);
    assert!(store.locals().await.unwrap().is_empty(), "there is no such debate");
    assert_eq!(store.admit_local(&debate("a"), &owner(&child)).await.unwrap(), Claimed::Won);
    kill(child);
}

#[tokio::test]
async fn an_eval_of_a_process_is_not_among_those_that_servers_drive() {
    let rig = Sqlite::new();
    let store = rig.open();
    let begun = |body: &str| NewEvalRecord {
        after: 0,
        at: Timestamp(START),
        body: body.as_bytes().into(),
        card: Vec::new().into(),
        ended: false,
    };
    for name in ["here", "served"] {
        store.append_eval(&debate(name), begun("begin")).await.unwrap();
    }
    let child = process();
    store.admit_local(&debate("here"), &owner(&child)).await.unwrap();
    let open = async || store.open_evals().await.unwrap().into_iter().map(|head| head.id).collect::<Vec<_>>();
    assert_eq!(open().await, [debate("served")]);
    // nor once its process has died: `agon eval resume` continues it
    kill(child);
    assert_eq!(open().await, [debate("served")]);
}
