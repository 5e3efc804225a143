//! The crash simulator: a process dies right before or right after every single effect of a debate.
use crate::cast::Cast;
use crate::fuse::{CutSide, Fuse};
use crate::test_bench::*;
use crate::wired::{Mutation, wire};
use agon_bus::MemoryBus;
use agon_core::*;
use agon_runtime::{Node, NodeConfig, Served};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";
const TURNS: usize = 3;
/// A submission's append, note, job and hint.
const SUBMIT_EFFECTS: u64 = 4;

/// How the debate's turns reach the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnPath {
    /// By offers.
    Offers,
    /// By the model's queue, because no host answers offers in time.
    Queue,
}

/// What becomes of the bus when the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BusFate {
    DiesToo,
    Survives,
}

async fn node(stage: &TestBench, id: &str, cast: &Cast, way: TurnPath) -> Node {
    let mut config = NodeConfig::embedded(id.into());
    let mut host = cast.host("gpu1", 1);
    host.models = Served::List(vec!["m".into()]);
    if way == TurnPath::Queue {
        config.times.offer_patience = Duration::ZERO;
    }
    stage.node_with(config, vec![host]).await
}

/// What a run left behind.
struct CrashRun {
    log: Vec<Arc<Record>>,
    /// Calls of the second process.
    calls_after: usize,
    /// Turns whose result was in its register when the first process died.
    decided_before: usize,
}

/// Runs a debate whose first process dies at the cut, and whose second ends it.
async fn crashed(cut: (u64, CutSide), way: TurnPath, fate: BusFate, mutation: Mutation) -> Result<CrashRun, String> {
    let mut stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let fuse = Fuse::new(Some(cut));
    let wired = wire(&stage, &fuse, mutation);
    let first = node(&wired, "n1", &cast, way).await;
    tokio::select! {
        () = fuse.blown() => {}
        _ = async { first.submit(admission(ID, spec())).await.unwrap(); std::future::pending::<()>().await } => {}
    }
    first.stop().await;
    let calls = cast.calls();
    let decided_before = decided(&stage).await;
    if fate == BusFate::DiesToo {
        stage.bus = Arc::new(MemoryBus::new());
    }
    let second = node(&wire(&stage, &Fuse::new(None), mutation), "n2", &cast, way).await;
    // a client that got no answer asks again
    if cut.0 <= SUBMIT_EFFECTS {
        second.submit(admission(ID, spec())).await.unwrap();
    }
    let ended = tokio::time::timeout(Duration::from_secs(3_600), second.finished(&debate(ID))).await;
    ended.map_err(|_| "the debate never ends".to_owned())?.map_err(|error| error.to_string())?;
    // what is still to do after the end, such as completing the job
    tokio::time::sleep(Duration::from_secs(60)).await;
    if !second.stop().await {
        return Err("a task did not end".to_owned());
    }
    Ok(CrashRun { log: stage.log(ID).await, calls_after: cast.calls() - calls, decided_before })
}

async fn decided(stage: &TestBench) -> usize {
    let mut decided = 0;
    for event in stage.log(ID).await.iter().flat_map(|record| &record.events) {
        if let Event::TurnAsked(ask) = event {
            decided += usize::from(stage.registers.get(&debate(ID), ask.turn).await.unwrap().is_some());
        }
    }
    decided
}

/// What is wrong with a run, if anything.
fn verdict(run: &CrashRun, calm: &[String]) -> Result<(), String> {
    if story(&run.log) != calm {
        return Err("the log tells another story".to_owned());
    }
    if run.calls_after + run.decided_before != TURNS {
        return Err(format!("{} calls after {} results", run.calls_after, run.decided_before));
    }
    Ok(())
}

/// The effects of a debate that nothing disturbs.
async fn all_effects(way: TurnPath) -> Vec<String> {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let fuse = Fuse::new(None);
    let node = node(&wire(&stage, &fuse, Mutation::None), "n1", &cast, way).await;
    node.submit(admission(ID, spec())).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    node.stop().await;
    fuse.effects()
}

