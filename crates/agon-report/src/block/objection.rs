//! The strongest objection that nobody answered.
use super::{explained, labels};
use crate::analysis::{Analysis, StandingAttack, StandingAttacks};
use crate::minutes::{Minutes, MinutesEntry};
use crate::text::excerpt;
use crate::words;
use agon_core::{Critique, ParticipantId, SpeechKind, TurnId};

/// Characters of the objection that the block shows, and a report.
const MOST_TEXT: usize = 320;
const MOST_BRIEF: usize = 160;

/// What is left open, in words.
#[derive(Clone, Debug)]
pub(crate) struct UnansweredObjection {
    pub(crate) text: String,
    /// The same for a report, which has the whole below.
    pub(crate) brief: String,
    /// Where it was said, where that is one contribution.
    pub(crate) turn: Option<TurnId>,
}

impl UnansweredObjection {
    /// What `told` says with so many characters of the objection.
    fn of(turn: Option<TurnId>, told: impl Fn(usize) -> String) -> Self {
        Self { text: told(MOST_TEXT), brief: told(MOST_BRIEF), turn }
    }
}

/// The strongest objection left open, and what it is. In this order: a severe critique that no revision names, what a judge calls a critical
/// objection, any other critique, the attack by the strongest speech. Where somebody argued for the winner, only what is
/// said against them counts.
pub(super) fn of(minutes: &Minutes<'_>, analysis: Option<&Analysis>) -> Option<UnansweredObjection> {
    let standing = analysis.and_then(|analysis| analysis.disagreement.standing.as_ref());
    let relevant = standing.map(|standing| relevant(minutes, &standing.attacks)).unwrap_or_default();
    let (last, attacks): (Vec<_>, Vec<_>) = relevant.into_iter().partition(|attack| is_closing(minutes, attack));
    // Critiques stand before other attacks, the most severe first.
    let severest = attacks.first().copied().filter(|attack| attack.severity.is_some());
    // What makes a consensus contested is what is left open.
    let severe = minutes.open_critique().filter(|(_, of, _)| concerns(minutes, of.as_str()));
    let judged = || {
        minutes.open_objections().next().map(|one| UnansweredObjection::of(None, |most| by_judge(minutes, one, most)))
    };
    // What could have been answered weighs more than what came too late for that.
    let (early, late): (Vec<_>, Vec<_>) = attacks.iter().copied().partition(|attack| could_answer(minutes, attack));
    let best = |attacks: Vec<_>| attacks.into_iter().reduce(|best, next| stronger(analysis, best, next));
    let strongest = || best(early).or_else(|| best(late));
    let attack = |attack: &StandingAttack| {
        let turn = entry_of(minutes, attack).map(|entry| entry.turn);
        UnansweredObjection::of(turn, |most| told(minutes, attack, most))
    };
    let open = severe
        .map(|severe| UnansweredObjection::of(Some(severe.0.turn), |most| told_severe(minutes, severe, most)))
        .or_else(judged)
        .or_else(|| severest.or_else(strongest).map(attack));
    open.or_else(|| nothing(standing, !last.is_empty(), minutes.winner().is_some()))
}

/// That nothing is left open, where that is known.
fn nothing(standing: Option<&StandingAttacks>, only_closings: bool, won: bool) -> Option<UnansweredObjection> {
    if only_closings {
        let closings = "only final statements were left unanswered";
        let text = format!("nothing that anybody could answer: {closings}");
        let brief = if won { format!("against the winner, {closings}") } else { closings.to_owned() };
        return Some(UnansweredObjection { text, brief, turn: None });
    }
    // Of very many only the first are listed.
    let listed = |standing: &&StandingAttacks| standing.of > 0 && standing.total as usize == standing.attacks.len();
    let standing = standing.filter(listed)?;
    let on_winner = "no attack on the winner was left unanswered";
    let left = if standing.total == 0 { "every attack was answered" } else { on_winner };
    Some(UnansweredObjection { text: format!("nothing: {left}"), brief: left.to_owned(), turn: None })
}

