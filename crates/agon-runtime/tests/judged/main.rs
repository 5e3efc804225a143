//! Random debate files, played in the runtime by models whose answers are known beforehand, and judged from outside.
//!
//! A seed draws a debate file as its author would write it (`file`). A node plays it over in-memory ports, in paused time. The model
//! (`model`) reads the prompt as text, answers as the seed says, and notes what it read and what it said. `walk` then goes through the
//! debate once more by what the documents say, with nothing but the drawn file and these notes, and foretells the log and the
//! result. It shares no code with the machine and does not read the log.
//!
//! The invariants were written from `docs/guide`, `docs/reference` and `docs/guide/formats` before the code was read:
//!
//! 1.  The log is numbered from 1 without gaps, begins with `debate_admitted`, and has one end, its last event; the result has the
//!     state, outcome and reason that the walk foretells. (`log::framed`, `log::ended`)
//! 2.  A failed try is a `turn_failed` and nothing else: what it said is in no speech, ballot or vote, and in nobody's prompt but its
//!     own next try's. Every good answer is in the log once. (`log::kept`)
//! 3.  Calls and tokens of the result are those that the model counted. (`log::paid`)
//! 4.  Who is asked for what, in which round and how often, is what the file says; nobody else is asked. Bad answers are asked for
//!     again, refused calls are not. (`DebateWalk::seat`, `DebateWalk::nothing_left`)
//! 5.  Ballots, openings and closings: each debater once, if the file wants them. (`DebateWalk::run`)
//! 6.  The order of a round is that of its format and `turn_mode`; bids give the floor. (`rounds`, `floor`)
//! 7.  The rounds end by the first rule that holds, in the documented order. (`DebateWalk::stops`)
//! 8.  A round below its quorum, or a lost seat under `abort`, fails the debate; nothing else does. (`DebateWalk::quorate`, `DebateWalk::seat`)
//! 9.  Speakers read what they may and nothing else: everything before them, nothing of a simultaneous round, nobody in an opening,
//!     what masks, windows and scopes leave; nobody reads private words; judges read every speech, no name and no moderator. (`sight`)
//! 10. On a vote are the candidates: all stances, the ballots' answers, the authors of proposals, without the voter's own side where
//!     the file says so; on a sheet of scores is every other debater who spoke. (`decide::choices`)
//! 11. Counts, eligible and received votes follow from the votes, with weights and confidence where they count. (`decide::counted`)
//! 12. The winner meets the rule; equal tops are a tie; otherwise the rule is not met; no vote at all is a failure. (`decide::won`)
//! 13. Judges: a winner needs both orders, and more than half of a panel. (`decide::judged`)
//! 14. ForetoldConsensus: source, top, eligible voters, strength, contested. (`decide::consensus`)
//! 15. `majority` and `moved` follow from the ballots. (`decide::majority`)
//! 16. A lost seat that matters degrades a verdict; every lost seat is among the missing ones. (`log::ended`)
//! 17. After a spent budget nobody but who decides is asked, and the debate is decided on what was said. (`log::budgeted`)
//! 18. The moderator opens and closes each round once; each round is measured once; speeches have their speaker's stance.
//!     (`rounds`, `log::kept`)
//! 19. The synthesizer is asked if the file has it, and its words are in the result. (`DebateWalk::run`, `log::kept`)
//! 20. A gate skips the rounds of three debaters or more who all cast the same first ballot, and of nobody else. (`DebateWalk::gated`)
#[cfg(test)]
mod decide;
#[cfg(test)]
mod file;
#[cfg(test)]
mod floor;
#[cfg(test)]
mod log;
#[cfg(test)]
mod model;
#[cfg(test)]
mod rounds;
#[cfg(test)]
mod sight;
#[cfg(test)]
mod walk;

use agon_bus::MemoryBus;
use agon_core::{Admission, DebateId, HostId, Record, Timestamp};
use agon_runtime::{HostConfig, Node, NodeConfig, Ports, Served, Silent, TokioClock};
use agon_spec::{Defaults, Source, parse};
use agon_store::{Journal, MemoryStore};
use file::{File, FileDice};
use model::KnownModel;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Files that one run draws.
const FILES: u64 = 200;

