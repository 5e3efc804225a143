//! A debate as a document.
use super::{Api, CallContext, named};
use crate::auth::Scope;
use crate::error::Problem;
use agon_proto::pb::v1 as pb;
use pb::ExportFormat;

impl Api {
    /// The document.
    pub async fn export(
        &self,
        call: &CallContext,
        request: &pb::ExportDebateRequest,
    ) -> Result<pb::ExportDebateResponse, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let debate = named(&call.caller, &request.name)?;
        let format = match ExportFormat::try_from(request.format) {
            Ok(ExportFormat::Unspecified) => ExportFormat::Markdown,
            Ok(format) => format,
            Err(_) => return Err(Problem::invalid("format", format!("there is no format {}", request.format))),
        };
        let folded = self.folded(&debate).await?;
        let head = self.log_head(&folded).await?;
        let minutes = || folded.minutes(head.as_deref());
        let internal = |error: String| Problem::Internal(error);
        let (media_type, suffix, content) = match format {
            ExportFormat::Unspecified | ExportFormat::Markdown => {
                ("text/markdown; charset=utf-8", "md", agon_report::full_markdown(&minutes()?))
            }
            ExportFormat::Summary => {
                ("text/markdown; charset=utf-8", "summary.md", agon_report::summary_only(&minutes()?))
            }
            ExportFormat::Json => {
                let result = folded.result_json(head.as_deref())?;
                let text = serde_json::to_string_pretty(&result).map_err(|error| internal(error.to_string()))?;
                ("application/json", "json", text + "\n")
            }
            ExportFormat::Html => {
                let page = agon_report::html(&minutes()?).map_err(|error| internal(error.to_string()))?;
                ("text/html; charset=utf-8", "html", page)
            }
            ExportFormat::Events => {
                let line = |(position, at, event): (_, _, std::borrow::Cow<'_, agon_core::Event>)| {
                    agon_report::json_line(&agon_report::event_json(position, at, &event)) + "\n"
                };
                ("application/x-ndjson", "jsonl", folded.shown_events().map(line).collect())
            }
        };
        let (media_type, file_name) = (media_type.to_owned(), format!("{}.{suffix}", debate.name()));
        Ok(pb::ExportDebateResponse { media_type, file_name, content })
    }
}
