//! `agon eval gate`: learns from an eval which debates are worth their tokens.
use super::drive::log_failed;
use super::stored::{open, read};
use crate::cli::EvalGateArgs;
use crate::client::{self, DebateSource};
use crate::commands::{Context, small_runtime};
use crate::exit::{Exit, Stop};
use crate::reports;
use agon_eval::gate::{GateFile, GateObjective, GateRequest, learn_gate_of};
use agon_eval::{ArmName, EvalInput};
use agon_proto::pb::v1 as pb;
use agon_report::{REHEARSAL, gate_lines};
use agon_runtime::{Clock as _, SystemClock};

/// `agon eval gate`
pub fn learn(context: &Context, args: &EvalGateArgs) -> Result<Exit, Stop> {
    let price = args.price.or(context.settings()?.eval.gate_price);
    let objective =
        price.map_or(GateObjective::FewestTokens, |points_per_million| GateObjective::Price { points_per_million });
    let request = GateRequest { debate: args.debate.clone().map(ArmName), objective };
    let file = match client::place(context, &args.place)? {
        DebateSource::Local => learn_here(context, &args.id, &request)?,
        DebateSource::Server(server) => {
            let text = client::ask(context, &server, async |client| {
                let name = client.find_eval(&args.id).await?;
                let debate = args.debate.clone();
                client.learn_gate(pb::LearnGateRequest { name, debate, points_per_million: price }).await
            })?;
            GateFile::read(&text).map_err(Stop::usage)?
        }
    };
    if file.rehearsal {
        context.output.warn("the eval is a rehearsal; this gate says nothing about models");
    }
    let text = agon_report::safe_json(&file.to_text().map_err(Stop::usage)?);
    match &args.output {
        Some(path) => {
            reports::replace(path, &text)?;
            if file.rehearsal {
                context.output.line(&format!("{REHEARSAL}."))?;
            }
            gate_lines(&file.figures).iter().try_for_each(|line| context.output.line(line))?;
        }
        None => {
            gate_lines(&file.figures).iter().for_each(|line| context.output.note(line));
            context.output.data(&text)?;
        }
    }
    Ok(Exit::Done)
}

fn learn_here(context: &Context, name: &str, request: &GateRequest) -> Result<GateFile, Stop> {
    let store = open(context)?;
    small_runtime()?.block_on(async {
        let mut eval = read(&store, name).await?;
        let file = learn_gate_of(&eval.machine, request).map_err(Stop::usage)?;
        let learned = EvalInput::GateLearned(Box::new(file.clone()));
        eval.decide(&*store.sqlite, learned, SystemClock.now()).await.map_err(log_failed)?;
        Ok(file)
    })
}