#[test]
fn random_files_end_as_their_documents_say() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let seed = number("PROPTEST_RNG_SEED").unwrap_or_else(rand::random);
    let only = number("AGON_JUDGED_FILE");
    let files: Vec<u64> = (0..FILES).filter(|index| only.is_none_or(|only| only == *index)).collect();
    let wrong_of = |index: &u64| {
        let file = File::drawn(FileDice::new(seed, *index));
        judged(&file).err().map(|problem| format!("file {index}: {problem}\n{}", file.text()))
    };
    // two at a time: every file has a runtime of its own
    let (some, others) = files.split_at(files.len() / 2);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let other = scope.spawn(move || others.iter().filter_map(wrong_of).collect::<Vec<_>>());
        let first: Vec<String> = some.iter().filter_map(wrong_of).collect();
        [first, other.join().unwrap()].concat()
    });
    let again = format!("PROPTEST_RNG_SEED={seed}, and AGON_JUDGED_FILE=NUMBER for one file");
    assert!(wrong.is_empty(), "{} of {FILES} files, {again}:\n\n{}", wrong.len(), wrong.join("\n"));
}

/// Plays a file and judges what came of it.
#[cfg(test)]
fn judged(file: &File) -> Result<(), String> {
    let model = KnownModel::new(file.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let log = log::Log::new(&runtime.block_on(played(file, &model))?);
    let notes = model.notes();
    let mut walk = walk::DebateWalk::new(file, &notes, log.is_void());
    // how much a budget keeps for the decision is the machine's own affair, so nobody can foretell who is left out
    let end = if file.budget.is_some() { Ok(walk::End::default()) } else { walk.whole() };
    let checked = end.and_then(|end| log.check(file, &notes, &walk, &end));
    checked.map_err(|problem| format!("{problem}\n{}", log.story()))
}

#[cfg(test)]
async fn played(file: &File, model: &KnownModel) -> Result<Vec<Arc<Record>>, String> {
    let parsed = parse(&Source::new(file.name(), file.text()), &Defaults::default());
    let spec = parsed.spec.ok_or_else(|| format!("refused: {:?}", parsed.diagnostics))?;
    let id = DebateId::parse("judged").unwrap();
    let mut admission = Admission { seed: file.seed, ..agon_core::testing::admission("judged", spec) };
    admission.retry.max_attempts = model::TRIES;
    let store = Arc::new(MemoryStore::new());
    let host = HostConfig {
        scheduling: Default::default(),
        read_ahead: false,
        id: HostId::from("host"),
        client: Arc::new(model.clone()),
        models: Served::List(file::MODELS.map(Into::into).to_vec()),
        permits: NonZeroUsize::new(4).unwrap(),
        runner: Default::default(),
        timeouts: Default::default(),
        rehearsal: false,
    };
    let ports = Ports {
        bus: Arc::new(MemoryBus::new()),
        journal: store.clone(),
        registers: store.clone(),
        jobs: store.clone(),
        commands: store.clone(),
        catalogue: store.clone(),
        upkeep: Some(store.clone()),
        hosts: vec![host],
        clock: Arc::new(TokioClock::starting_at(Timestamp(1_800_000_000_000))),
        observer: Arc::new(Silent),
    };
    let node = Node::start(NodeConfig::embedded("node".into()), ports).await.map_err(|error| error.to_string())?;
    node.submit(admission).await.map_err(|error| error.to_string())?;
    let ended = tokio::time::timeout(std::time::Duration::from_secs(86_400), node.finished(&id)).await;
    let records = store.read(&id, agon_core::Position(0)).await.map_err(|error| error.to_string())?;
    node.stop().await;
    match ended {
        Ok(Ok(_)) => Ok(records),
        other => Err(format!("no end: {other:?}")),
    }
}
