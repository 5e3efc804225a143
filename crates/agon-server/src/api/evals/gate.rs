//! Learning a gate from an eval.
use super::document::computed;
use super::{now, of_log};
use crate::api::{Api, CallContext};
use crate::auth::Scope;
use crate::error::{EvalProblem, Problem};
use agon_eval::gate::{GateEvalError, GateLearnError, GateObjective, GateRequest, learn_gate_of};
use agon_eval::{ArmName, EvalInput};
use agon_proto::pb::v1 as pb;

impl Api {
    /// Learns a gate from an ended eval, and writes it into the eval's log.
    pub async fn learn_gate(
        &self,
        call: &CallContext,
        request: &pb::LearnGateRequest,
    ) -> Result<pb::LearnGateResponse, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let price = |points_per_million| GateObjective::Price { points_per_million };
        let objective = request.points_per_million.map_or(GateObjective::FewestTokens, price);
        let wanted = GateRequest { debate: request.debate.clone().map(ArmName), objective };
        let mut eval = self.eval(call, &request.name).await?;
        let machine = eval.machine.clone();
        let name = eval.id.name().to_owned();
        let learned = computed(move || learn_gate_of(&machine, &wanted)).await?;
        let file = learned.map_err(|error| refused(name, &error))?;
        let event = EvalInput::GateLearned(Box::new(file.clone()));
        eval.decide(&*self.ports.evals, event, now()).await.map_err(of_log)?;
        let text = file.to_text().map_err(|error| Problem::Internal(error.to_string()))?;
        Ok(pb::LearnGateResponse {
            gate_file: agon_report::safe_json(&text),
            kind: file.figures.kind.clone(),
            why: file.figures.why.clone(),
        })
    }
}

fn refused(eval: String, error: &GateEvalError) -> Problem {
    let detail = error.to_string();
    match error {
        GateEvalError::UnknownDebate { .. } | GateEvalError::SeveralDebates(_) => Problem::invalid("debate", detail),
        GateEvalError::Learn(GateLearnError::Price(_)) => Problem::invalid("points_per_million", detail),
        GateEvalError::Running
        | GateEvalError::NoRows { .. }
        | GateEvalError::Spec(_)
        | GateEvalError::Learn(GateLearnError::NoRows) => EvalProblem::State { eval, detail }.into(),
    }
}
