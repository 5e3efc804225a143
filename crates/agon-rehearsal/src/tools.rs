//! Tools: which one is called, with what, and what follows its result.

use serde_json::{Map, Value, json};

use crate::{
    cast::{self, Scene},
    dice::KeyedDice,
    request::OllamaChatRequest,
    schema::{self, flatten::flatten},
    words,
};

/// Most characters of a speech that are handed to a tool.
const MOST_TEXT: usize = 400;

/// The call that answers a turn whose prompt offers tools, unless a tool has just answered.
pub fn native_call(asked: &OllamaChatRequest<'_>, scene: &Scene<'_>) -> Option<Value> {
    let tools = asked.tools.as_ref()?;
    if asked.messages.iter().any(|message| message.role == "tool") {
        return None;
    }
    let offered: Vec<&Value> = tools.iter().filter_map(|tool| tool.get("function")).collect();
    let function = scene.dice("tool").pick(&offered).copied()?;
    let name = function.get("name")?.as_str()?;
    let none = json!({ "type": "object" });
    let arguments = arguments(scene, name, function.get("parameters").unwrap_or(&none));
    let id = KeyedDice::new(scene.seed, &["tool call", name, &arguments.to_string()]).next();
    Some(
        json!([{ "id": format!("call_{:08x}", id >> 32), "function": { "index": 0, "name": name, "arguments": arguments } }]),
    )
}

/// Whether a schema is that of the loop in which a model without tools asks for them.
pub fn is_loop(schema: &Value) -> bool {
    let has = |name: &str| schema.pointer(&format!("/properties/{name}")).is_some();
    ["action", "tool", "arguments", "answer"].into_iter().all(has)
}

/// A turn of that loop: first a tool, and once one has answered, the answer.
pub fn loop_turn(scene: &Scene<'_>, schema: &Value) -> Value {
    let actions = schema::options(schema, "action");
    let may_call = actions.is_empty() || actions.iter().any(|action| action == "tool");
    let names = schema::options(schema, "tool");
    let name = scene.dice("tool").pick(&names).cloned();
    match name.filter(|_| may_call && scene.brief.found.is_empty()) {
        Some(name) => {
            let free = json!({ "type": "object" });
            let parameters = described(scene, &name).or_else(|| member(schema, "arguments")).unwrap_or(free);
            json!({ "action": "tool", "tool": name, "arguments": arguments(scene, &name, &parameters), "answer": null })
        }
        None => {
            let wanted = member(schema, "answer").filter(|answer| flatten(schema, answer).contains_key("properties"));
            let answer = match wanted {
                Some(object) => {
                    let (dice, texts) = cast::small_talk(scene, "answer");
                    schema::fit(&object, &cast::wish_for(scene, &object), dice, texts)
                }
                None => json!(cast::speak(scene)),
            };
            json!({ "action": "answer", "tool": null, "arguments": null, "answer": answer })
        }
    }
}

fn member(schema: &Value, name: &str) -> Option<Value> {
    schema.pointer(&format!("/properties/{name}")).cloned()
}

/// The parameters of a tool as the prompt describes them: a JSON schema in a line that names the tool, or in the line below it.
fn described(scene: &Scene<'_>, name: &str) -> Option<Value> {
    let text = &scene.brief.instructions;
    let mut lines = text.lines().skip_while(|line| !line.contains(name)).take(2);
    lines.find_map(|line| {
        let json = line.get(line.find('{')?..=line.rfind('}')?)?;
        let schema: Value = serde_json::from_str(json).ok()?;
        (schema.get("type").is_some() || schema.get("properties").is_some()).then_some(schema)
    })
}

/// Arguments that fit a tool's parameters, about the matter of the debate.
fn arguments(scene: &Scene<'_>, tool: &str, parameters: &Value) -> Value {
    let query = query(scene);
    let flat = flatten(parameters, parameters);
    let members = flat.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut wish: Map<String, Value> =
        members.filter_map(|(name, _)| Some((name.clone(), wished(scene, name, &query)?))).collect();
    if wish.is_empty() && !flat.contains_key("properties") {
        wish.insert("query".to_owned(), json!(query));
    }
    let (dice, _) = cast::small_talk(scene, tool);
    schema::fit(parameters, &Value::Object(wish), dice, vec![query])
}

fn wished(scene: &Scene<'_>, name: &str, query: &str) -> Option<Value> {
    let last = || scene.brief.entries.last().map(|entry| entry.text.chars().take(MOST_TEXT).collect::<String>());
    match name.to_lowercase().as_str() {
        "query" | "q" | "question" | "search" | "topic" | "keywords" | "term" | "terms" => Some(json!(query)),
        "text" | "content" | "speech" | "document" | "input" => {
            Some(json!(last().filter(|text| !text.is_empty()).unwrap_or_else(|| query.to_owned())))
        }
        "limit" | "count" | "k" | "n" | "top" | "top_k" | "max_results" | "results" => Some(json!(3)),
        _ => None,
    }
}

/// What the debate is about, in words to search for; another in each round.
fn query(scene: &Scene<'_>) -> String {
    let mut phrases = words::noun_phrases(&scene.brief.topic);
    let stance = scene.brief.stance.as_deref().unwrap_or_default();
    for phrase in words::noun_phrases(stance) {
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    let turn = scene.brief.round_number().saturating_sub(1) as usize % phrases.len().max(1);
    phrases.rotate_left(turn);
    phrases.truncate(3);
    if phrases.is_empty() { scene.matter.clone() } else { phrases.join(" ") }
}
