//! A debate before it is submitted: how it was written, and what goes with it.
use super::debate_form::DebateForm;
use super::starts;
use crate::form::Fields;
use crate::session::random_text;
use agon_core::{DebateSpec, Priority};
use agon_proto::pb::debate::v1 as debate_v1;
use agon_proto::pb::v1 as pb;
use agon_spec::{Source, Syntax};
use pb::create_debate_request::Source as Written;
use std::collections::BTreeMap;

/// The name of a file that was never called anything.
const FILE_NAME: &str = "debate";

/// How a debate was written.
#[derive(Clone, Debug)]
pub(super) enum DebateDraft {
    Form(Box<DebateForm>),
    File { name: String, text: String },
}

impl DebateDraft {
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Whether nothing is written yet.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Form(form) => form.is_blank(),
            Self::File { text, .. } => text.trim().is_empty(),
        }
    }

    /// Where the cursor goes after a debater was added or removed: to that debater, or to the next one.
    pub fn focus_after(&self, order: &str) -> Option<String> {
        let Self::Form(form) = self else { return None };
        let last = form.debaters.len().saturating_sub(1);
        let at = order.strip_prefix("remove-").and_then(|at| at.parse::<usize>().ok());
        Some(format!("name-{}", at.unwrap_or(last).min(last)))
    }

    /// The debate file as it is checked and submitted.
    pub fn source(&self) -> Source {
        match self {
            Self::Form(form) => Source::new("debate.yaml", agon_spec::yaml(&form.value())).with_syntax(Syntax::Yaml),
            Self::File { name, text } => {
                let name = if name.is_empty() { FILE_NAME } else { name };
                Source::new(name, text.as_bytes())
            }
        }
    }

    fn message(&self) -> pb::DebateFile {
        let (text, format, name) = match self {
            Self::Form(form) => (agon_spec::yaml(&form.value()), pb::FileFormat::Yaml, "debate.yaml"),
            Self::File { name, text } => (text.clone(), pb::FileFormat::Unspecified, name.as_str()),
        };
        pb::DebateFile { text, format: format.into(), file_name: Some(name.to_owned()) }
    }
}

/// What goes with a debate, however it was written.
#[derive(Clone, Debug)]
pub(super) struct SubmissionFields {
    /// One `key=value` a line.
    pub labels: String,
    pub priority: Priority,
    pub rehearsal: bool,
    /// What makes a second click the same submission.
    pub request_id: String,
}

impl SubmissionFields {
    pub fn fresh(rehearsal: bool) -> Self {
        Self { labels: String::new(), priority: Priority::Normal, rehearsal, request_id: random_text() }
    }

    fn read(fields: &Fields) -> Self {
        let priority = Priority::ALL.into_iter().find(|priority| priority.as_str() == fields.text("priority"));
        Self {
            labels: fields.text("labels").replace("\r\n", "\n"),
            priority: priority.unwrap_or_default(),
            rehearsal: fields.text("speakers") == "rehearsal",
            request_id: fields.filled("request_id").unwrap_or_else(random_text),
        }
    }

    /// The envelope of a debate that is to be held again.
    fn of(debate: &pb::Debate) -> Self {
        let lines = debate.labels.iter().map(|(key, value)| format!("{key}={value}"));
        Self {
            labels: lines.collect::<Vec<_>>().join("\n"),
            priority: Priority::try_from(debate.priority()).unwrap_or_default(),
            ..Self::fresh(debate.rehearsal)
        }
    }

    fn labels(&self) -> BTreeMap<String, String> {
        let lines = self.labels.lines().map(str::trim).filter(|line| !line.is_empty());
        let pairs = lines.map(|line| line.split_once('=').unwrap_or((line, "")));
        pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect()
    }
}

/// All that a page of a new debate holds.
#[derive(Clone, Debug)]
pub(super) struct DebateInTheMaking {
    pub draft: DebateDraft,
    pub envelope: SubmissionFields,
}

impl DebateInTheMaking {
    /// The empty form, with a model of everybody if one is named.
    pub fn form(model: Option<String>, rehearsal: bool) -> Self {
        let form = DebateForm { model: model.unwrap_or_default(), ..DebateForm::fresh() };
        Self { draft: DebateDraft::Form(Box::new(form)), envelope: SubmissionFields::fresh(rehearsal) }
    }

    /// The editor, with a template if one is named.
    pub fn file(start: Option<&str>, rehearsal: bool) -> Self {
        let known = start.and_then(|name| starts::ALL.iter().find(|start| start.name == name));
        let (name, text) = known.map(|start| (start.file_name().to_owned(), start.text())).unwrap_or_default();
        Self { draft: DebateDraft::File { name, text }, envelope: SubmissionFields::fresh(rehearsal) }
    }

    /// The editor with the file of an earlier debate.
    pub fn again(debate: &pb::Debate, spec: &DebateSpec) -> Self {
        let file = DebateDraft::File { name: "debate.yaml".to_owned(), text: agon_spec::normalize(spec) };
        Self { draft: file, envelope: SubmissionFields::of(debate) }
    }

    /// What a browser sent.
    pub fn read(fields: &Fields) -> Self {
        let draft = if fields.text("with") == "file" {
            let name = fields.filled("file_name").unwrap_or_default();
            DebateDraft::File { name, text: fields.text("text").to_owned() }
        } else {
            DebateDraft::Form(Box::new(DebateForm::read(fields).with_cast(fields.text("do"))))
        };
        Self { draft, envelope: SubmissionFields::read(fields) }
    }

    /// The same debate in the editor.
    pub fn into_file(self) -> Self {
        let draft = match self.draft {
            DebateDraft::Form(form) => {
                DebateDraft::File { name: "debate.yaml".to_owned(), text: agon_spec::yaml(&form.value()) }
            }
            file @ DebateDraft::File { .. } => file,
        };
        Self { draft, ..self }
    }

    /// The call that submits it, or only asks what it would take.
    pub fn request(&self, validate_only: bool) -> pb::CreateDebateRequest {
        pb::CreateDebateRequest {
            source: Some(Written::File(self.draft.message())),
            request_id: Some(self.envelope.request_id.clone()).filter(|_| !validate_only),
            validate_only,
            labels: self.envelope.labels(),
            priority: debate_v1::Priority::from(self.envelope.priority).into(),
            rehearsal: self.envelope.rehearsal,
            ..pb::CreateDebateRequest::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_lines_with_a_key_and_perhaps_a_value() {
        let envelope =
            SubmissionFields { labels: "team = red\n\nurgent\nurl=a=b\n".to_owned(), ..SubmissionFields::fresh(true) };
        let expected = [("team", "red"), ("urgent", ""), ("url", "a=b")];
        assert_eq!(envelope.labels(), expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
    }

    #[test]
    fn the_cursor_goes_to_a_new_debater_and_to_the_one_after_a_removed_one() {
        let draft = DebateInTheMaking::form(None, true).draft;
        let after = ["add", "remove-0", "remove-2"].map(|order| draft.focus_after(order).unwrap());
        assert_eq!(after, ["name-1", "name-0", "name-1"]);
    }

    #[test]
    fn every_template_is_a_good_file() {
        let defaults = agon_spec::Defaults { model: Some("m:1".to_owned()), ..agon_spec::Defaults::default() };
        for start in starts::ALL {
            let draft = DebateInTheMaking::file(Some(start.name), true).draft;
            let parsed = agon_spec::parse(&draft.source(), &defaults);
            assert!(!parsed.has_errors(), "{}: {}", start.name, agon_spec::render(&parsed.diagnostics));
        }
    }
}
