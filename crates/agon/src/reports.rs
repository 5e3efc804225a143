//! Reports of a stored debate: rendered from its log, written as files.
use crate::cli::Format;
use crate::settings::Settings;
use agon_core::{Event, Halt, Output, Record};
use agon_report::{DebateResult, Minutes, Prices};
use anyhow::Context;
use std::path::{Path, PathBuf};

/// A stored debate's log, and the hash that its last record has.
#[derive(Clone, Debug)]
pub struct StoredLog {
    /// The records, in order; never empty.
    pub records: Vec<Record>,
    /// Hash of the last record, where the store keeps one.
    pub head: Option<String>,
    /// What calls cost.
    pub prices: Prices,
    /// Nobody plays the debate, although it has not ended.
    pub halt: Option<Halt>,
}

impl StoredLog {
    /// A log whose hashes and prices are unknown.
    pub fn of(records: Vec<Record>) -> Self {
        Self { records, head: None, prices: Prices::new(), halt: None }
    }
    /// The log with what its calls cost.
    pub fn with_prices(self, settings: &Settings) -> Self {
        Self { prices: settings.prices(), ..self }
    }
    /// What the log says.
    pub fn minutes(&self) -> anyhow::Result<Minutes<'_>> {
        let minutes = Minutes::from_records(&self.records).context("the log cannot be read")?;
        let minutes = minutes.with_prices(&self.prices).halted(self.halt);
        Ok(match &self.head {
            Some(head) => minutes.with_log_head(head.clone()),
            None => minutes,
        })
    }
    /// The result.
    pub fn result(&self) -> anyhow::Result<DebateResult> {
        Ok(DebateResult::of(&self.minutes()?))
    }
    /// What the debate file asks to be written.
    pub fn outputs(&self) -> Vec<Output> {
        let admission = self.records.first().and_then(|record| record.events.first());
        match admission {
            Some(Event::DebateAdmitted(admission)) => admission.spec.outputs.clone(),
            _ => Vec::new(),
        }
    }
    /// The report in that form, ending with a line end.
    pub fn render(&self, format: Format) -> anyhow::Result<String> {
        Ok(match format {
            Format::Markdown => agon_report::full_markdown(&self.minutes()?),
            Format::Summary => agon_report::summary_only(&self.minutes()?),
            Format::Verbose => agon_report::verbose(&self.minutes()?),
            Format::Html => {
                format!("{}\n", agon_report::html(&self.minutes()?).context("the page cannot be written")?)
            }
            Format::Json => format!("{}\n", result_json(&self.result()?)?),
            Format::Jsonl => agon_report::events_jsonl(&self.records),
        })
    }
}

/// The result as JSON, indented for people, safe for terminals.
pub fn result_json(result: &DebateResult) -> anyhow::Result<String> {
    let json = serde_json::to_string_pretty(result).context("the result cannot be written")?;
    Ok(agon_report::safe_json(&json))
}

/// Writes the result and what the debate file asks for into `folder`; says which files.
pub fn write(log: &StoredLog, outputs: &[Output], folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let mut files = vec![("result.json", log.render(Format::Json)?)];
    for output in outputs {
        files.extend(rendered(log, *output)?);
    }
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        replace(&path, &text)?;
        written.push(path);
    }
    Ok(written)
}

/// Makes the folder, and tries to write to it.
pub fn try_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".{}.probe", std::process::id()));
    std::fs::write(&probe, "")?;
    std::fs::remove_file(&probe)
}

/// The files of an output, by name.
fn rendered(log: &StoredLog, output: Output) -> anyhow::Result<Vec<(&'static str, String)>> {
    let (name, format) = match output {
        Output::FullMarkdown => ("debate.md", Format::Markdown),
        Output::SummaryOnly => ("summary.md", Format::Summary),
        Output::JsonLog => ("events.jsonl", Format::Jsonl),
        Output::Verbose => ("verbose.md", Format::Verbose),
        Output::Html => ("report.html", Format::Html),
        Output::VisualTree => {
            let minutes = log.minutes()?;
            let (markdown, svg) = (agon_report::tree_markdown(&minutes), agon_report::tree_svg(&minutes));
            return Ok(vec![("debate.tree.md", markdown), ("debate.tree.svg", svg)]);
        }
    };
    Ok(vec![(name, log.render(format)?)])
}

/// Writes a file as a whole or not at all: a reader never sees half a report. What is no file, such as a pipe or a device, is written
/// to, and a link is followed.
pub fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_file = std::fs::metadata(&target).map_or(true, |there| there.is_file());
    let written = if is_file { replace_file(&target, text) } else { std::fs::write(&target, text) };
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn replace_file(path: &Path, text: &str) -> std::io::Result<()> {
    let name = path.file_name().ok_or(std::io::ErrorKind::InvalidFilename)?.to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}.draft", std::process::id()));
    let written = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        // It may never have been made.
        let _ = std::fs::remove_file(&draft);
    }
    written
}
