//! A submission of an eval, checked: every problem of the request at once.
use crate::api::create_request::{REHEARSAL_MODEL, checked, debate_id, field, request_id, told};
use crate::error::{Problem, Violation};
use agon_core::{DebateId, TenantId};
use agon_eval::{
    EvalAdmission, EvalSpec, EvalSurroundings, Grader, GraderChoice, ModelPrice, RoleModels, no_programs,
    read_eval_file,
};
use agon_proto::Hash;
use agon_proto::pb::v1 as pb;
use agon_spec::{Defaults, Severity, Source};
use prost::Message as _;
use std::collections::BTreeMap;

/// What a server brings to an eval.
#[derive(Clone, Debug)]
pub(super) struct EvalDefaults {
    pub debates: Defaults,
    pub prices: BTreeMap<String, ModelPrice>,
    /// Who grades where nobody is named.
    pub grader: Option<String>,
}

/// An eval that somebody wants.
#[derive(Clone, Debug)]
pub(super) struct EvalRequest {
    /// Without an id, and without digests of models.
    pub admission: EvalAdmission,
    /// The id that the client chose.
    pub id: Option<DebateId>,
    pub request_id: Option<String>,
    /// What is asked for.
    pub payload: Hash,
    /// What the files' warnings say.
    pub warnings: Vec<String>,
}

impl EvalRequest {
    /// Checks a request of this tenant.
    pub fn check(request: &pb::CreateEvalRequest, tenant: &TenantId, defaults: &EvalDefaults) -> Result<Self, Problem> {
        let mut wrong = Vec::new();
        let id = checked(&mut wrong, "eval_id", request.eval_id.as_deref().map(|id| debate_id(tenant, id)));
        let key = checked(&mut wrong, "request_id", request.request_id.as_deref().map(request_id));
        if request.max_questions == Some(0) {
            wrong.push(Violation::of("max_questions", "an eval has at least 1 question"));
        }
        if request.pilot_questions.is_some_and(|wanted| wanted == 0 || request.max_questions.is_some()) {
            wrong.push(Violation::of(
                "pilot_questions",
                "a pilot has at least 1 question, and is not limited by max_questions",
            ));
        }
        let (spec, warnings) = spec(&mut wrong, request, defaults);
        let Some(spec) = spec.filter(|_| wrong.is_empty()) else { return Err(Problem::Invalid(wrong)) };
        let models = models(request, &defaults.debates);
        // what is wrong now is wrong in a debate file, or in what the eval file sets over it
        let admission = EvalAdmission::of(String::new(), spec, models)
            .map_err(|refused| Problem::invalid("files", refused.message))?;
        let admission = EvalAdmission {
            prices: defaults.prices.clone(),
            rehearsal: request.rehearsal,
            fresh: request.fresh,
            ..admission
        };
        Ok(Self { admission, id, request_id: key, payload: payload(request), warnings })
    }
}

/// Neither the request id nor whether it is only checked is in it.
fn payload(request: &pb::CreateEvalRequest) -> Hash {
    let request = pb::CreateEvalRequest { request_id: None, validate_only: false, ..request.clone() };
    *blake3::hash(&request.encode_to_vec()).as_bytes()
}

fn spec(
    wrong: &mut Vec<Violation>,
    request: &pb::CreateEvalRequest,
    defaults: &EvalDefaults,
) -> (Option<EvalSpec>, Vec<String>) {
    let Some(file) = &request.file else {
        wrong.push(Violation::of("file", "an eval file is needed"));
        return (None, Vec::new());
    };
    let name = file.file_name.as_deref().filter(|name| !name.is_empty()).unwrap_or("eval");
    let load = |path: &str| match request.files.get(path) {
        Some(text) => Ok(text.clone().into_bytes()),
        None => {
            Err(format!("the request has no file {path:?} in `files`; a server reads no files of its own for an eval"))
        }
    };
    let surroundings = EvalSurroundings { load: &load, find: &no_programs };
    let read = read_eval_file(&Source::new(name, file.text.as_bytes()), surroundings);
    let of = |severity| read.diagnostics.iter().filter(move |found| found.severity == severity);
    wrong.extend(of(Severity::Error).map(|error| Violation::of(field(error, "file.text"), told(error))));
    let warnings = of(Severity::Warning).map(told).collect();
    let spec = read.spec.map(|mut spec| {
        let number = |wanted: u32| usize::try_from(wanted).unwrap_or(usize::MAX);
        spec.seed = request.seed.unwrap_or(spec.seed);
        spec.questions.truncate(request.max_questions.map_or(usize::MAX, number));
        if let Some(wanted) = request.pilot_questions {
            let seed = spec.seed;
            spec = spec.pilot(number(wanted), seed);
        }
        EvalSpec { grader: grader(&spec, request, defaults), ..spec }
    });
    (spec, warnings)
}

/// Who grades: by the request, else by the eval file, else as the server is set; in a rehearsal somebody always can.
fn grader(spec: &EvalSpec, request: &pb::CreateEvalRequest, defaults: &EvalDefaults) -> Option<Grader> {
    let flags =
        GraderChoice { models: &request.graders, same_family: request.same_family, rehearsal: request.rehearsal };
    flags.of(spec, defaults.grader.as_deref())
}

/// The request's models; the server's own where it names none.
fn models(request: &pb::CreateEvalRequest, defaults: &Defaults) -> RoleModels {
    let mut models = match request.models.clone() {
        Some(pb::EvalModels { model, judge_model, moderator_model }) => {
            RoleModels { model, judge_model, moderator_model, edition: defaults.edition }
        }
        None => RoleModels {
            model: defaults.model.clone(),
            judge_model: defaults.judge_model.clone(),
            moderator_model: defaults.moderator_model.clone(),
            edition: defaults.edition,
        },
    };
    if request.rehearsal && models.model.is_none() {
        models.model = Some(REHEARSAL_MODEL.to_owned());
    }
    models
}
