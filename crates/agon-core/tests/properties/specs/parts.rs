//! The parts of a debate: who takes part, who decides, what ends the rounds.
use super::{FAILING_EXPRESSION, Genes};
use agon_core::*;

pub fn persona(genes: &mut Genes, n: usize) -> Persona {
    let fallback_models = if genes.one_in(3) { vec![ModelName::from("b")] } else { vec![] };
    let voice = Voice { fallback_models, ..voice(genes.pick(&["a", "c"])) };
    let (name, stance) = (format!("P{n}"), format!("stance {n}"));
    Persona { voice, priority: [3, 1, 2, 3][n % 4], ..testing::persona(&name, stance.as_str()) }
}

pub fn voice(model: &str) -> Voice {
    testing::voice(model, 100)
}

pub fn moderator(genes: &mut Genes, must_open: bool) -> Option<Moderator> {
    if !must_open && !genes.one_in(2) {
        return None;
    }
    let [opens, closes, interjects, warns, clarifies, reflects] = std::array::from_fn(|_| genes.one_in(2));
    let [scores, researches, reconciles, concludes] = std::array::from_fn(|_| genes.one_in(2));
    let interject = genes.pick(&[Interject::EveryRound, Interject::Midpoint, Interject::FinalOnly]);
    let has_duty = interjects || warns || clarifies || reflects;
    Some(Moderator {
        opens: opens || must_open,
        closes,
        interjects,
        warns,
        clarifies,
        reflects,
        scores,
        researches,
        reconciles,
        concludes,
        interject: if has_duty { interject } else { Interject::EveryRound },
        voice: voice("m"),
        ..testing::moderator()
    })
}

pub fn judge(genes: &mut Genes, (judged, votes, ends_rounds): (bool, bool, bool)) -> Judge {
    let panel = if judged || votes { 1 + genes.below(3) } else { 1 };
    Judge {
        orders: if judged { 2 - genes.below(2) } else { 2 },
        anonymize_transcript: !genes.one_in(3),
        shuffle_for_judge: !genes.one_in(3),
        panel,
        panel_models: if panel > 1 && genes.one_in(2) { vec!["j2".into()] } else { vec![] },
        ends_rounds,
        voice: voice("j"),
        ..testing::judge()
    }
}

pub fn voting(genes: &mut Genes, spec: &DebateSpec) -> Voting {
    let rules: Vec<VoteRule> = VoteRule::ALL
        .into_iter()
        .filter(|rule| spec.debate_format != DebateFormat::BpStyle || *rule != VoteRule::AnonymousScoring)
        .collect();
    let rule = genes.pick(&rules);
    let scores = rule == VoteRule::AnonymousScoring;
    let may_judge = !scores && rule != VoteRule::Weighted;
    let voters = if may_judge && genes.one_in(3) { Voters::Judges } else { Voters::Debaters };
    let excludes = voters == Voters::Debaters && spec.personas.len() > 2 && genes.one_in(2);
    Voting {
        rule,
        self_votes: if scores || excludes { SelfVotes::Exclude } else { SelfVotes::Allow },
        voters,
        every_round: !scores && voters == Voters::Debaters && genes.one_in(2),
    }
}

/// What ends the rounds, and what follows the verdict.
pub fn ending(genes: &mut Genes, spec: &mut DebateSpec) {
    for condition in [EndCondition::ConsensusReached, EndCondition::NoNewArguments, EndCondition::Impasse] {
        if genes.one_in(4) {
            spec.end_condition.push(condition);
        }
    }
    if genes.one_in(3) {
        spec.similarity.embedding_model = Some("e".into());
    }
    if genes.one_in(3) {
        spec.synthesizer = Some(Synthesizer { output_schema: None, instructions: None, voice: voice("y") });
    }
    match genes.below(10) {
        6 => spec.terminate_when = Some("turns >= 3".into()),
        7 => spec.terminate_when = Some(FAILING_EXPRESSION.into()),
        8 => spec.budget.tokens = Some(9_000 + u64::from(genes.below(12_000))),
        9 => spec.budget.seconds = Some(9),
        _ => {}
    }
}
