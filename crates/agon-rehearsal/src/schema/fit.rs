//! The generator behind [`super::fit`].

use serde_json::{Map, Number, Value, json};

use super::{accept::accepts, flatten::merge, pattern::Pattern, root::SchemaRoot};
use crate::dice::KeyedDice;

/// Beyond this depth only what is required is generated, and recursion takes the shortest way out.
const DEEP: u32 = 6;
/// Beyond this depth a schema without an end is given up.
const TOO_DEEP: u32 = 24;

type SchemaMap = Map<String, Value>;

/// Generates values for one document.
pub struct Fitter<'s> {
    root: SchemaRoot<'s>,
    dice: KeyedDice,
    texts: Vec<String>,
}

impl<'s> Fitter<'s> {
    /// A generator for schemas that refer into `root`.
    pub fn new(root: &'s Value, dice: KeyedDice, texts: Vec<String>) -> Self {
        Self { root: SchemaRoot::new(root), dice, texts }
    }

    /// Whether `value` satisfies the whole schema.
    pub fn accepts(&self, schema: &Value, value: &Value) -> bool {
        accepts(&self.root, schema, value)
    }

    /// A value for `schema`, after `wish` where that is allowed; null once the steps of the document are spent.
    pub fn fit(&mut self, schema: &Value, wish: Option<&Value>, depth: u32) -> Value {
        let mut flat = self.root.flatten(schema);
        if depth > TOO_DEEP || self.root.is_spent() {
            return Value::Null;
        }
        if let Some(constant) = flat.get("const") {
            return constant.clone();
        }
        if let Some(options) = flat.get("enum").and_then(Value::as_array).cloned() {
            return self.option(&flat, &options, wish);
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = flat.remove(union) {
                return self.branch(&flat, &branches, schema, wish, depth);
            }
        }
        let kind = self.kind(&flat, wish, depth);
        self.of_kind(&kind, &flat, wish, depth)
    }

    fn of_kind(&mut self, kind: &str, flat: &SchemaMap, wish: Option<&Value>, depth: u32) -> Value {
        match kind {
            "object" => self.object(flat, wish, depth),
            "array" => self.array(flat, wish, depth),
            "string" => {
                let text = self.string(flat, wish);
                self.root.charge(text.len());
                Value::String(text)
            }
            "integer" => Value::Number(self.integer(flat, wish).into()),
            "number" => self.number(flat, wish),
            "boolean" => {
                wish.filter(|wish| wish.is_boolean()).cloned().unwrap_or_else(|| json!(self.dice.below(2) == 0))
            }
            "any" => wish.filter(|wish| !wish.is_null()).cloned().unwrap_or_else(|| json!(self.text())),
            _ => Value::Null,
        }
    }

    fn option(&mut self, flat: &SchemaMap, options: &[Value], wish: Option<&Value>) -> Value {
        let rest = Value::Object(flat.clone());
        let allowed: Vec<&Value> = options.iter().filter(|option| accepts(&self.root, &rest, option)).collect();
        let alike = |option: &&&Value| match (option.as_str(), wish.and_then(Value::as_str)) {
            (Some(option), Some(wish)) => option.eq_ignore_ascii_case(wish),
            _ => Some(**option) == wish,
        };
        let wished = allowed.iter().find(alike).copied();
        wished.or_else(|| self.dice.pick(&allowed).copied()).cloned().unwrap_or(Value::Null)
    }

    /// A value of one branch of a union, such that the whole schema accepts it if that can be had.
    fn branch(
        &mut self,
        flat: &SchemaMap,
        branches: &[Value],
        whole: &Value,
        wish: Option<&Value>,
        depth: u32,
    ) -> Value {
        let mut order: Vec<&Value> = branches.iter().collect();
        let rank = |branch: &Value| {
            let wished = wish.is_some_and(|wish| !is_free(branch) && accepts(&self.root, branch, wish));
            let ends = !is_free(branch) && accepts(&self.root, branch, &Value::Null);
            let tries_null = if depth > DEEP { !ends } else { ends };
            let recurses = depth > DEEP && branch.get("$ref").is_some();
            (!wished, recurses, tries_null)
        };
        order.sort_by_key(|branch| rank(branch));
        let mut last = Value::Null;
        // a second and third throw: a value may have met another branch of a `oneOf` by chance
        for branch in order.iter().cycle().take(order.len() * 3) {
            let mut both = flat.clone();
            for (key, value) in self.root.flatten(branch) {
                merge(&mut both, key, value);
            }
            last = self.fit(&Value::Object(both), wish, depth + 1);
            if accepts(&self.root, whole, &last) {
                break;
            }
        }
        last
    }

