//! What the judges quote, and how it stands in the debate.
use super::AnalysisFacts;
use super::beliefs::Beliefs;
use super::sums::share;
use crate::claims::Claims;
use crate::result::VerifiedCount;
use crate::verdict::verified;
use agon_core::Citation;
use serde::Serialize;

/// Claims without a citation that are listed at most.
pub(super) const MOST_UNCITED: usize = 20;

/// What the judges quote. That the words were said is checked, when a judgement is recorded; whether they bear the
/// judge's opinion out is not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictGrounds {
    /// Each citation of all judgements once, in the order of the judgements.
    pub citations: Vec<Ground>,
    /// How many of these were found where they are said to stand.
    pub verified: VerifiedCount,
    /// The same as a share, 0 to 1, to thousandths; absent where nothing is cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The claims of all judgements together.
    pub claims: Claims,
    /// The claims without a citation, each once, in the order of the judgements, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncited: Vec<String>,
}

/// A citation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ground {
    /// The number of the speech in the transcript; absent where the judge named none that there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Who spoke there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The words, as the judge gives them; absent where the debate file keeps the speaker's words out of reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Whether the speech has them; white space, letter case and quotation marks aside.
    pub verified: bool,
    /// Whether the words are too few to be looked up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub too_short: bool,
    /// The strength of the speech, as in `beliefs`; absent of what is not in the argument tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
}

pub(super) fn of(facts: &AnalysisFacts<'_, '_>, beliefs: Option<&Beliefs>) -> Option<VerdictGrounds> {
    let visible = &facts.minutes.visible;
    facts.minutes.judgements().next().filter(|_| visible.debaters.history && visible.judge.history)?;
    let citations = facts.minutes.citations();
    let (claims, uncited) = claims(facts);
    let verified = VerifiedCount { verified: verified(&citations), total: citations.len() };
    Some(VerdictGrounds {
        share: share(verified.verified as u64, verified.total as u64),
        verified,
        claims,
        uncited,
        citations: citations.into_iter().map(|citation| ground(facts, beliefs, citation)).collect(),
    })
}

fn claims(facts: &AnalysisFacts<'_, '_>) -> (Claims, Vec<String>) {
    let (mut counted, mut uncited) = (Claims::default(), Vec::<String>::new());
    for claim in facts.minutes.judgements().filter_map(|(entry, judged)| facts.minutes.claims(entry, judged)).flatten()
    {
        counted.total = counted.total.saturating_add(1);
        if claim.cited {
            continue;
        }
        counted.uncited = counted.uncited.saturating_add(1);
        if uncited.len() < MOST_UNCITED && !uncited.iter().any(|known| known == claim.text) {
            uncited.push(claim.text.to_owned());
        }
    }
    (counted, uncited)
}

fn ground(facts: &AnalysisFacts<'_, '_>, beliefs: Option<&Beliefs>, citation: &Citation) -> Ground {
    let number = number(facts, citation);
    let speaker = citation.participant.as_ref().map(ToString::to_string);
    let hidden = speaker.as_deref().is_some_and(|speaker| !facts.minutes.shows(speaker));
    let of = |number| beliefs?.speeches.iter().find(|belief| belief.number == number);
    Ground {
        number,
        speaker,
        quote: (!hidden).then(|| citation.quote.clone()),
        verified: citation.verified,
        too_short: citation.too_short,
        strength: number.and_then(of).map(|belief| belief.strength),
    }
}

/// Point and reply share a slot, so the speaker decides too.
fn number(facts: &AnalysisFacts<'_, '_>, citation: &Citation) -> Option<u32> {
    let turn = citation.turn?;
    let numbered = (1..).zip(facts.minutes.transcript.entries());
    let mut slot = numbered.filter(|(_, entry)| entry.turn.same_slot(turn));
    slot.find(|(_, entry)| citation.participant.as_ref().is_none_or(|who| *who == entry.participant))
        .map(|(number, _)| number)
}
