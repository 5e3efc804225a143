//! A submission, checked: every problem of the request at once.
use super::view::priority_number;
use crate::error::{Problem, Violation};
use agon_core::{DebateId, DebateSpec, Priority, TenantId};
use agon_proto::pb::debate::v1 as debate_v1;
use agon_proto::pb::v1 as pb;
use agon_proto::{DecodeError, Hash};
use agon_spec::{Defaults, Diagnostic, Severity, Source, Syntax, normalize_json, parse};
use pb::create_debate_request::Source as Form;
use prost::Message as _;
use std::collections::BTreeMap;

const MAX_LABELS: usize = 32;
const MAX_LABEL_KEY: usize = 63;
const MAX_LABEL_VALUE: usize = 256;
const MAX_REQUEST_ID: usize = 128;
/// The model of a rehearsal whose file names none: a rehearsing host plays any.
pub(super) const REHEARSAL_MODEL: &str = "rehearsal";

/// A debate that somebody wants.
#[derive(Clone, Debug)]
pub(super) struct DebateRequest {
    pub spec: DebateSpec,
    /// The id that the client chose.
    pub id: Option<DebateId>,
    pub request_id: Option<String>,
    pub labels: BTreeMap<String, String>,
    pub priority: Priority,
    pub seed: Option<u64>,
    pub rehearsal: bool,
    /// What the file's warnings say.
    pub warnings: Vec<String>,
}

impl DebateRequest {
    /// Checks a request of this tenant.
    pub fn check(request: &pb::CreateDebateRequest, tenant: &TenantId, defaults: &Defaults) -> Result<Self, Problem> {
        let mut wrong = Vec::new();
        let id = checked(&mut wrong, "debate_id", request.debate_id.as_deref().map(|id| debate_id(tenant, id)));
        let request_id = checked(&mut wrong, "request_id", request.request_id.as_deref().map(request_id));
        labels(&mut wrong, &request.labels);
        let priority = priority(&mut wrong, request.priority);
        let (spec, warnings) = spec(&mut wrong, request, defaults);
        let Some(spec) = spec.filter(|_| wrong.is_empty()) else { return Err(Problem::Invalid(wrong)) };
        Ok(Self {
            seed: request.seed.or(spec.seed),
            spec,
            id,
            request_id,
            labels: request.labels.clone(),
            priority,
            rehearsal: request.rehearsal,
            warnings,
        })
    }

    /// What is asked for, as bytes that are the same for every way to say it. Neither who asks nor the request id is in it.
    pub fn payload(&self) -> Hash {
        let request = pb::CreateDebateRequest {
            source: Some(Form::Spec((&self.spec).into())),
            debate_id: self.id.as_ref().map(|id| id.name().to_owned()),
            labels: self.labels.clone(),
            priority: priority_number(self.priority),
            seed: self.seed,
            rehearsal: self.rehearsal,
            ..pb::CreateDebateRequest::default()
        };
        *blake3::hash(&request.encode_to_vec()).as_bytes()
    }
}

pub(super) fn checked<T>(wrong: &mut Vec<Violation>, field: &str, value: Option<Result<T, String>>) -> Option<T> {
    value.and_then(|value| value.map_err(|text| wrong.push(Violation::of(field, text))).ok())
}

pub(super) fn debate_id(tenant: &TenantId, id: &str) -> Result<DebateId, String> {
    DebateId::in_tenant(tenant, id).map_err(|error| error.to_string())
}

