//! Who wants the floor: bids, reactions, interruptions and points of information.

use serde_json::{Value, json};

use crate::{cast::scene::Scene, fault::Fault, schema, task::PromptTask};

/// How much one wants to speak, to whom, and why.
pub fn urge(scene: &Scene<'_>, schema: &Value, task: PromptTask) -> Value {
    let mut dice = scene.live_dice(&format!("urge {task:?}"));
    let free = dice.below(11);
    let luck = dice.below(10);
    let last = scene.brief.voices().next_back();
    let spoke = last.is_some_and(|entry| entry.speaker == scene.you);
    let named = !spoke && last.is_some_and(|entry| entry.text.contains(scene.you) || entry.label.contains(scene.you));
    let interrupts = task == PromptTask::Interruption;
    let quiet = if task == PromptTask::Reaction { 4 } else { 2 };
    let urgency = match () {
        () if scene.behaviour == Some(Fault::Hostile) => 10,
        () if interrupts && (luck == 0 || (named && luck < 3)) => 9,
        () if interrupts || spoke => free / 4,
        () if named => (free / 2 + 4).min(10),
        () if luck < quiet => 0,
        () => free,
    };
    let to = rival(scene, schema, "to").filter(|_| urgency > 0 && luck != 9);
    let bank = if interrupts { "breaks in" } else { "urges" };
    let reason = (urgency > 0).then(|| scene.remark(&format!("urge {task:?}"), bank, to.as_deref()));
    json!({ "urgency": urgency, "to": to, "reason": reason })
}

/// A point that one offers to whoever speaks.
pub fn point(scene: &Scene<'_>) -> Value {
    let mut dice = scene.live_dice("point");
    let hostile = scene.behaviour == Some(Fault::Hostile);
    if !hostile && dice.below(5) < 2 {
        return json!({ "urgency": dice.below(3), "point": null });
    }
    let urgency = if hostile { 10 } else { 3 + dice.below(7) };
    json!({ "urgency": urgency, "point": scene.remark("point", "points", None) })
}

/// Which of the points offered is taken, and what is said to it.
pub fn answer_points(scene: &Scene<'_>, schema: &Value) -> Value {
    let mut dice = scene.live_dice("answer points");
    let offered = schema::options(schema, "accept");
    let accept = if offered.is_empty() { dice.pick(&scene.others()).cloned() } else { dice.pick(&offered).cloned() };
    let accept = accept.filter(|_| dice.below(3) > 0);
    let reply = accept.is_some().then(|| scene.remark("reply", "replies", accept.as_deref()));
    json!({ "accept": accept, "reply": reply })
}

/// Whom one would speak to: the one most worth answering, among those who may be named.
pub fn rival(scene: &Scene<'_>, schema: &Value, property: &str) -> Option<String> {
    let allowed = schema::options(schema, property);
    let may = |name: &String| name != scene.you && (allowed.is_empty() || allowed.contains(name));
    let answered = scene.rival_point().map(|point| point.entry.speaker.clone()).filter(may);
    answered.or_else(|| scene.others().into_iter().find(may))
}
