//! Speeches whose reasoning stands in numbered steps.

use crate::{
    cast::{scene::Scene, speech::SpeechDraft},
    fault::Fault,
    prompt::TranscriptLine,
    words::upper_first,
};

/// Claim, evidence, inference and conclusion, after a reply to a step of somebody else.
pub fn argument(scene: &Scene<'_>) -> String {
    let mut speech = SpeechDraft::of(scene, 0, 200);
    if let Some((number, entry)) = step_to_attack(scene) {
        let rebuttal = speech.rebuttal();
        speech.paragraph([format!("Against step {number} of {}: {rebuttal}", entry.speaker)]);
    } else if speech.slots.point.is_some() {
        let rebuttal = speech.rebuttal();
        speech.paragraph([speech.line("answers"), rebuttal]);
    }
    let claim = upper_first(&speech.slots.thesis);
    let fact = speech.fact();
    let evidence = if fact.is_empty() { upper_first(&speech.claim()) } else { fact };
    let inference = upper_first(&speech.claim());
    let conclusion = speech.line("conclusions");
    let steps =
        [("Claim", format!("{claim}.")), ("Evidence", evidence), ("Inference", inference), ("Conclusion", conclusion)];
    let lines: Vec<String> =
        steps.iter().enumerate().map(|(at, (kind, text))| format!("{}. {kind}: {text}", at + 1)).collect();
    speech.say_whole(lines.join("\n"));
    speech.finish()
}

/// The speech of somebody else that has numbered steps, and which of them to attack.
fn step_to_attack<'a>(scene: &Scene<'a>) -> Option<(u32, &'a TranscriptLine)> {
    if scene.behaviour == Some(Fault::Sycophant) {
        return None;
    }
    let mine = scene.brief.stance.as_deref().unwrap_or_default();
    let others = scene.brief.voices().rev().filter(|entry| entry.speaker != scene.you);
    let with_steps = others.filter(|entry| has_step(entry, 2));
    let rival = with_steps.clone().find(|entry| entry.stance != mine).or_else(|| with_steps.clone().next())?;
    let steps: Vec<u32> = (1..=4).filter(|number| has_step(rival, *number)).collect();
    // evidence and inference are what can be attacked; a claim is what it is
    let open: Vec<u32> = steps.iter().copied().filter(|number| matches!(number, 2 | 3)).collect();
    scene.dice("step").pick(&open).map(|number| (*number, rival))
}

fn has_step(entry: &TranscriptLine, number: u32) -> bool {
    entry.text.lines().any(|line| line.trim_start().starts_with(&format!("{number}.")))
}
