//! What a prompt takes as an answer to the topic.

use super::{Brief, MY_ANSWER};

/// What a prompt takes as an answer to the topic, where that is not any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedAnswers {
    /// One of these.
    Options(Vec<String>),
    /// A number in digits.
    Number,
}

impl Brief {
    /// What the turn lists as choices, or says of the line that states an answer; none where it lists the debaters, or nothing.
    pub fn allowed(&self) -> Option<AllowedAnswers> {
        let listed = |line: &'_ str| line.strip_prefix("- choice:").or(line.strip_prefix(MY_ANSWER)).map(str::to_owned);
        let wanted = self.instructions.lines().rev().find_map(listed)?;
        if wanted.contains("one number in digits") {
            return Some(AllowedAnswers::Number);
        }
        let (_, listed) = wanted.split_once("exactly \"")?;
        let listed = listed.get(..listed.rfind('"')?)?;
        let options = listed.split("\", \"").flat_map(|part| part.split("\" or \"")).map(str::to_owned);
        let options: Vec<String> = options.collect();
        let names = options.iter().all(|option| self.cast.iter().any(|debater| debater.name == *option));
        (!names).then_some(AllowedAnswers::Options(options))
    }
}
