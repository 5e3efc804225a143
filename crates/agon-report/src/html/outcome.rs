//! Verdict, dissent, ballots and votes.
use super::badges::badge;
use super::clean;
use super::key::{self, KeyView};
use super::view::{anchor, class};
use crate::minutes::{Choice, Entry, Judged, Minutes};
use crate::text::{excerpt, one_line};
use crate::verdict::{checked, verified};
use crate::words;
use agon_core::{BallotStage, Citation, ParticipantId};

pub(super) struct VerdictView {
    pub(super) answer: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) key: Option<KeyView>,
    pub(super) citations: Vec<CitationView>,
    pub(super) verified: usize,
    /// How many claims of the reasoning have no citation.
    pub(super) claims: Option<String>,
}
pub(super) struct CitationView {
    pub(super) quote: String,
    pub(super) who: String,
    pub(super) href: Option<String>,
    pub(super) place: String,
    pub(super) verified: bool,
    pub(super) check: &'static str,
}

pub(super) struct Dissent {
    pub(super) order_sensitive: bool,
    pub(super) judgements: Vec<JudgementView>,
    pub(super) lost: Vec<LostPosition>,
    pub(super) against: Vec<BallotView>,
}
pub(super) struct JudgementView {
    pub(super) judge: &'static str,
    pub(super) order: u32,
    pub(super) winner: Option<String>,
    /// How many of its quotations were found, and how many of its claims have none.
    pub(super) checked: String,
    pub(super) verdict: String,
    pub(super) reasoning: String,
    pub(super) key: Option<KeyView>,
}
pub(super) struct LostPosition {
    pub(super) position: String,
    pub(super) last: Option<LastWord>,
}
pub(super) struct LastWord {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) href: String,
    pub(super) text: String,
}

pub(super) struct Ballots {
    pub(super) rows: Vec<BallotRow>,
    pub(super) initial: bool,
    pub(super) majority: Option<&'static str>,
    pub(super) moved: usize,
}
pub(super) struct BallotRow {
    pub(super) class: String,
    pub(super) initial: String,
    pub(super) name: String,
    pub(super) before: Option<BallotView>,
    pub(super) after: Option<BallotView>,
    pub(super) moved: bool,
}
pub(super) struct BallotView {
    pub(super) name: String,
    pub(super) choice: String,
    /// How sure the voter says it is, if that was asked.
    pub(super) sure: String,
    pub(super) reasons: Vec<String>,
}

impl BallotView {
    /// The reasons on one line.
    pub(super) fn told(&self) -> String {
        words::reasons(&self.reasons)
    }
}

pub(super) fn verdict(minutes: &Minutes<'_>) -> Option<VerdictView> {
    let verdict = minutes.verdict?;
    // What the head of the page shows already is not shown again.
    let answer = verdict.verdict.filter(|verdict| minutes.answer().and_then(|answer| answer.text) != Some(*verdict));
    if answer.is_none() && verdict.reasoning.is_none() {
        return None;
    }
    let citations = minutes.citations();
    Some(VerdictView {
        answer: answer.map(clean::speech),
        reasoning: verdict.reasoning.map(clean::speech),
        key: minutes.deciding().and_then(|(entry, judged)| key::of(minutes, entry, judged)),
        verified: verified(&citations),
        claims: minutes.verdict_claims().and_then(words::claims),
        citations: citations.into_iter().map(|citation| citation_view(minutes, citation)).collect(),
    })
}

fn citation_view(minutes: &Minutes<'_>, citation: &Citation) -> CitationView {
    let spoken = citation.turn.filter(|turn| minutes.speeches().any(|(entry, _)| entry.turn.same_slot(*turn)));
    CitationView {
        quote: one_line(&citation.quote),
        who: citation.participant.as_ref().map_or_else(|| "nobody".to_owned(), |who| one_line(who.as_str())),
        href: spoken.map(anchor),
        place: citation.turn.map_or_else(|| "no such speech".to_owned(), |turn| minutes.place(turn.round)),
        verified: citation.verified,
        check: checked(citation.verified, citation.too_short),
    }
}

pub(super) fn dissent(minutes: &Minutes<'_>) -> Option<Dissent> {
    let order_sensitive = minutes.order_sensitive();
    let lost: Vec<_> = minutes.lost().into_iter().map(|position| lost_position(minutes, position)).collect();
    let against: Vec<_> = minutes.dissenting().into_iter().map(|(entry, choice)| ballot(entry, choice)).collect();
    if lost.is_empty() && against.is_empty() && !order_sensitive {
        return None;
    }
    let readings = minutes.judgements().filter(|_| order_sensitive);
    let judgements = readings.map(|(entry, judged)| judgement(minutes, entry, judged)).collect();
    Some(Dissent { order_sensitive, judgements, lost, against })
}

fn judgement<'a>(minutes: &Minutes<'a>, entry: &Entry<'a>, judged: Judged<'a>) -> JudgementView {
    JudgementView {
        judge: words::office(entry.participant),
        order: judged.order.saturating_add(1),
        winner: judged.winner.map(one_line),
        checked: minutes.checked(entry, judged),
        verdict: clean::speech(judged.verdict),
        reasoning: clean::speech(judged.reasoning),
        key: key::of(minutes, entry, judged),
    }
}

fn lost_position(minutes: &Minutes<'_>, position: &str) -> LostPosition {
    let last = minutes.last_word(position).map(|(entry, speech)| LastWord {
        class: class(minutes, entry.participant),
        name: one_line(entry.participant),
        href: anchor(entry.turn),
        text: excerpt(&speech.text, 280),
    });
    LostPosition { position: one_line(position), last }
}

pub(super) fn ballot(entry: &Entry<'_>, choice: Choice<'_>) -> BallotView {
    BallotView {
        name: one_line(entry.participant),
        choice: match choice.choices {
            [] => one_line(choice.choice),
            choices => one_line(&choices.join(", ")),
        },
        sure: words::sure(choice.confidence),
        reasons: choice.reasons.iter().map(|reason| one_line(reason)).collect(),
    }
}

pub(super) fn ballots(minutes: &Minutes<'_>) -> Option<Ballots> {
    let cast = |stage, name: &ParticipantId| {
        let found = minutes.ballots(stage).find(|(entry, _)| entry.participant == name.as_str());
        found.map(|(entry, choice)| ballot(entry, choice))
    };
    let rows: Vec<BallotRow> = minutes
        .admission
        .spec
        .personas
        .iter()
        .map(|persona| BallotRow {
            class: class(minutes, persona.name.as_str()),
            initial: badge(minutes, persona.name.as_str()),
            name: one_line(persona.name.as_str()),
            before: cast(BallotStage::Initial, &persona.name),
            after: cast(BallotStage::Final, &persona.name),
            moved: minutes.verdict.is_some_and(|verdict| verdict.moved.contains(&persona.name)),
        })
        .collect();
    if rows.iter().all(|row| row.before.is_none() && row.after.is_none()) {
        return None;
    }
    let initial = rows.iter().any(|row| row.before.is_some());
    Some(Ballots {
        initial,
        majority: minutes
            .verdict
            .filter(|_| initial)
            .map(|verdict| words::majority(verdict.majority, verdict.winner.is_some())),
        moved: rows.iter().filter(|row| row.moved).count(),
        rows,
    })
}
