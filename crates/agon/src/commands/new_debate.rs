//! The debate that a command line describes, wherever it is to be held: shared by `run` and `submit`.
use crate::cli::DebateArgs;
use crate::debate_file::{self, NamedDebate};
use crate::exit::Stop;
use crate::output::OutputMode;
use crate::settings::Settings;
use crate::store;
use agon_core::gate::{GateRule, MAX_GATE_BYTES};
use agon_core::{DebateId, DebateSpec, Priority};
use agon_spec::{GateOverride, Overrides};
use std::collections::BTreeMap;

/// A debate that is wanted.
#[derive(Clone, Debug)]
pub struct NewDebate {
    /// The debate, with what flags overrule.
    pub spec: DebateSpec,
    /// The id that it is to have.
    pub id: Option<DebateId>,
    /// Its marks.
    pub labels: BTreeMap<String, String>,
    /// How urgent it is.
    pub priority: Priority,
}

impl NewDebate {
    /// The debate of a file or topic, whose warnings `warns` prints; whatever is wrong with it has been told when this fails.
    pub fn of(
        settings: &Settings,
        args: &DebateArgs,
        named: &NamedDebate,
        warns: Option<&OutputMode>,
    ) -> Result<Self, Stop> {
        let id = args.id.as_deref().map(id).transpose()?;
        let gate = gate(args)?;
        let overrides = Overrides { max_rounds: args.rounds, model: args.model.clone(), seed: args.seed, gate };
        let spec = debate_file::load(named, &debate_file::defaults(settings), &overrides, warns)?;
        let labels = args.labels.iter().map(|label| (label.key.clone(), label.value.clone())).collect();
        Ok(Self { spec, id, labels, priority: args.priority.into() })
    }
}

/// What flags put in place of the file's gate.
fn gate(args: &DebateArgs) -> Result<Option<GateOverride>, Stop> {
    if args.no_gate {
        return Ok(Some(GateOverride::Off));
    }
    let Some(path) = &args.gate else { return Ok(None) };
    let refused = |problem: String| Stop::usage(format!("cannot use the gate {}: {problem}", path.display()));
    let bytes = agon_files::read(path, MAX_GATE_BYTES).map_err(|error| refused(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8".to_owned()))?;
    let rule = GateRule::read(&text).map_err(|error| refused(error.to_string()))?;
    Ok(Some(GateOverride::Rule(Box::new(rule))))
}

fn id(text: &str) -> Result<DebateId, Stop> {
    if text == store::LAST {
        return Err(Stop::usage("`last` means the newest debate and cannot be an id"));
    }
    if text.contains('/') {
        return Err(Stop::usage(format!("the id {text:?} must not name a tenant: your credentials decide that")));
    }
    DebateId::parse(text).map_err(Stop::usage)
}
