//! The result of a debate in whatever shape a user's schema asks for.

use serde_json::{Map, Value, json};

use crate::{
    cast::{
        officials,
        prose::{LENSES, told},
        scene::{QuotedPoint, Scene},
    },
    dice::fraction,
    prompt::Brief,
    schema::{self, flatten::flatten},
    words,
};

/// Deepest level that is planned; below it, the schema alone decides.
const DEEPEST: u8 = 8;

/// A wish for every member of a schema, by its name.
pub fn wish(scene: &Scene<'_>, schema: &Value) -> Value {
    let plan = SynthesisPlan { scene, root: schema, points: quotable(scene) };
    plan.wish("", schema, 0, 0).unwrap_or_else(|| json!({}))
}

struct SynthesisPlan<'a, 'p> {
    scene: &'p Scene<'a>,
    root: &'p Value,
    points: Vec<QuotedPoint<'a>>,
}

/// The weightiest point of each stance.
fn quotable<'a>(scene: &Scene<'a>) -> Vec<QuotedPoint<'a>> {
    officials::ranking(scene).into_iter().filter_map(|stance| scene.weightiest_point(stance)).collect()
}

impl SynthesisPlan<'_, '_> {
    /// What a member called `name`, the `nth` of its list, should hold.
    fn wish(&self, name: &str, schema: &Value, nth: usize, depth: u8) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let flat = flatten(self.root, schema);
        if let Some(options) = flat.get("enum").and_then(Value::as_array) {
            return self.option(options, name, nth);
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(branches) = flat.get(union).and_then(Value::as_array) {
                let solid = branches.iter().find(|branch| !is_null(&flatten(self.root, branch)))?;
                return self.wish(name, solid, nth, depth + 1);
            }
        }
        match kind(&flat) {
            "object" => Some(self.object(&flat, nth, depth)),
            "array" => self.array(name, &flat, depth),
            "string" => Some(json!(self.text(name, nth))),
            "integer" | "number" => self.number(name, &flat),
            "boolean" => Some(json!(self.share(name, "") < 0.6)),
            _ => None,
        }
    }

    fn object(&self, flat: &Map<String, Value>, nth: usize, depth: u8) -> Value {
        let members = flat.get("properties").and_then(Value::as_object).into_iter().flatten();
        let wishes =
            members.filter_map(|(name, schema)| Some((name.clone(), self.wish(name, schema, nth, depth + 1)?)));
        Value::Object(wishes.collect())
    }

    fn array(&self, name: &str, flat: &Map<String, Value>, depth: u8) -> Option<Value> {
        let items = flat.get("items")?;
        let size = |key: &str| flat.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let usual = if is_about(name, PEOPLE) { self.scene.brief.cast.len().max(1) } else { 2 };
        let length = usual.max(size("minItems").unwrap_or(0)).min(size("maxItems").unwrap_or(usual.max(2))).min(64);
        (0..length).map(|nth| self.wish(name, items, nth, depth + 1)).collect::<Option<Vec<Value>>>().map(Value::Array)
    }

    /// The option that the result names, else one that the name decides.
    fn option(&self, options: &[Value], name: &str, nth: usize) -> Option<Value> {
        let result = self.decision().to_lowercase();
        let named = options.iter().filter(|option| {
            option.as_str().is_some_and(|option| option.len() > 1 && result.contains(&option.to_lowercase()))
        });
        let first = named.max_by_key(|option| option.as_str().map_or(0, str::len)).filter(|_| nth == 0);
        let luck = (self.share(name, "option") * options.len() as f64) as usize;
        first.or_else(|| options.get((luck + nth) % options.len().max(1))).cloned()
    }

    /// What came out: what the prompt says, else what the cast would decide.
    fn decision(&self) -> String {
        let result = words::sentences(&self.scene.brief.result).first().map(|first| (*first).to_owned());
        result
            .or_else(|| officials::decision(self.scene).map(str::to_owned))
            .unwrap_or_else(|| self.scene.matter.clone())
    }

    fn text(&self, name: &str, nth: usize) -> String {
        let point = self.points.get(nth % self.points.len().max(1));
        let lens = |at: usize| self.scene.deck(name, LENSES.len()).get(at).and_then(|card| LENSES.get(*card));
        let gist = || lens(nth).map_or_else(String::new, |lens| words::upper_first(lens.gist) + ".");
        match () {
            () if is_about(name, PEOPLE) => who(self.scene.brief, nth).unwrap_or_else(|| self.scene.you.to_owned()),
            () if is_about(name, " topic title question motion subject headline ") => self.scene.brief.topic.clone(),
            () if is_about(name, OUTCOME) => words::upper_first(&self.decision()),
            () if is_about(name, " summary overview abstract synopsis text description ") => {
                officials::summary(self.scene)
            }
            () if is_about(name, " quote quotes quotation citation evidence support ") => {
                point.map_or_else(gist, |point| point.quote.to_owned())
            }
            () if is_about(
                name,
                " risk risks caveat caveats open objection objections concern concerns cons con against ",
            ) =>
            {
                lens(nth).map_or_else(String::new, |lens| lens.rebuttal.to_owned())
            }
            () if is_about(name, " next step steps action actions todo task tasks ") => {
                lens(nth).map_or_else(String::new, |lens| told("next step", &[("lens", lens.name)]))
            }
            () => point
                .filter(|_| nth.is_multiple_of(2))
                .map_or_else(gist, |p| format!("{}: \"{}\".", p.entry.speaker, p.quote)),
        }
    }

    fn number(&self, name: &str, flat: &Map<String, Value>) -> Option<Value> {
        let bound = |key: &str| flat.get(key).and_then(Value::as_f64);
        if name.to_lowercase().contains("round") {
            return Some(json!(self.scene.brief.round_number().max(1)));
        }
        let (low, high) = (bound("minimum")?, bound("maximum")?);
        let exact = low + (high - low) * (0.3 + 0.6 * self.share(name, "number"));
        let whole = flat.get("type").and_then(Value::as_str) == Some("integer") || flat.contains_key("multipleOf");
        Some(if whole { json!(exact.round() as i64) } else { json!((exact * 100.0).round() / 100.0) })
    }

    fn share(&self, name: &str, what: &str) -> f64 {
        fraction(self.scene.seed, &["synthesis", self.scene.brief.topic.trim(), name, what])
    }
}

/// Names of members that hold people.
const PEOPLE: &str =
    " name names speaker speakers participant participants debater debaters persona personas author who owner holder ";
/// Names of members that hold what came out.
const OUTCOME: &str =
    " verdict decision answer result outcome conclusion recommendation winner choice stance position recommended ";

/// Whether one of the words of a member's name is listed.
fn is_about(name: &str, list: &str) -> bool {
    let spaced: String = name.chars().map(|c| if c.is_uppercase() { format!(" {c}") } else { c.to_string() }).collect();
    let mut parts = spaced.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.any(|part| list.contains(&format!(" {} ", part.to_lowercase())))
}

fn who(brief: &Brief, nth: usize) -> Option<String> {
    let shown = || brief.voices().map(|entry| entry.speaker.clone()).nth(nth);
    brief.cast.get(nth % brief.cast.len().max(1)).map(|debater| debater.name.clone()).or_else(shown)
}

fn kind(flat: &Map<String, Value>) -> &str {
    let named = match flat.get("type") {
        Some(Value::String(one)) => Some(one.as_str()),
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    };
    named.unwrap_or_else(|| schema::implied_kind(flat))
}

fn is_null(flat: &Map<String, Value>) -> bool {
    flat.get("type").and_then(Value::as_str) == Some("null")
}
