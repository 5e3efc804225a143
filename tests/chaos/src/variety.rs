//! Debates of every kind, so that their logs hold every kind of event.
use agon_testkit::cluster::MODEL;

/// The kinds: all that stands in the file but topic and model.
const KINDS: [&str; 8] = [
    "max_rounds: 2\npersonas:\n- {name: Ada, stance: yes}\n- {name: Bo, stance: no}\n- {name: Cy, stance: later}\n",
    "debate_format: fishbowl\ninner_circle: 2\nmax_rounds: 2\nconsensus_strategy: vote\nvoting: {rule: plurality}\npersonas:\n\
     - {name: Ada, stance: yes}\n- {name: Bo, stance: no}\n- {name: Cy, stance: later}\n- {name: Di, stance: never}\n",
    "debate_format: open_fight\ninterruptions: mid_speech\nmax_rounds: 1\nmoderator: {type: active, interject: midpoint}\n\
     personas:\n- {name: Ada, stance: yes}\n- {name: Bo, stance: no}\n- {name: Cy, stance: later}\n",
    "debate_format: socratic\nmax_rounds: 2\npersonas:\n- {name: Ada, stance: yes}\n- {name: Bo, stance: no}\n",
    "debate_format: critique_revision\nmode: deliberative\ntopology: ring\nmax_rounds: 2\nconsensus_strategy: vote\n\
     voting: {rule: borda}\npersonas: [{name: Ada}, {name: Bo}, {name: Cy}]\n",
    "mode: deliberative\nmax_rounds: 3\nmemory: summarize_past\nsummarize_every: 1\n\
     end_condition: [rounds_exhausted, no_new_arguments]\n\
     personas: [{name: Ada, reflection: true}, {name: Bo, evolution: true}]\n",
    "max_rounds: 1\nmoderator: {type: tool_agent, scores: true, concludes: true, tools: [documents]}\npersonas:\n\
     - {name: Ada, stance: yes, tools: [documents]}\n- {name: Bo, stance: no}\n",
    "debate_format: bp_style\npoints_of_information: true\nconsensus_strategy: ranked_reasons\njudge: {panel: 3}\n\
     personas: [{name: Ada}, {name: Bo}, {name: Cy}, {name: Di}]\n",
];

/// The settings of hosts that the debates need: the tool that some of them name.
pub fn settings() -> String {
    let material = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/material");
    format!("[tools.documents]\nkind = \"rag\"\npaths = [{material:?}]\n")
}

/// A debate file. The kinds come in turn, by the number at the end of the id, and no two debates have the same prompts.
pub fn file(id: &str) -> String {
    let number: usize = id.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or_default();
    let kind = KINDS.get(number % KINDS.len()).copied().unwrap_or_default();
    format!("topic: Should {id} be tried?\nmodel: {MODEL}\n{kind}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_spec::{Defaults, Source};

    #[test]
    fn every_kind_is_a_debate_file_and_its_turn_comes() {
        let topics: Vec<String> = (0..KINDS.len()).map(|n| file(&format!("some-{n:05}"))).collect();
        for (text, kind) in topics.iter().zip(KINDS) {
            let read = agon_spec::parse(&Source::new("a.yaml", text.clone()), &Defaults::default());
            assert!(read.spec.is_some() && text.ends_with(kind), "{text}{:?}", read.diagnostics);
        }
    }
}
