//! How much a debate file may unfold to.
use agon_core::{MAX_EXPRESSION_STEPS, MOST_EXPRESSION_STEPS};
use agon_schema::{MAX_NODES, MOST_NODES};
use serde::{Deserialize, Serialize};

/// How much a debate file may unfold to when it is admitted. A debate that was admitted is held to [`Limits::MOST`] alone, so that it goes
/// on in every process, whatever the limits there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Steps of `terminate_when`.
    pub expression_steps: u64,
    /// Nodes of `output_schema`, references counted each time they are used.
    pub schema_nodes: u64,
    /// Bytes of all texts of a file, aliases counted each time they are used.
    pub expanded_bytes: u64,
    /// Variables (`{{topic}}` and the like) of one text.
    pub variables: u64,
}

impl Limits {
    /// The most that each limit may be.
    pub const MOST: Self = Self {
        expression_steps: MOST_EXPRESSION_STEPS,
        schema_nodes: MOST_NODES,
        expanded_bytes: 8 * 1024 * 1024,
        variables: 1_000,
    };

    /// How an operator allows more of a limit, of which `most` is allowed at the utmost.
    pub(crate) fn raised(name: &str, most: u64) -> String {
        format!("the setting `limits.{name}` of the process that admits the debate allows up to {most}")
    }

    /// What is wrong with them, each with its name.
    pub fn problems(&self) -> Vec<String> {
        let most = Self::MOST;
        let all = [
            ("expression_steps", self.expression_steps, most.expression_steps),
            ("schema_nodes", self.schema_nodes, most.schema_nodes),
            ("expanded_bytes", self.expanded_bytes, most.expanded_bytes),
            ("variables", self.variables, most.variables),
        ];
        let wrong = all.into_iter().filter(|(_, value, most)| !(1..=*most).contains(value));
        wrong.map(|(name, value, most)| format!("{name}: {value}; from 1 to {most} is allowed")).collect()
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            expression_steps: MAX_EXPRESSION_STEPS,
            schema_nodes: MAX_NODES,
            expanded_bytes: 4 * 1024 * 1024,
            variables: 100,
        }
    }
}