    fn kind(&mut self, flat: &SchemaMap, wish: Option<&Value>, depth: u32) -> String {
        let types: Vec<&str> = match flat.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
            _ => return implied_kind(flat).to_owned(),
        };
        let of_wish = wish.map_or("", kind_of);
        let wished = types.iter().find(|kind| **kind == of_wish || (**kind == "number" && of_wish == "integer"));
        let null = types.iter().find(|kind| **kind == "null").filter(|_| depth > DEEP);
        let plain = || types.iter().find(|kind| **kind != "null").or(types.first());
        wished.or(null).or_else(plain).copied().unwrap_or("null").to_owned()
    }

    fn object(&mut self, flat: &SchemaMap, wish: Option<&Value>, depth: u32) -> Value {
        let mut object = Map::new();
        let required: Vec<&str> = names(flat, "required");
        let most = size(flat, "maxProperties").unwrap_or(usize::MAX);
        let none = Map::new();
        let properties = flat.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let mut spare = most.saturating_sub(required.len());
        for (name, schema) in properties {
            let must = required.contains(&name.as_str());
            if !must && (depth > DEEP || spare == 0 || *schema == Value::Bool(false)) {
                continue;
            }
            spare -= usize::from(!must);
            let value = self.fit(schema, wish.and_then(|wish| wish.get(name)), depth + 1);
            if must || accepts(&self.root, schema, &value) {
                object.insert(name.clone(), value);
            }
        }
        let additional = flat.get("additionalProperties").cloned().unwrap_or(Value::Bool(true));
        let more = (1..).map(|n| format!("extra_{n}"));
        if properties.is_empty() && additional != Value::Bool(false) {
            let wished = wish.and_then(Value::as_object).into_iter().flatten();
            let free = wished
                .filter(|(name, value)| !required.contains(&name.as_str()) && accepts(&self.root, &additional, value));
            object.extend(free.take(spare).map(|(name, value)| (name.clone(), value.clone())));
        }
        let missing: Vec<String> = required.iter().map(|name| (*name).to_owned()).collect();
        for name in missing.into_iter().chain(more) {
            let wanted = required.contains(&name.as_str()) || object.len() < size(flat, "minProperties").unwrap_or(0);
            if !wanted
                || self.root.is_spent()
                || (additional == Value::Bool(false) && !required.contains(&name.as_str()))
            {
                break;
            }
            if !object.contains_key(&name) {
                let value = self.fit(&additional, wish.and_then(|wish| wish.get(&name)), depth + 1);
                object.insert(name, value);
            }
        }
        Value::Object(object)
    }

    fn array(&mut self, flat: &SchemaMap, wish: Option<&Value>, depth: u32) -> Value {
        let wishes = wish.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let prefix = flat.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
        let rest = flat.get("items").cloned().unwrap_or(Value::Bool(true));
        let least = size(flat, "minItems").unwrap_or(0);
        let usual = if depth > DEEP { least } else { wishes.len().max(least).max(usize::from(wish.is_none())) };
        let most = size(flat, "maxItems").unwrap_or(usize::MAX);
        let most = if rest == Value::Bool(false) { most.min(prefix.len()) } else { most };
        let unique = flat.get("uniqueItems") == Some(&Value::Bool(true));
        let mut items: Vec<Value> = Vec::new();
        for at in 0..usual.min(most) {
            if self.root.is_spent() {
                break;
            }
            let schema = prefix.get(at).unwrap_or(&rest);
            let mut item = self.fit(schema, wishes.get(at), depth + 1);
            self.root.charge(if unique { items.len() } else { 0 });
            if unique && items.contains(&item) {
                let Some(other) = self.unlike(schema, &items, depth) else { continue };
                item = other;
            }
            items.push(item);
        }
        Value::Array(items)
    }

    /// A value of `schema` that is not among `items`.
    fn unlike(&mut self, schema: &Value, items: &[Value], depth: u32) -> Option<Value> {
        let flat = self.root.flatten(schema);
        let listed = flat.get("enum").and_then(Value::as_array);
        if let Some(option) = listed.and_then(|options| options.iter().find(|option| !items.contains(option))) {
            return Some(option.clone());
        }
        let wishes = (0..64_u32).flat_map(|n| {
            [json!(format!("{} {n}", self.texts.first().map_or("", String::as_str))), json!(n), json!(format!("{n}"))]
        });
        let wishes: Vec<Value> = wishes.collect();
        wishes.iter().map(|wish| self.fit(schema, Some(wish), depth + 1)).find(|value| !items.contains(value))
    }

    fn string(&mut self, flat: &SchemaMap, wish: Option<&Value>) -> String {
        let pattern = flat.get("pattern").and_then(Value::as_str).and_then(Pattern::read);
        let bounds = (size(flat, "minLength").unwrap_or(0), size(flat, "maxLength").unwrap_or(usize::MAX));
        if let Some(pattern) = pattern {
            let free = wish.and_then(Value::as_str).filter(|wish| {
                let length = wish.chars().count();
                pattern.matches(wish) && bounds.0 <= length && length <= bounds.1
            });
            return free.map_or_else(|| pattern.sample(bounds, &mut self.dice), str::to_owned);
        }
        let format = flat.get("format").and_then(Value::as_str).and_then(sample);
        let text = match (wish.and_then(Value::as_str), format) {
            (Some(wish), _) => wish.to_owned(),
            (None, Some(sample)) => return sample.to_owned(),
            (None, None) => self.text(),
        };
        let (least, most) = (bounds.0.min(1 << 20), bounds.1);
        let padding = " And so on.".chars().cycle().take(least.saturating_sub(text.chars().count()));
        text.chars().chain(padding).take(most).collect()
    }

    fn integer(&mut self, flat: &SchemaMap, wish: Option<&Value>) -> i64 {
        let bound = |key: &str| flat.get(key).and_then(|v| v.as_i64().or_else(|| v.as_f64().map(|f| f.floor() as i64)));
        let upwards =
            |key: &str| flat.get(key).and_then(|v| v.as_i64().or_else(|| v.as_f64().map(|f| f.ceil() as i64)));
        let least = upwards("minimum").max(bound("exclusiveMinimum").map(|n| n.saturating_add(1)));
        let most =
            [bound("maximum"), upwards("exclusiveMaximum").map(|n| n.saturating_sub(1))].into_iter().flatten().min();
        let (low, high) = match (least, most) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low.saturating_add(9)),
            (None, Some(high)) => (high.saturating_sub(9).max(1.min(high)), high),
            (None, None) => (1, 10),
        };
        let step = flat.get("multipleOf").and_then(Value::as_i64).filter(|step| *step > 0).unwrap_or(1);
        let free =
            wish.and_then(Value::as_i64).filter(|n| least.is_none_or(|l| *n >= l) && most.is_none_or(|m| *n <= m));
        let span = usize::try_from(high.saturating_sub(low)).unwrap_or(0).min(1 << 20);
        let near = free.unwrap_or_else(|| low.saturating_add(i64::try_from(self.dice.below(span + 1)).unwrap_or(0)));
        let below = near.saturating_sub(near.rem_euclid(step));
        if least.is_none_or(|least| below >= least) { below } else { below.saturating_add(step) }
    }

    fn number(&mut self, flat: &SchemaMap, wish: Option<&Value>) -> Value {
        let schema = Value::Object(flat.clone());
        if let Some(wish) = wish.filter(|wish| wish.is_number() && accepts(&self.root, &schema, wish)) {
            return wish.clone();
        }
        let bound = |a: &str, b: &str| (flat.get(a).and_then(Value::as_f64), flat.get(b).and_then(Value::as_f64));
        let low = match bound("minimum", "exclusiveMinimum") {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let high = match bound("maximum", "exclusiveMaximum") {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low + 1.0),
            (None, Some(high)) => (high - 1.0, high),
            (None, None) => (0.0, 1.0),
        };
        let step = flat.get("multipleOf").and_then(Value::as_f64).filter(|step| *step > 0.0);
        let first = step.map_or(0.0, |step| (low / step).ceil() * step);
        let candidates = match step {
            Some(step) => vec![first, first + step],
            None => vec![low + (high - low) * (0.25 + 0.5 * self.dice.unit()), (low + high) / 2.0, low, high],
        };
        let numbers = candidates.into_iter().filter_map(Number::from_f64).map(Value::Number).collect::<Vec<_>>();
        let fits = numbers.iter().find(|number| accepts(&self.root, &schema, number));
        fits.or(numbers.first()).cloned().unwrap_or_else(|| json!(0))
    }

    fn text(&mut self) -> String {
        self.dice.pick(&self.texts).cloned().unwrap_or_else(|| "rehearsed".to_owned())
    }
}

