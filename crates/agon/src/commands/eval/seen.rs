//! Evals wherever they are kept: in this machine's store, or at a server.
use super::drive::log_failed;
use super::{stored, waits};
use crate::cli::PlaceArgs;
use crate::client::{self, Client, DebateSource};
use crate::commands::{Context, small_runtime};
use crate::exit::{Exit, Stop};
use crate::store::Store;
use agon_core::DebateId;
use agon_eval::{ArmProgress, EvalEvent, EvalMachine, EvalProgress};
use agon_proto::pb::v1 as pb;
use agon_proto::pb::v1::eval::State;
use agon_runtime::{OpenEval, read_eval};

/// An eval as it is now.
pub struct SeenEval {
    /// Its id.
    pub id: DebateId,
    /// The fold of its log; while no rate may be shown, a server tells no answers.
    pub machine: EvalMachine,
    /// How far it is.
    pub progress: EvalProgress,
    /// How it stands where it has not ended.
    pub standing: &'static str,
    /// What is known to keep it while it goes on.
    pub waits_for: Option<String>,
}

impl SeenEval {
    /// The eval that `name` means.
    pub fn find(context: &Context, place: &PlaceArgs, name: &str) -> Result<Self, Stop> {
        match client::place(context, place)? {
            DebateSource::Local => {
                let store = stored::open(context)?;
                small_runtime()?.block_on(Self::here(&store, name))
            }
            DebateSource::Server(server) => client::ask(context, &server, async |client| {
                let id = client.find_eval(name).await?;
                Self::there(client, &id).await
            }),
        }
    }

    async fn here(store: &Store, name: &str) -> Result<Self, Stop> {
        let id = stored::find(store, name).await?;
        let OpenEval { id, machine, .. } = read_eval(&*store.sqlite, &id).await.map_err(log_failed)?;
        let standing = stored::standing(store, &id).await?;
        let waits_for = waits::by_logs(store, &machine).await;
        Ok(Self { id, progress: machine.progress(), machine, standing, waits_for })
    }

    /// The eval of this id at a server.
    pub async fn there(client: &Client, id: &str) -> Result<Self, Stop> {
        let (shown, events) = client.eval_log(id).await?;
        let machine = fold(&events)?;
        let standing = match shown.state() {
            State::Queued => "queued",
            _ => "running",
        };
        let progress = shown.progress.map_or_else(|| machine.progress(), progress);
        let id = DebateId::parse(&shown.id).map_err(|error| Stop::say(Exit::Internal, error))?;
        let waits_for = Some(shown.waits_for).filter(|waits| !waits.is_empty());
        Ok(Self { id, machine, progress, standing, waits_for })
    }
}

fn fold(events: &[(u64, EvalEvent)]) -> Result<EvalMachine, Stop> {
    EvalMachine::fold(events.iter().map(|(at, event)| (*at, event)))
        .ok_or_else(|| Stop::say(Exit::Internal, "the server's log of the eval does not begin with its admission"))
}

/// The progress as a server tells it.
pub fn progress(told: pb::EvalProgress) -> EvalProgress {
    let arm =
        |arm: pb::ArmProgress| ArmProgress { name: arm.name, over: arm.over, failed: arm.failed, tokens: arm.tokens };
    EvalProgress {
        questions: told.questions,
        questions_over: told.questions_over,
        blocks: told.blocks.unwrap_or_default(),
        blocks_over: told.blocks_over.unwrap_or_default(),
        cells_over: told.cells_over,
        cells_open: told.cells_open.unwrap_or_default(),
        cells_likely: told.cells_likely,
        reused: told.reused.unwrap_or_default(),
        failed: told.failed,
        tokens: told.tokens,
        tokens_likely: told.tokens_likely,
        arms: told.arms.into_iter().map(arm).collect(),
    }
}
