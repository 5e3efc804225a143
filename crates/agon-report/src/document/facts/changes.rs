//! Who ended with another answer than it began with.
use super::FactLine;
use crate::minutes::Minutes;
use crate::text::{excerpt, one_line};
use crate::words::{self, counted};
use agon_core::tally::same_answer;
use agon_core::{BallotStage, DebateSpec};

/// Changes that are told, and names in each.
const MOST: usize = 4;
const MOST_NAMED: usize = 6;
/// Characters of an answer.
const MOST_ANSWER: usize = 60;

/// What somebody held at first and in the end.
struct HeldEnds<'m> {
    who: &'m str,
    ends: Option<(&'m str, &'m str)>,
}

/// Who changed, from what to what; that nobody did, as far as both ends are known.
pub(super) fn lines(minutes: &Minutes<'_>) -> Vec<FactLine> {
    if minutes.admission.spec.is_poll() {
        return Vec::new();
    }
    let by_ballots = held(minutes, ballots);
    let (what, held) = match by_ballots.iter().any(|one| one.ends.is_some()) {
        true => ("ballot", by_ballots),
        false => ("answer", held(minutes, stated)),
    };
    let known = held.iter().filter(|one| one.ends.is_some()).count();
    let moves = moves(&minutes.admission.spec, &held);
    if moves.is_empty() {
        return nobody(what, known, held.len()).into_iter().collect();
    }
    let more = moves.len().saturating_sub(MOST);
    let more =
        (more > 0).then(|| FactLine::of(format!("and {}", counted(more as u64, "other change", "other changes"))));
    moves.iter().take(MOST).map(told).chain(more).collect()
}

/// From which answer to which, and who.
type Move<'m> = (&'m str, &'m str, Vec<&'m str>);

fn moves<'m>(spec: &DebateSpec, held: &[HeldEnds<'m>]) -> Vec<Move<'m>> {
    let mut moves: Vec<Move<'m>> = Vec::new();
    for one in held {
        let Some((from, to)) = one.ends.filter(|(first, last)| !alike(spec, first, last)) else { continue };
        match moves.iter_mut().find(|(first, last, _)| alike(spec, first, from) && alike(spec, last, to)) {
            Some((.., names)) => names.push(one.who),
            None => moves.push((from, to, vec![one.who])),
        }
    }
    moves
}

/// `Ada and Bruno changed from “Wait a year” to “Invest now”`.
fn told((from, to, names): &Move<'_>) -> FactLine {
    let quoted = |answer| excerpt(answer, MOST_ANSWER);
    FactLine::of(format!("{} changed from “{}” to “{}”", self::names(names), quoted(from), quoted(to)))
}

fn names(all: &[&str]) -> String {
    let mut told: Vec<String> = all.iter().take(MOST_NAMED).map(|who| one_line(words::who(who))).collect();
    let more = all.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    match told.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

/// Whether two answers are the same for those who count them.
fn alike(spec: &DebateSpec, one: &str, other: &str) -> bool {
    if spec.ballots_on_proposals() { same_answer(one, other) } else { spec.same_answer(one, other) }
}

fn nobody(what: &str, known: usize, all: usize) -> Option<FactLine> {
    match known {
        0 => None,
        _ if known == all => Some(FactLine::of(format!("nobody changed their {what}"))),
        1 => Some(FactLine::of(format!("the one debater whose {what}s are both known did not"))),
        _ => Some(FactLine::of(format!("none of the {known} debaters whose {what}s are both known did"))),
    }
}

type EndsOf = for<'m> fn(&'m Minutes<'_>, &str) -> Option<(&'m str, &'m str)>;

fn held<'m>(minutes: &'m Minutes<'_>, ends: EndsOf) -> Vec<HeldEnds<'m>> {
    let personas = minutes.admission.spec.personas.iter().map(|persona| persona.name.as_str());
    personas.map(|who| HeldEnds { who, ends: ends(minutes, who) }).collect()
}

/// The ballot before the debate and the one after it.
fn ballots<'m>(minutes: &'m Minutes<'_>, who: &str) -> Option<(&'m str, &'m str)> {
    let of = |stage| minutes.ballots(stage).find(|(entry, _)| entry.participant == who);
    let (_, first) = of(BallotStage::Initial)?;
    let (_, last) = of(BallotStage::Final)?;
    Some((first.choice, last.choice))
}

/// The first and the last answer that its speeches name.
fn stated<'m>(minutes: &'m Minutes<'_>, who: &str) -> Option<(&'m str, &'m str)> {
    let own = minutes.speeches().filter(|(entry, _)| entry.participant == who);
    let mut answers = own.filter_map(|(_, speech)| speech.answer.as_deref());
    let first = answers.next()?;
    Some((first, answers.last()?))
}