/// The attacks on whoever argued for the winner; where nobody did, all.
fn relevant<'t>(minutes: &Minutes<'_>, attacks: &'t [StandingAttack]) -> Vec<&'t StandingAttack> {
    attacks.iter().filter(|attack| concerns(minutes, &attack.on)).collect()
}

/// Whether what is said against this debater is said against the winner; where nobody argued for the winner, against anybody.
fn concerns(minutes: &Minutes<'_>, on: &str) -> bool {
    let winner = minutes.winner();
    let won = |who: &str| {
        let stance = minutes.admission.spec.persona(&who.into()).and_then(|persona| persona.stance.as_deref());
        winner.is_some_and(|winner| winner == who || stance == Some(winner))
    };
    won(on) || !minutes.admission.spec.personas.iter().any(|persona| won(persona.name.as_str()))
}

/// Whether it was made in a final statement, which nobody is expected to answer.
fn is_closing(minutes: &Minutes<'_>, attack: &StandingAttack) -> bool {
    let Some(attacker) = entry_of(minutes, attack) else { return false };
    let mut speeches = minutes.speeches().filter(|(entry, _)| entry.turn.same_slot(attacker.turn));
    speeches.any(|(_, speech)| speech.kind == SpeechKind::Closing)
}

/// Whether whoever is attacked spoke again, and so could have answered.
fn could_answer(minutes: &Minutes<'_>, attack: &StandingAttack) -> bool {
    let Some(attacker) = entry_of(minutes, attack) else { return true };
    let mut speeches = minutes.speeches();
    speeches.any(|(entry, _)| entry.turn > attacker.turn && entry.participant == attack.on)
}

fn entry_of<'m>(minutes: &'m Minutes<'_>, attack: &StandingAttack) -> Option<&'m agon_core::Entry> {
    let at = usize::try_from(attack.from).unwrap_or(usize::MAX).saturating_sub(1);
    minutes.transcript.entries().get(at)
}

fn stronger<'t>(analysis: Option<&Analysis>, best: &'t StandingAttack, next: &'t StandingAttack) -> &'t StandingAttack {
    let beliefs = analysis.and_then(|analysis| analysis.beliefs.as_ref());
    let strength = |attack: &StandingAttack| {
        let speech = beliefs?.speeches.iter().find(|belief| belief.number == attack.from)?;
        Some(speech.strength)
    };
    if strength(next) > strength(best) { next } else { best }
}

fn by_judge(minutes: &Minutes<'_>, (judge, objection): (&str, &str), most: usize) -> String {
    let objection = excerpt(objection, most);
    let judge = words::office(judge).to_lowercase();
    let text = format!("objection that the {judge} calls critical: “{objection}”");
    explained(&text, &labels(minutes, &objection))
}

/// By whom, of whom, and what.
type SevereCritique<'m> = (&'m MinutesEntry<'m>, &'m ParticipantId, &'m Critique);

/// `critique by Bruno of Ada in round 2, severity 8 of 10, neither accepted nor declined: “…”`.
fn told_severe(minutes: &Minutes<'_>, (entry, of, critique): SevereCritique<'_>, most: usize) -> String {
    let issue = excerpt(critique.issues.first().map_or("", String::as_str), most);
    let (by, place, severity) = (entry.participant, minutes.place(entry.turn.round), critique.severity);
    let what = format!("critique by {by} of {of} in {place}, severity {severity} of 10, neither accepted nor declined");
    excerpt(&format!("{what}: “{issue}”"), MOST_TEXT * 2)
}

/// `critique by Bruno of Ada in round 2, severity 5 of 10: “…”`.
fn told(minutes: &Minutes<'_>, attack: &StandingAttack, most: usize) -> String {
    let entry = entry_of(minutes, attack);
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
    // After critiques there is always a revision.
    let in_time = attack.severity.is_some() || could_answer(minutes, attack);
    let answer = if in_time { "unanswered" } else { "too late to be answered" };
    excerpt(&format!("{what}, {answer}: “{}”", excerpt(&text, most)), MOST_TEXT * 2)
}
