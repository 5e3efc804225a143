//! What was read from where, for whoever checks a file.
use super::rows::DataRows;
use super::{DataShape, DataSyntax, members};
use crate::{Gold, Question};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What was read from where in a file of questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DataMapping {
    /// How the file is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax: Option<DataSyntax>,
    /// Its shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<DataShape>,
    /// Rows of the file.
    pub rows: u32,
    /// The members that were found, in the order of the reference.
    pub members: Vec<MappedMember>,
    /// What the file has besides; nothing of it is used.
    pub unused: Vec<String>,
    /// Questions by kind.
    pub kinds: BTreeMap<String, u32>,
    /// Different categories.
    pub categories: u32,
    /// Clusters of questions with a common source, where groups are given.
    pub groups: u32,
}

/// A member of questions, and where it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MappedMember {
    /// Its name here.
    pub member: String,
    /// Its names in the file.
    pub from: Vec<String>,
    /// Questions that have it.
    pub questions: u32,
}

impl DataMapping {
    pub(super) fn of(syntax: DataSyntax, shape: DataShape, rows: &DataRows) -> Self {
        let rows = u32::try_from(rows.list.len()).unwrap_or(u32::MAX);
        Self { syntax: Some(syntax), shape: Some(shape), rows, ..Self::default() }
    }

    /// A question has this member, called so in the file.
    pub(super) fn found(&mut self, member: &str, path: &str) {
        if let Some(known) = self.members.iter_mut().find(|known| known.member == member) {
            known.questions += 1;
            if !known.from.iter().any(|from| from == path) {
                known.from.push(path.to_owned());
            }
            return;
        }
        let rank = |name: &str| members::MEMBERS.iter().position(|known| known.name == name);
        let at = self.members.iter().position(|known| rank(&known.member) > rank(member)).unwrap_or(self.members.len());
        let from = vec![path.to_owned()];
        self.members.insert(at, MappedMember { member: member.to_owned(), from, questions: 1 });
    }

    /// The file has something that is not used; whether that is news.
    pub(super) fn left_out(&mut self, name: &str) -> bool {
        const MOST: usize = 50;
        let is_new = !self.unused.iter().any(|known| known == name) && self.unused.len() < MOST;
        if is_new {
            self.unused.push(name.to_owned());
        }
        is_new
    }

    pub(super) fn count(&mut self, questions: &[Question]) {
        for question in questions {
            *self.kinds.entry(question.gold.kind_name().to_owned()).or_default() += 1;
        }
        let different = |names: BTreeSet<&String>| u32::try_from(names.len()).unwrap_or(u32::MAX);
        self.categories = different(questions.iter().filter_map(|question| question.category.as_ref()).collect());
        self.groups = different(questions.iter().filter_map(|question| question.group.as_ref()).collect());
    }
}

impl Gold {
    /// The kind, as files name it.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Choice { .. } => "choice",
            Self::Exact { .. } => "exact",
            Self::Number { .. } => "number",
            Self::Rubric { .. } => "rubric",
            Self::Pairwise { .. } => "pairwise",
            Self::Command { .. } => "command",
        }
    }
}