fn is_free(schema: &Value) -> bool {
    schema.as_object().is_none_or(Map::is_empty)
}

fn names<'a>(flat: &'a SchemaMap, key: &str) -> Vec<&'a str> {
    flat.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn size(flat: &SchemaMap, key: &str) -> Option<usize> {
    flat.get(key).and_then(Value::as_f64).map(|n| n.max(0.0) as usize)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The type that the other keywords speak of.
pub fn implied_kind(flat: &SchemaMap) -> &'static str {
    let has = |keys: &[&str]| keys.iter().any(|key| flat.contains_key(*key));
    match () {
        () if has(&["properties", "required", "additionalProperties", "minProperties"]) => "object",
        () if has(&["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]) => "array",
        () if has(&["minLength", "maxLength", "format", "pattern"]) => "string",
        () if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) => "number",
        () => "any",
    }
}

fn sample(format: &str) -> Option<&'static str> {
    match format {
        "date-time" => Some("2026-01-01T12:00:00Z"),
        "date" => Some("2026-01-01"),
        "time" => Some("12:00:00Z"),
        "email" => Some("rehearsal@example.org"),
        "uri" | "uri-reference" => Some("https://example.org/rehearsal"),
        "hostname" => Some("example.org"),
        "ipv4" => Some("192.0.2.1"),
        "ipv6" => Some("2001:db8::1"),
        "uuid" => Some("00000000-0000-4000-8000-000000000000"),
        _ => None,
    }
}
