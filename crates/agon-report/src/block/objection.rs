//! The strongest objection that nobody answered.
use crate::analysis::{Analysis, StandingAttack};
use crate::minutes::Minutes;
use crate::text::excerpt;
use crate::words;
use agon_core::CRITICAL_SEVERITY;

/// Characters of the objection that the block shows.
const MOST_TEXT: usize = 200;

/// The strongest objection left open, and what it is. In this order: a severe critique, what a judge calls a critical
/// objection, any other critique, the attack by the strongest speech. Those on the winner come before the others.
pub(super) fn of(minutes: &Minutes<'_>, analysis: Option<&Analysis>) -> Option<String> {
    let standing = analysis.and_then(|analysis| analysis.disagreement.standing.as_ref());
    let attacks = standing.map(|standing| relevant(minutes, &standing.attacks)).unwrap_or_default();
    // Critiques stand before other attacks, the most severe first.
    let severest = attacks.first().copied().filter(|attack| attack.severity.is_some());
    let severe = severest.filter(|attack| attack.severity >= Some(CRITICAL_SEVERITY));
    let judged = || minutes.open_objections().next().map(by_judge);
    let strongest = || attacks.iter().copied().reduce(|best, next| stronger(analysis, best, next));
    let attack = |attack: &StandingAttack| told(minutes, attack);
    let open = severe.map(attack).or_else(judged).or_else(|| severest.or_else(strongest).map(attack));
    open.or_else(|| {
        let of = standing?.of;
        (of > 0)
            .then(|| format!("nothing: {} answered", if of == 1 { "the one attack was" } else { "every attack was" }))
    })
}

/// The attacks on whoever argued for the winner; where there are none, all.
fn relevant<'t>(minutes: &Minutes<'_>, attacks: &'t [StandingAttack]) -> Vec<&'t StandingAttack> {
    let winner = minutes.winner();
    let won = |who: &str| {
        let stance = minutes.admission.spec.persona(&who.into()).and_then(|persona| persona.stance.as_deref());
        winner.is_some_and(|winner| winner == who || stance == Some(winner))
    };
    let on_winner: Vec<&StandingAttack> = attacks.iter().filter(|attack| won(&attack.on)).collect();
    if on_winner.is_empty() { attacks.iter().collect() } else { on_winner }
}

fn stronger<'t>(analysis: Option<&Analysis>, best: &'t StandingAttack, next: &'t StandingAttack) -> &'t StandingAttack {
    let beliefs = analysis.and_then(|analysis| analysis.beliefs.as_ref());
    let strength = |attack: &StandingAttack| {
        let speech = beliefs?.speeches.iter().find(|belief| belief.number == attack.from)?;
        Some(speech.strength)
    };
    if strength(next) > strength(best) { next } else { best }
}

fn by_judge((judge, objection): (&str, &str)) -> String {
    format!("objection that {} calls critical: “{}”", words::who(judge), excerpt(objection, MOST_TEXT))
}

/// `critique by Bruno of Ada in round 2, severity 8 of 10: “…”`.
fn told(minutes: &Minutes<'_>, attack: &StandingAttack) -> String {
    let at = usize::try_from(attack.from).unwrap_or(usize::MAX).saturating_sub(1);
    let entry = minutes.transcript.entries().get(at);
    let place = entry.map(|entry| format!(" in {}", minutes.place(entry.turn.round))).unwrap_or_default();
    let critique = entry.and_then(|entry| {
        let mut of_slot = minutes.critiques().filter(|(other, ..)| other.turn.same_slot(entry.turn));
        of_slot.next().and_then(|(_, _, critique)| critique.issues.first())
    });
    let text = critique.cloned().or_else(|| entry.map(|entry| entry.text.to_string())).unwrap_or_default();
    let what = match attack.severity {
        Some(severity) => format!("critique by {} of {}{place}, severity {severity} of 10", attack.by, attack.on),
        None => format!("attack by {} on {}{place}", attack.by, attack.on),
    };
    excerpt(&format!("{what}, unanswered: “{}”", excerpt(&text, MOST_TEXT)), MOST_TEXT * 2)
}