async fn every_cut(way: TurnPath, fate: BusFate, mutation: Mutation) -> Result<u64, String> {
    let calm = undisturbed(ID, spec()).await;
    let effects = all_effects(way).await;
    for at in 1..=effects.len() as u64 {
        for side in [CutSide::Before, CutSide::After] {
            let effect = &effects[at as usize - 1];
            let run = crashed((at, side), way, fate, mutation).await;
            let verdict = run.and_then(|run| {
                check(&run.log);
                verdict(&run, &calm)
            });
            verdict.map_err(|wrong| format!("cut {side:?} effect {at} ({effect}), {way:?}: {wrong}"))?;
        }
    }
    Ok(effects.len() as u64)
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_any_effect_of_a_debate_by_offers_changes_nothing() {
    for fate in [BusFate::DiesToo, BusFate::Survives] {
        let cuts = every_cut(TurnPath::Offers, fate, Mutation::None).await.unwrap();
        assert!(cuts >= 20, "only {cuts} effects were cut");
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_any_effect_of_a_debate_by_the_queue_changes_nothing() {
    for fate in [BusFate::DiesToo, BusFate::Survives] {
        let cuts = every_cut(TurnPath::Queue, fate, Mutation::None).await.unwrap();
        assert!(cuts >= 20, "only {cuts} effects were cut");
    }
}

#[tokio::test(start_paused = true)]
async fn control_without_a_look_at_the_registers_turns_are_paid_twice() {
    let wrong = every_cut(TurnPath::Offers, BusFate::DiesToo, Mutation::BlindToRegisters).await.unwrap_err();

    assert!(wrong.contains("calls after"), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn control_when_nobody_looks_for_debates_without_an_owner_they_never_end() {
    let wrong = every_cut(TurnPath::Offers, BusFate::DiesToo, Mutation::BlindToCatalogue).await.unwrap_err();

    assert!(wrong.contains("never ends"), "{wrong}");
}

/// A process freezes at the cut, another takes over, the first one thaws in the midst of it.
async fn thawed(cut: (u64, CutSide), mutation: Mutation) -> Vec<Arc<Record>> {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let fuse = Fuse::new(Some(cut));
    let zombie = node(&wire(&stage, &fuse, mutation), "n1", &cast, TurnPath::Offers).await;
    let submit = async {
        zombie.submit(admission(ID, spec())).await.unwrap();
        std::future::pending::<()>().await
    };
    let mut submit = Box::pin(submit);
    tokio::select! {
        () = fuse.blown() => {}
        () = &mut submit => {}
    }
    let second = node(&wire(&stage, &Fuse::new(None), mutation), "n2", &cast, TurnPath::Offers).await;
    second.submit(admission(ID, spec())).await.unwrap();
    second.adopt(&debate(ID));
    tokio::time::sleep(Duration::from_millis(700)).await;
    fuse.thaw();
    let id = debate(ID);
    let ended = tokio::time::timeout(Duration::from_secs(3_600), second.finished(&id));
    tokio::select! {
        ended = ended => drop(ended.unwrap()),
        () = &mut submit => {}
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    stage.log(ID).await
}

#[tokio::test(start_paused = true)]
async fn a_process_that_froze_at_any_effect_and_thaws_later_changes_nothing() {
    let calm = undisturbed(ID, spec()).await;

    for at in 1..=all_effects(TurnPath::Offers).await.len() as u64 {
        for side in [CutSide::Before, CutSide::After] {
            let log = thawed((at, side), Mutation::None).await;
            check(&log);
            assert_same(&story(&log), &calm, &format!("thawed {side:?} effect {at}"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn control_without_fencing_a_thawed_process_corrupts_logs() {
    let calm = undisturbed(ID, spec()).await;
    let mut corrupted = 0;

    for at in 1..=all_effects(TurnPath::Offers).await.len() as u64 {
        let log = thawed((at, CutSide::Before), Mutation::Unfenced).await;
        corrupted += u32::from(story(&log) != calm);
    }

    assert!(corrupted > 0);
}