pub(super) fn request_id(id: &str) -> Result<String, String> {
    let fits = (1..=MAX_REQUEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    if fits {
        Ok(id.to_owned())
    } else {
        Err(format!("a request id is 1 to {MAX_REQUEST_ID} visible ASCII characters; found {} bytes", id.len()))
    }
}

fn labels(wrong: &mut Vec<Violation>, labels: &BTreeMap<String, String>) {
    if labels.len() > MAX_LABELS {
        wrong.push(Violation::of("labels", format!("{} labels, at most {MAX_LABELS}", labels.len())));
    }
    let key_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._/-".contains(&byte);
    for (key, value) in labels.iter().take(MAX_LABELS) {
        let field = || format!("labels[{:?}]", crate::error::cut(key));
        if !(1..=MAX_LABEL_KEY).contains(&key.len()) || !key.bytes().all(key_byte) {
            let text = format!(
                "a label's key is 1 to {MAX_LABEL_KEY} characters of a-z, 0-9, '.', '_', '/' and '-'; found {} bytes",
                key.len()
            );
            wrong.push(Violation::of(field(), text));
        }
        if value.len() > MAX_LABEL_VALUE {
            let text = format!("{} bytes, at most {MAX_LABEL_VALUE}", value.len());
            wrong.push(Violation::of(field(), text));
        }
    }
}

fn priority(wrong: &mut Vec<Violation>, number: i32) -> Priority {
    if number == 0 {
        return Priority::Normal;
    }
    let priority = debate_v1::Priority::try_from(number).ok().and_then(|priority| Priority::try_from(priority).ok());
    priority.unwrap_or_else(|| {
        wrong.push(Violation::of("priority", format!("there is no priority {number}")));
        Priority::Normal
    })
}

fn spec(
    wrong: &mut Vec<Violation>,
    request: &pb::CreateDebateRequest,
    defaults: &Defaults,
) -> (Option<DebateSpec>, Vec<String>) {
    let defaults = of_rehearsal(defaults, request.rehearsal);
    match &request.source {
        Some(Form::File(file)) => from_file(wrong, file, &defaults),
        Some(Form::Spec(spec)) => from_message(wrong, spec.clone(), &defaults),
        None => {
            wrong.push(Violation::of("file", "a debate is needed: `file` or `spec`"));
            (None, Vec::new())
        }
    }
}

/// The defaults of such debates: a rehearsal has a model even where none is named.
pub(super) fn of_rehearsal(defaults: &Defaults, rehearsal: bool) -> Defaults {
    let usual = if rehearsal { Some(REHEARSAL_MODEL.to_owned()) } else { None };
    Defaults { model: defaults.model.clone().or(usual), ..defaults.clone() }
}

fn from_file(
    wrong: &mut Vec<Violation>,
    file: &pb::DebateFile,
    defaults: &Defaults,
) -> (Option<DebateSpec>, Vec<String>) {
    let syntax = match pb::FileFormat::try_from(file.format) {
        Ok(pb::FileFormat::Unspecified) => Syntax::Auto,
        Ok(pb::FileFormat::Markdown) => Syntax::Markdown,
        Ok(pb::FileFormat::Yaml) => Syntax::Yaml,
        Ok(pb::FileFormat::Json) => Syntax::Json,
        Err(_) => {
            wrong.push(Violation::of("file.format", format!("there is no format {}", file.format)));
            return (None, Vec::new());
        }
    };
    let name = file.file_name.as_deref().filter(|name| !name.is_empty()).unwrap_or("debate");
    let parsed = parse(&Source::new(name, file.text.as_bytes()).with_syntax(syntax), defaults);
    let errors = parsed.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    wrong.extend(errors.map(|error| Violation::of(field(error, "file.text"), told(error))));
    let warnings = parsed.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning);
    (parsed.spec, warnings.map(told).collect())
}

/// A problem of a file, with its place.
pub(super) fn told(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.place;
    format!("{}:{}:{}: {}", diagnostic.file, place.line, place.column, words(diagnostic))
}

/// The rules are those of files, so the message is read as the file that it stands for; places in that file say nothing.
fn from_message(
    wrong: &mut Vec<Violation>,
    message: debate_v1::DebateSpec,
    defaults: &Defaults,
) -> (Option<DebateSpec>, Vec<String>) {
    let spec = match DebateSpec::try_from(message) {
        Ok(spec) => spec,
        Err(DecodeError::Field { path, problem }) => {
            wrong.push(Violation::of(path.clone(), format!("{path} {problem}")));
            return (None, Vec::new());
        }
        Err(error @ DecodeError::Bytes(_)) => {
            wrong.push(Violation::of("spec", error.to_string()));
            return (None, Vec::new());
        }
    };
    let text = normalize_json(&spec).to_string();
    let parsed = parse(&Source::new("spec", text).with_syntax(Syntax::Json), defaults);
    let errors = parsed.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    wrong.extend(errors.map(|error| Violation::of(field(error, "spec"), words(error))));
    let warnings = parsed.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning);
    let warnings = warnings.map(words).collect();
    (parsed.spec, warnings)
}

pub(super) fn field(diagnostic: &Diagnostic, otherwise: &str) -> String {
    if diagnostic.field.is_empty() { otherwise.to_owned() } else { diagnostic.field.clone() }
}

fn words(diagnostic: &Diagnostic) -> String {
    match &diagnostic.help {
        Some(help) => format!("[{}] {}; {help}", diagnostic.code, diagnostic.message),
        None => format!("[{}] {}", diagnostic.code, diagnostic.message),
    }
}
