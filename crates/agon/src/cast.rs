//! A cast for a topic, proposed by a model as structured output.
use crate::servers::ReachableServer;
use agon_core::CallOptions;
use agon_llm::{ChatMessage, ChatRequest, Discard};
use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// What a model proposes.
#[derive(Clone, Debug, Deserialize)]
pub struct Proposal {
    personas: Vec<Proposed>,
}

#[derive(Clone, Debug, Deserialize)]
struct Proposed {
    name: String,
    role: String,
    stance: String,
}

const RULES: &str = "\
You cast debates. For the topic you are given, propose personas whose stances differ in substance, so that each is the \
strongest honest case for one answer. Names are one or two words and differ. A role is one sentence on who speaks and what \
they know. A stance is one sentence that answers the topic.";

/// Asks `model` for `size` personas.
pub async fn propose(server: &ReachableServer, model: &str, topic: &str, size: usize) -> anyhow::Result<Proposal> {
    let ask = format!("Topic: {}\n\nPropose exactly {size} personas.", agon_report::plain(topic));
    let request = ChatRequest {
        format: Some(Arc::new(schema(size))),
        options: CallOptions {
            max_tokens: Some(200 + 150 * u32::try_from(size).unwrap_or(16)),
            ..CallOptions::default()
        },
        timeouts: server.timeouts(),
        ..ChatRequest::new(model, vec![ChatMessage::system(RULES), ChatMessage::user(ask)])
    };
    let answer = server.client.chat(&request, &mut Discard).await.context("the model did not propose a cast")?;
    let proposal: Proposal =
        serde_json::from_str(&answer.text).context("the model's cast is not of the form that was asked for")?;
    if proposal.personas.len() != size {
        bail!("the model proposed {} personas where {size} were asked for", proposal.personas.len());
    }
    Ok(proposal.told_apart())
}

fn schema(size: usize) -> serde_json::Value {
    let text = |longest: u32| json!({"type": "string", "minLength": 2, "maxLength": longest});
    json!({
        "type": "object",
        "properties": {"personas": {
            "type": "array", "minItems": size, "maxItems": size,
            "items": {
                "type": "object",
                "properties": {"name": text(40), "role": text(200), "stance": text(200)},
                "required": ["name", "role", "stance"], "additionalProperties": false
            }
        }},
        "required": ["personas"], "additionalProperties": false
    })
}

impl Proposal {
    /// Small models repeat themselves: names and stances get a number where they are not the first of their kind.
    fn told_apart(mut self) -> Self {
        let (mut names, mut stances) = (BTreeSet::new(), BTreeSet::new());
        for persona in &mut self.personas {
            persona.name = unused(&agon_report::one_line(&persona.name), &mut names);
            persona.stance = unused(&agon_report::one_line(&persona.stance), &mut stances);
            persona.role = agon_report::one_line(&persona.role);
        }
        self
    }

    /// The proposal as a debate file.
    pub fn debate_file(&self, topic: &str, model: &str, rehearsal: bool) -> String {
        let by = if rehearsal {
            "Rehearsal: a scripted cast, no model proposed it."
        } else {
            "Proposed by a model: read it before you use it."
        };
        let mut text =
            format!("---\n# {by}\nmode: adversarial\nmax_rounds: 2\nmodel: {}\n\npersonas:\n", quoted(model));
        for Proposed { name, role, stance } in &self.personas {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "  - name: {}\n    stance: {}\n    role: {}\n",
                quoted(name),
                quoted(stance),
                quoted(role)
            );
        }
        let topic = agon_report::one_line(topic);
        let _ = write!(text, "---\n\n# {topic}\n\nWhat everybody should know before speaking.\n");
        text
    }
}

fn unused(text: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{text} {n}"));
    let free = std::iter::once(text.to_owned()).chain(numbered).find(|name| taken.insert(name.to_lowercase()));
    free.unwrap_or_else(|| text.to_owned())
}

/// A JSON string is a YAML string.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_stances_that_come_twice_are_told_apart() {
        let same = || Proposed { name: "Ada".into(), role: "r\nole".into(), stance: "yes".into() };
        let proposal = Proposal { personas: vec![same(), same()] }.told_apart();
        let text = proposal.debate_file("Tea?", "m:1", false);
        let parsed = agon_spec::parse(&agon_spec::Source::new("a.md", text), &agon_spec::Defaults::default());
        let names: Vec<_> = parsed.spec.unwrap().personas.iter().map(|persona| persona.name.to_string()).collect();
        assert_eq!(names, ["Ada", "Ada 2"]);
    }
}
