//! Formats, and what only some of them know.
use super::{ProblemList, poll};
use crate::spec::{
    Bench, DebateFormat, DebateSpec, Direction, FormatOptions, Interruptions, Mode, Topology, TurnMode, Visibility,
};

pub(super) fn check(spec: &DebateSpec, found: &mut ProblemList) {
    turn_mode(spec, found);
    visibility(spec, found);
    phases(spec, found);
    moderator(spec, found);
    if spec.debate_format == DebateFormat::BpStyle {
        parliament(spec, found);
    }
    if spec.debate_format == DebateFormat::Fishbowl {
        fishbowl(spec, found);
    }
    poll::check(spec, found);
    options(spec, found);
    topology(spec, found);
}

fn turn_mode(spec: &DebateSpec, found: &mut ProblemList) {
    let Some((allowed, why)) = spec.debate_format.traits().turn_modes else { return };
    found.require(allowed.contains(&spec.turn_mode), &["turn_mode", "debate_format"], || {
        let allowed: Vec<&str> = allowed.iter().map(|mode| mode.as_str()).collect();
        let (mode, format) = (spec.turn_mode.as_str(), spec.debate_format.as_str());
        format!(
            "`turn_mode: {mode}` is not possible in `{format}`: {why}; allowed here: {allowed}",
            allowed = allowed.join(", ")
        )
    });
}

/// Speakers who answer one another cannot speak at once.
fn visibility(spec: &DebateSpec, found: &mut ProblemList) {
    let reacts = spec.turn_mode == TurnMode::ReactionTriggered;
    let why = reacts.then_some("speakers react to the speech before").or(spec.debate_format.traits().one_by_one);
    let Some(why) = why else { return };
    found.require(spec.visibility == Visibility::Sequential, &["visibility", "debate_format", "turn_mode"], || {
        format!("`visibility: simultaneous` is not possible here: {why}; write `visibility: sequential`")
    });
}

fn phases(spec: &DebateSpec, found: &mut ProblemList) {
    let phases = spec.phases;
    let proposes = spec.debate_format == DebateFormat::CritiqueRevision;
    found.require(!proposes || phases.opening_statements, &["phases.opening_statements", "debate_format"], || {
        "`critique_revision` begins with proposals, which are its opening statements: they cannot be switched off"
            .to_owned()
    });
    found.require(!phases.rebuttals || phases.final_statements, &["phases.rebuttals"], || {
        "`rebuttals` answer the final statements, which are off: switch `final_statements` on".to_owned()
    });
}

fn moderator(spec: &DebateSpec, found: &mut ProblemList) {
    let moderator = spec.moderator.as_ref();
    let opens = moderator.is_some_and(|moderator| moderator.opens);
    found.require(spec.turn_mode != TurnMode::Moderator || opens, &["turn_mode", "moderator.opens"], || {
        "`turn_mode: moderator` needs a moderator that opens the rounds: it names the speakers there".to_owned()
    });
    let Some(moderator) = moderator else { return };
    let often = moderator.interject == Default::default() || moderator.has_interjections();
    found.require(often, &["moderator.interject"], || {
        "`interject` says how often the moderator interjects, and it has no such duty: switch `interjects`, `warns`, \
         `clarifies` or `reflects` on"
            .to_owned()
    });
    let decides = spec.consensus_strategy == crate::spec::ConsensusStrategy::MediatorSummary;
    let sums_up =
        moderator.closes || moderator.concludes || moderator.reconciles || moderator.sums_up_midway() || decides;
    let style = moderator.summary_style == Default::default() || sums_up;
    found.require(style, &["moderator.summary_style"], || {
        "`summary_style` says how the moderator sums up, and it never does: switch `closes`, `reconciles` or `concludes` \
         on, or decide by `mediator_summary`"
            .to_owned()
    });
}

