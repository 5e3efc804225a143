//! Example files with other orders and other ways to decide.
use crate::support::{World, example};

/// A debate file in its full form, whose keys can be set one by one.
pub struct FormatFile(String);

impl FormatFile {
    /// The example of a format, every default filled in.
    pub fn example(world: &World, format: &str) -> Self {
        Self::full(world, &example(&format!("formats/{format}.md")))
    }

    /// A file, every default filled in.
    pub fn full(world: &World, path: &str) -> Self {
        Self(world.agon(&["check", path, "--normalized"]).ok().stdout)
    }

    /// Without a key of the top level.
    pub fn without(mut self, key: &str) -> Self {
        let mut kept = String::new();
        let mut dropping = false;
        for line in self.0.lines() {
            let nested = line.starts_with([' ', '-', '}', ']']) || line.is_empty();
            dropping = line.split(':').next() == Some(key) || dropping && nested;
            if !dropping {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        self.0 = kept;
        self
    }

    /// With a key of the top level set to this YAML.
    pub fn with(self, key: &str, value: &str) -> Self {
        let mut file = self.without(key);
        file.0.push_str(&format!("{key}: {value}\n"));
        file
    }

    /// With another turn order, and a moderator where it needs one.
    pub fn ordered(self, order: &str) -> Self {
        let file = self.with("turn_mode", order);
        let file = if order == "reaction_triggered" { file.with("visibility", "sequential") } else { file };
        let file = if order == "priority_order" { file.prioritised() } else { file };
        if order == "moderator" { file.with("moderator", "{opens: true, closes: true, model: m}") } else { file }
    }

    /// With a priority for each persona, so that the last of the file speaks first and two are equal.
    fn prioritised(mut self) -> Self {
        let mut personas = 0;
        let ranked = |line: &str| match line.strip_prefix("  - name: ") {
            Some(_) => {
                personas += 1;
                format!("{line}\n    priority: {}\n", personas / 2)
            }
            None => format!("{line}\n"),
        };
        self.0 = self.0.lines().map(ranked).collect();
        self
    }

    /// Decided in another way, with what that needs and without what it does not.
    pub fn decided(self, strategy: &str) -> Self {
        let chosen = self.0.contains("turn_mode: moderator");
        let mut file = self.without("judge").without("voting").with("consensus_strategy", strategy);
        if strategy == "mediator_summary" && !chosen {
            file = file.with("moderator", "{opens: false, closes: true, model: m}");
        }
        if strategy == "agent_closing" && !file.0.contains("debate_format: bp_style") {
            file = file.with("phases", "{opening_statements: true, final_statements: true}");
        }
        file
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Writes it into the world, and gives its path.
    pub fn write(&self, world: &World, name: &str) -> String {
        world.file(&format!("{name}.yaml"), &self.0)
    }
}
