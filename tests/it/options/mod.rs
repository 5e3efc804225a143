//! No option is accepted and does nothing: each changes what stands in the log, or what comes out.
mod cases;
mod outputs;

use crate::formats::each;
use crate::support::World;
use agon_spec::{Defaults, Source};
use cases::{Around, Case, cases};
use outputs::{DebateOutputs, OutputDepth, difference};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Every option that the schema of debate files knows, as `personas.style`.
fn options(world: &World) -> BTreeSet<String> {
    let schema: Value = world.json(&["schema"]);
    let mut found = BTreeSet::new();
    collect(&schema, &schema, "", &mut found);
    found
}

fn collect(root: &Value, schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    let schema = resolve(root, schema);
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let before = found.len();
        collect(root, inner, &path, found);
        if found.len() == before {
            found.insert(path);
        }
    }
    for group in ["anyOf", "oneOf", "allOf"] {
        for inner in schema[group].as_array().into_iter().flatten() {
            collect(root, inner, path, found);
        }
    }
    if schema["items"].is_object() {
        collect(root, &schema["items"], path, found);
    }
}

fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// Options that a single process does not have; each is tried in a test of its own.
const ELSEWHERE: [(&str, &str); 9] = [
    ("gate.strict", "agon-spec: a gate that was learned on another debate is an error, and else a warning"),
    ("on_cut", "agon-runtime: a speech that reaches its limit stands, is asked for again, or fails, as the file says"),
    ("adapt_max_tokens", "agon-runtime: answers are bounded by the speed only where the file says so"),
    ("coerce_answers", "agon-prompt: without it a value that is not allowed is malformed"),
    ("visible.synthesizer.client", "agon-report: watchers are not sent the synthesis; the result has it all the same"),
    ("endpoint", "seat_example: processes outside Agon take seats of a cluster"),
    ("timeout", "tools: one that hangs costs its own call, and that by this time"),
    ("confidence_at_least", "agon-core: a consensus rests on how sure its speakers are where the file asks for that"),
    ("allow_shared_stance", "agon-spec: without it what it allows is refused"),
];

/// Another name of a key, which is no option of its own.
fn is_alias(option: &str) -> bool {
    ["mediator", "summariser"].contains(&option.split('.').next().unwrap_or_default())
        || option == "personas.role_description"
}

#[test]
fn every_option_of_the_reference_is_flipped_here() {
    let world = World::new();
    let known: BTreeSet<String> = cases().into_iter().flat_map(|case| case.keys()).collect();
    let options = options(&world);
    assert!(options.len() > 80, "{options:?}");
    let elsewhere =
        |option: &str| ELSEWHERE.iter().any(|(key, _)| option == *key || option.rsplit('.').next() == Some(key));
    let left = options.difference(&known).filter(|option| !is_alias(option) && !elsewhere(option));
    let forgotten: Vec<&String> = left.collect();
    assert!(forgotten.is_empty(), "no case flips {forgotten:?}");
    let unknown: Vec<&String> = known.difference(&options).collect();
    assert!(unknown.is_empty(), "there is no option {unknown:?}");
}

#[test]
fn every_option_changes_the_log_the_prompts_or_what_comes_out() {
    let held = HeldDebates::default();
    each(&cases(), |case: &Case| {
        let changes = [OutputDepth::Log, OutputDepth::Reports]
            .into_iter()
            .any(|look| difference(&held.without(case, look), &DebateOutputs::of(case, &case.on(), look)).is_some());
        assert!(changes, "{} changes nothing", case.name);
    });
}

/// Debates without an option: many are absent from one and the same debate, or have the value there that they have where a file says
/// nothing.
#[derive(Default)]
struct HeldDebates {
    known: Mutex<BTreeMap<(String, Around, OutputDepth), Arc<DebateOutputs>>>,
    /// What was held twice, as it is without any option.
    twice: Mutex<BTreeSet<(String, Around, OutputDepth)>>,
}

impl HeldDebates {
    fn without(&self, case: &Case, look: OutputDepth) -> Arc<DebateOutputs> {
        let key = (normal_form(case, &case.off()), case.around, look);
        let known = self.known.lock().unwrap().get(&key).cloned().filter(|_| case.beside.is_empty());
        known.unwrap_or_else(|| {
            let held = Arc::new(self.held(case, look));
            self.known.lock().unwrap().insert(key, held.clone());
            held
        })
    }

    /// The debate without the option. Where the same file twice shows a difference, one between two files shows nothing: of files that
    /// differ in their options alone, one is held twice.
    fn held(&self, case: &Case, look: OutputDepth) -> DebateOutputs {
        let once = DebateOutputs::of(case, &case.off(), look);
        if self.twice.lock().unwrap().insert((case.base().to_string(), case.around, look)) {
            let again = DebateOutputs::of(case, &case.off(), look);
            assert_eq!(difference(&once, &again), None, "{}: the same file differs from run to run", case.name);
        }
        once
    }
}

/// A file as its whole specification.
fn normal_form(case: &Case, file: &Value) -> String {
    let read = agon_spec::parse(&Source::new("debate.json", file.to_string()), &Defaults::default());
    agon_spec::normalize(&read.spec.unwrap_or_else(|| panic!("{}: {:?}", case.name, read.diagnostics)))
}
