//! What follows from a file and is worth knowing before the debate begins.
use agon_core::{Bench, DebateFormat, DebateSpec};

/// One sentence for each thing that a reader could not see in the file: who speaks for which team in `bp_style`.
pub fn notes(spec: &DebateSpec) -> Vec<String> {
    if spec.debate_format != DebateFormat::BpStyle {
        return Vec::new();
    }
    let role = |(at, persona): (usize, &agon_core::Persona)| {
        let count = spec.personas.len();
        let benches: Vec<Bench> = Bench::ALL.into_iter().filter(|bench| bench.speaker(count) == at).collect();
        let team = benches.first().and_then(|bench| Bench::TEAMS.get(bench.team()).copied())?;
        let titles: Vec<&str> = benches.into_iter().map(Bench::title).collect();
        Some(format!("{} speaks for {team}: {}", persona.name, titles.join(" and ")))
    };
    spec.personas.iter().enumerate().filter_map(role).collect()
}
