//! The cells of an eval, by pages.
use crate::api::evals::document::light;
use crate::api::list::page_size;
use crate::api::{Api, CallContext};
use crate::auth::Scope;
use crate::error::Problem;
use agon_eval::{CellFlip, CellOutcome, CellRow, EvalResult};
use agon_proto::pb::v1 as pb;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use pb::eval_cell::Outcome;

const PAGE: usize = 200;
const MAX_PAGE: usize = 1_000;

/// Where a page ended, and of which listing: arm and outcome that are asked for, then question, repetition and arm of the last cell.
type CellPlace = (Option<String>, i32, String, u32, String);

impl Api {
    /// A page of cells.
    pub async fn list_cells(
        &self,
        call: &CallContext,
        request: &pb::ListCellsRequest,
    ) -> Result<pb::ListCellsResponse, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let size = page_size(request.page_size, PAGE, MAX_PAGE)?;
        let outcome = Outcome::try_from(request.outcome)
            .map_err(|_| Problem::invalid("outcome", format!("there is no outcome {}", request.outcome)))?;
        let after = match request.page_token.as_str() {
            "" => None,
            token => Some(place(request, token)?),
        };
        let eval = self.eval(call, &request.name).await?;
        let result = light(eval).await?;
        let fits = |cell: &&CellRow| {
            request.arm.as_ref().is_none_or(|arm| *arm == cell.arm)
                && (outcome == Outcome::Unspecified || outcome == outcome_of(cell.outcome))
        };
        let mut left = result.cells.iter().filter(fits);
        if let Some((_, _, question, repetition, arm)) = after {
            let is_last = |cell: &&CellRow| {
                cell.repetition == repetition && cell.arm == arm && question_of(&result, cell) == question
            };
            left.find(is_last).ok_or_else(odd_page)?;
        }
        let mut page: Vec<&CellRow> = left.take(size.saturating_add(1)).collect();
        let more = page.len() > size;
        page.truncate(size);
        let last = page.last().filter(|_| more);
        let next_page_token = last.map(|cell| token(request, &result, cell)).unwrap_or_default();
        Ok(pb::ListCellsResponse {
            cells: page.into_iter().map(|cell| message(&result, cell)).collect(),
            next_page_token,
        })
    }
}

fn token(request: &pb::ListCellsRequest, result: &EvalResult, last: &CellRow) -> String {
    let question = question_of(result, last).to_owned();
    let place: CellPlace = (request.arm.clone(), request.outcome, question, last.repetition, last.arm.clone());
    // texts and numbers are always JSON
    BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&place).unwrap_or_default())
}

fn place(request: &pb::ListCellsRequest, token: &str) -> Result<CellPlace, Problem> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| odd_page())?;
    let place: CellPlace = serde_json::from_slice(&bytes).map_err(|_| odd_page())?;
    let same = place.0 == request.arm && place.1 == request.outcome;
    if same { Ok(place) } else { Err(odd_page()) }
}

fn odd_page() -> Problem {
    Problem::invalid("page_token", "the page token belongs to another arm, outcome or eval; begin again without it")
}

fn question_of<'a>(result: &'a EvalResult, cell: &CellRow) -> &'a str {
    result.questions.get(cell.question as usize).map_or("", |question| &question.id)
}

fn outcome_of(outcome: CellOutcome) -> Outcome {
    match outcome {
        CellOutcome::Right => Outcome::Right,
        CellOutcome::Partly => Outcome::Partly,
        CellOutcome::Tie => Outcome::Tie,
        CellOutcome::Wrong => Outcome::Wrong,
        CellOutcome::NoAnswer => Outcome::NoAnswer,
        CellOutcome::Failed => Outcome::Failed,
        CellOutcome::Ungraded => Outcome::Ungraded,
    }
}

fn message(result: &EvalResult, cell: &CellRow) -> pb::EvalCell {
    let flip = |flip: CellFlip| match flip {
        CellFlip::KeptRight => "kept_right",
        CellFlip::KeptWrong => "kept_wrong",
        CellFlip::WrongToRight => "wrong_to_right",
        CellFlip::RightToWrong => "right_to_wrong",
    };
    pb::EvalCell {
        question: question_of(result, cell).to_owned(),
        category: result.questions.get(cell.question as usize).and_then(|question| question.category.clone()),
        arm: cell.arm.clone(),
        repetition: cell.repetition,
        outcome: outcome_of(cell.outcome).into(),
        reason: cell.reason.clone(),
        score: cell.score,
        answer: cell.answer.clone(),
        flip: cell.flip.map(|of| flip(of).to_owned()),
        samples: cell.samples,
        calls: cell.calls,
        total_tokens: cell.total_tokens,
        generated_tokens: cell.generated_tokens,
        cost: cell.cost,
        degraded: cell.degraded,
        debates: cell.debates.clone(),
    }
}