/// British Parliamentary has its own shape, and nothing of it can be chosen.
fn parliament(spec: &DebateSpec, found: &mut ProblemList) {
    let count = spec.personas.len();
    found.require(matches!(count, 4 | 8), &["personas", "debate_format"], || {
        format!("`bp_style` needs 4 personas, one for each team, or 8, one for each speech; here are {count}")
    });
    found.require(spec.mode == Mode::Adversarial, &["mode", "debate_format"], || {
        "`bp_style` has a government and an opposition: write `mode: adversarial`".to_owned()
    });
    found.require(spec.max_rounds == 1, &["max_rounds", "debate_format"], || {
        format!("`bp_style` is one round of eight speeches; max_rounds is {}, allowed is 1", spec.max_rounds)
    });
    for (on, key) in [
        (spec.phases.opening_statements, "phases.opening_statements"),
        (spec.phases.final_statements, "phases.final_statements"),
    ] {
        found.require(!on, &[key, "debate_format"], || {
            format!("`bp_style` has eight speeches and no other: `{key}` must be false, which is the default here")
        });
    }
    for (at, persona) in spec.personas.iter().enumerate().filter(|_| matches!(count, 4 | 8)) {
        let bench = Bench::ALL.into_iter().find(|bench| bench.speaker(count) == at);
        let team = bench.and_then(|bench| Bench::TEAMS.get(bench.team()).copied());
        let holds = team.is_none() || persona.stance.as_deref() == team;
        found.require(holds, &[&format!("personas[{at}].stance"), "debate_format"], || {
            let (name, team) = (&persona.name, team.unwrap_or_default());
            format!("in `bp_style` the stance of {name} is its team, {team:?}, by its place in the file: leave it out")
        });
    }
}

fn fishbowl(spec: &DebateSpec, found: &mut ProblemList) {
    let (inner, all) = (spec.format.inner_circle as usize, spec.personas.len());
    found.require(all >= 3, &["personas", "debate_format"], || {
        format!("`fishbowl` needs at least 3 personas, so that somebody sits outside the circle; here are {all}")
    });
    found.require(all < 3 || (2..all).contains(&inner), &["inner_circle", "personas"], || {
        format!("`inner_circle` is {inner}; allowed with {all} personas are 2 to {}", all.saturating_sub(1))
    });
}

/// An option of another format does nothing here.
fn options(spec: &DebateSpec, found: &mut ProblemList) {
    let (given, usual) = (&spec.format, FormatOptions::default());
    let cases = [
        ("inner_circle", given.inner_circle != usual.inner_circle, DebateFormat::Fishbowl),
        ("interruptions", given.interruptions != usual.interruptions, DebateFormat::OpenFight),
        ("points_of_information", given.points_of_information != usual.points_of_information, DebateFormat::BpStyle),
        ("topology", given.topology != usual.topology, DebateFormat::CritiqueRevision),
        ("samples", given.samples != usual.samples, DebateFormat::Poll),
    ];
    for (key, used, format) in cases {
        let holds = !used || spec.debate_format == format;
        found.require(holds, &[key, "debate_format"], || {
            let (wanted, here) = (format.as_str(), spec.debate_format.as_str());
            format!("`{key}` is read by `debate_format: {wanted}` only; here the format is `{here}`")
        });
    }
    let threshold = given.interruption_threshold;
    let unused = threshold != usual.interruption_threshold && given.interruptions == Interruptions::Off;
    found.require(!unused, &["interruption_threshold", "interruptions"], || {
        "`interruption_threshold` needs `interruptions: turn_boundary` or `mid_speech`".to_owned()
    });
    found.require((1..=10).contains(&threshold), &["interruption_threshold"], || {
        format!("`interruption_threshold` is {threshold}; allowed are 1 to 10")
    });
}

fn topology(spec: &DebateSpec, found: &mut ProblemList) {
    let format = &spec.format;
    let critiques = spec.debate_format == DebateFormat::CritiqueRevision;
    let star = critiques && format.topology == Topology::Star;
    let sparse = critiques && format.topology == Topology::Sparse;
    found.require(star || format.hub.is_none(), &["hub", "topology"], || {
        "`hub` needs `debate_format: critique_revision` with `topology: star`".to_owned()
    });
    found.require(star || format.direction == Direction::HubCritiques, &["direction", "topology"], || {
        "`direction` needs `debate_format: critique_revision` with `topology: star`".to_owned()
    });
    let usual = FormatOptions::default().density;
    found.require(sparse || same(format.density, usual), &["density", "topology"], || {
        "`density` needs `debate_format: critique_revision` with `topology: sparse`".to_owned()
    });
    found.require(format.density > 0.0 && format.density <= 1.0, &["density"], || {
        format!("`density` is {}; allowed is more than 0, up to 1", format.density)
    });
    let known = format.hub.as_ref().is_none_or(|hub| spec.persona(hub).is_some());
    found.require(known || !star, &["hub", "personas"], || {
        let names: Vec<&str> = spec.personas.iter().map(|persona| persona.name.as_str()).collect();
        let hub = format.hub.as_ref().map_or("", |hub| hub.as_str());
        format!("`hub` is {hub:?}, which is no persona; the personas are: {}", names.join(", "))
    });
}

fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < f64::EPSILON
}
