//! Criticism given, criticism taken, and what a speaker notes for itself.

use serde_json::{Value, json};

use crate::{
    cast::{
        conviction, floor,
        prose::{LENSES, bank, told},
        scene::Scene,
    },
    schema,
    words::upper_first,
};

/// A critique: milder from round to round, and of another weight for each pair.
pub fn critique(scene: &Scene<'_>, schema: &Value) -> Value {
    let target = scene.target().or_else(|| floor::rival(scene, schema, "target")).unwrap_or_default();
    let mut dice = scene.dice(&format!("critique of {target}"));
    let mildness = 2 * scene.brief.round_number().saturating_sub(1) as usize;
    let severity = (2 + dice.below(9)).saturating_sub(mildness).min(10);
    let deck = dice.deck(LENSES.len());
    let mut lenses = deck.iter().filter_map(|card| LENSES.get(*card));
    let mut issues = Vec::new();
    if let Some(point) = scene.point_of(&target) {
        issues.push(told("stated", &[("quote", point.quote)]));
    }
    issues.extend(lenses.by_ref().take(1 + severity / 5).map(|lens| lens.rebuttal.to_owned()));
    let suggestions: Vec<String> =
        lenses.take(1 + dice.below(2)).map(|lens| told("suggestion", &[("lens", lens.name)])).collect();
    if severity == 0 {
        issues.clear();
    }
    json!({ "target": target, "severity": severity, "issues": issues, "suggestions": suggestions })
}

/// A revised text, whose criticism it takes up, and why not the rest.
pub fn revision(scene: &Scene<'_>, schema: &Value, text: String) -> Value {
    let mut critics = schema::options(schema, "accepted");
    for name in schema::options_at(schema, &["declined", "critic"]) {
        if !critics.contains(&name) {
            critics.push(name);
        }
    }
    if critics.is_empty() {
        critics = scene.others();
    }
    critics.retain(|name| name != scene.you);
    let (mut accepted, mut declined) = (Vec::new(), Vec::new());
    for critic in critics {
        let mut dice = scene.dice(&format!("revision after {critic}"));
        if dice.below(5) < 3 {
            accepted.push(critic);
        } else {
            let why = dice.pick(bank("declines")).copied().unwrap_or_default();
            declined.push(json!({ "critic": critic, "why": why }));
        }
    }
    json!({ "text": text, "accepted": accepted, "declined": declined })
}

/// What a speaker notes in private after a round.
pub fn reflection(scene: &Scene<'_>, schema: &Value) -> Value {
    let mut dice = scene.dice("reflection");
    let named = schema::options(schema, "changed_by");
    let rival = floor::rival(scene, schema, "changed_by").filter(|_| dice.below(2) == 0);
    let said = rival.as_deref().and_then(|name| scene.point_of(name));
    let changed_by = match (named.is_empty(), said) {
        (true, Some(point)) => Some(format!("{}: \"{}\"", point.entry.speaker, point.quote)),
        _ => rival,
    };
    let slips = if dice.below(4) == 0 { vec![scene.remark("slips", "slips", None)] } else { Vec::new() };
    json!({
        "position": upper_first(&conviction::answer(scene)),
        "changed_by": changed_by,
        "contradictions": slips,
        "worked": scene.remark("worked", "worked", None),
        "did_not_work": scene.remark("failed", "failed", None),
        "next": scene.remark("next", "next", None),
    })
}
