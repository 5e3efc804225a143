//! The answer that a debater stands by, round after round.

use crate::{
    cast::{prose::persuasion, scene::Scene},
    dice::{KeyedDice, fraction},
    fault::Fault,
    prompt::{MY_ANSWER, MY_CONFIDENCE},
};

/// Share of the debates in which nobody moves.
const STAY_APART: f64 = 0.25;

/// What the turn says where a stance was assigned: who has one keeps it.
const ASSIGNED: &str = "your position, word for word";

/// Whether a speech is to end with the answer its speaker stands by.
pub fn is_asked(scene: &Scene<'_>) -> bool {
    scene.brief.instructions.contains(MY_ANSWER)
}

/// The line that says it.
pub fn line(scene: &Scene<'_>) -> String {
    format!("{MY_ANSWER} {}", answer(scene))
}

/// How sure the speaker says it is, in per cent, where a speech is to end with that.
pub fn confidence(scene: &Scene<'_>) -> Option<u64> {
    let stated = scene.mind.as_ref().and_then(|mind| mind.confidence);
    let drawn = || 55 + scene.dice("confidence").below(41) as u64;
    scene.brief.instructions.contains(MY_CONFIDENCE).then(|| stated.unwrap_or_else(drawn))
}

/// What I said last that I stand by.
pub fn last_answer<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    scene.brief.voices().rev().filter(|entry| entry.speaker == scene.you).find_map(|entry| entry.answer())
}

/// Whether the answer of this turn is another than the one before.
pub fn has_changed(scene: &Scene<'_>) -> bool {
    let before = last_answer(scene).or_else(|| scene.brief.stance_of(scene.you));
    before.is_some_and(|before| before.trim().trim_end_matches('.') != answer(scene))
}

/// The answer of this round: one's own at first, and from the second round on, speaker by speaker, the one with the most pull.
pub fn answer(scene: &Scene<'_>) -> String {
    if let Some(mind) = scene.mind.as_ref().filter(|mind| !mind.assigned) {
        return mind.answer.clone();
    }
    let own = scene.brief.stance.as_deref().map(|stance| stance.trim().trim_end_matches('.'));
    let own = own.filter(|stance| !stance.is_empty()).map_or_else(|| scene.thesis(), str::to_owned);
    match scene.behaviour {
        Some(Fault::Sycophant) => {}
        _ if scene.brief.instructions.contains(ASSIGNED) => return own,
        Some(_) | None => {}
    }
    match scene.behaviour {
        Some(Fault::Stubborn | Fault::Persuader | Fault::Hostile) => return own,
        Some(Fault::Sycophant) => {
            let others = scene.brief.voices().rev().filter(|entry| entry.speaker != scene.you);
            let last = others.map(|entry| entry.answer().unwrap_or(&entry.stance)).find(|answer| !answer.is_empty());
            return last.map_or(own, str::to_owned);
        }
        Some(_) | None => {}
    }
    let held = last_answer(scene).map_or(own, str::to_owned);
    let topic = scene.brief.topic.trim();
    let apart = fraction(scene.seed, &["apart", topic]) < STAY_APART;
    let moves_at = 2 + KeyedDice::new(scene.seed, &["moves", topic, scene.you]).below(3);
    let due = scene.brief.round_number() as usize >= moves_at;
    let best = strongest(scene).filter(|_| due && !apart);
    best.map_or(held, |best| best.trim().trim_end_matches('.').to_owned())
}

/// The stance that everybody comes round to, the same for all who know the same roster; a persuader's comes first.
fn strongest<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    let persuaded = |stance: &str| scene.brief.voices().any(|e| e.stance == stance && e.text.contains(persuasion()));
    let pull = |stance: &str| {
        fraction(scene.seed, &["pull", scene.brief.topic.trim(), stance]) + f64::from(u8::from(persuaded(stance)))
    };
    let stances = scene.brief.cast.iter().map(|debater| debater.stance.as_str()).filter(|stance| !stance.is_empty());
    stances.max_by(|a, b| pull(a).total_cmp(&pull(b)).then_with(|| b.cmp(a)))
}
