//! An eval as a document.
use crate::api::{Api, CallContext};
use crate::auth::Scope;
use crate::error::Problem;
use agon_eval::stats::Effort;
use agon_eval::{CellClosed, EvalResult, ResultOptions, cells_csv, result, result_json};
use agon_proto::pb::v1 as pb;
use agon_report::{DebateLinks, EvalDigest, eval_digest, eval_html, eval_markdown, safe_json};
use agon_runtime::OpenEval;
use pb::EvalExportFormat as Format;

impl Api {
    /// The document.
    pub async fn export_eval(
        &self,
        call: &CallContext,
        request: &pb::ExportEvalRequest,
    ) -> Result<pb::ExportEvalResponse, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let format = Format::try_from(request.format)
            .map_err(|_| Problem::invalid("format", format!("there is no format {}", request.format)))?;
        let eval = self.eval(call, &request.name).await?;
        let name = eval.id.name().to_owned();
        let written = computed(move || document(&result_with(&eval, None), format)).await?;
        let (media_type, ending, content) = written.map_err(|error| Problem::Internal(error.to_string()))?;
        Ok(pb::ExportEvalResponse { media_type: media_type.to_owned(), file_name: format!("{name}.{ending}"), content })
    }
}

impl Api {
    /// The report as a page whose debates are links to pages.
    pub async fn eval_page(&self, call: &CallContext, name: &str) -> Result<String, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let eval = self.eval(call, name).await?;
        let written = computed(move || eval_html(&result_with(&eval, None), &DebateLinks::Pages)).await?;
        written.map_err(|error| Problem::Internal(error.to_string()))
    }

    /// The essence of an eval's result. While the eval runs, its intervals rest on few draws: they are looked at again and again.
    pub async fn eval_digest(&self, call: &CallContext, name: &str) -> Result<EvalDigest, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let eval = self.eval(call, name).await?;
        match eval.machine.ended() {
            None => Ok(eval_digest(&light(eval).await?)),
            Some(_) => computed(move || eval_digest(&result_with(&eval, None))).await,
        }
    }
}

type ReportDocument = (&'static str, &'static str, String);

fn document(result: &EvalResult, format: Format) -> Result<ReportDocument, Box<dyn std::error::Error + Send + Sync>> {
    Ok(match format {
        Format::Unspecified | Format::Markdown => ("text/markdown; charset=utf-8", "md", eval_markdown(result)),
        Format::Html => ("text/html; charset=utf-8", "html", eval_html(result, &DebateLinks::Server)?),
        Format::Json => ("application/json", "json", safe_json(&result_json(result)?)),
        Format::Csv => ("text/csv; charset=utf-8", "csv", cells_csv(result)?),
    })
}

/// The result as far as its cells need it: figures are drawn as seldom as can be.
pub(super) async fn light(eval: OpenEval) -> Result<EvalResult, Problem> {
    let seed = eval.machine.admission().spec.seed;
    computed(move || result_with(&eval, Some(Effort { draws: 99, flips: 99, seed }))).await
}

/// The result of an eval as its log stands.
fn result_with(eval: &OpenEval, effort: Option<Effort>) -> EvalResult {
    let machine = &eval.machine;
    let cells: Vec<&CellClosed> = machine.closed().collect();
    result(machine.admission(), &cells, &ResultOptions { effort, ..ResultOptions::of(machine) })
}

/// Computes beside the threads that serve everybody.
pub(super) async fn computed<T: Send + 'static>(compute: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(compute).await;
    done.map_err(|error| Problem::Internal(format!("the figures were not computed: {error}")))
}
