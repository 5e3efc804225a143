//! The argument tree: who attacks or supports what, by rules that look at what was recorded and guess nothing.
//!
//! The nodes are what debaters said before everybody: speeches, critiques, points of information and their replies, by
//! the number that speakers know them by (`T7`). An edge leads to something earlier that its speaker could see:
//!
//! 1. A critique attacks the latest proposal of whom it criticises, by its severity; one of severity 0 supports it.
//! 2. A revision revises its speaker's own latest proposal, or latest speech where there is none, and answers each
//!    critique that it accepts or declines.
//! 3. A point of information attacks the latest speech of whom it is put to; the reply answers the point.
//! 4. A question asks the latest speech of whom it is put to; an answer answers the latest question of whoever asked.
//! 5. Any other speech to somebody (`to`) goes to that speaker's latest speech.
//! 6. Any other speech goes to the latest speech of each speaker that it names as a whole word, and to each `T7` that it
//!    names; `Against step 2 of Ada` attacks.
//!
//! By rules 5 and 6 a speech attacks where the stances differ and supports where they are the same; the benches of one
//! side are one stance. Without stances the answers that both speeches name decide; where one names none, it answers.
mod derive;
mod fit;
mod layout;
mod mentions;
mod mermaid;
mod open;
mod svg;

use crate::minutes::Minutes;
use agon_core::SpeechKind;
use serde::Serialize;

pub(crate) use derive::is_speech;
pub(crate) use fit::{PARTS, columns, folded};
pub(crate) use open::TreePicture;
pub(crate) use svg::{embedded, escaped};

/// Speeches that a picture shows at most; the data has all.
pub(crate) const MOST_DRAWN: usize = 120;
/// Characters of a speech that stand in the tree.
const MOST_TEXT: usize = 160;

/// What was said, and what it is to what was said before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ArgumentTree {
    /// By number.
    pub nodes: Vec<TreeNode>,
    /// By the number of what they come from.
    pub edges: Vec<TreeEdge>,
}

/// Something that a debater said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeNode {
    /// Its number in the transcript, from 1: the `T7` of the speakers.
    pub number: u32,
    /// The round.
    pub round: u32,
    /// The slot in the round.
    pub seat: u32,
    /// Who.
    pub speaker: String,
    /// For which stance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What kind of speech.
    pub kind: SpeechKind,
    /// How it begins.
    pub text: String,
}

/// What a speech is to an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeEdge {
    /// The number of the speech.
    pub from: u32,
    /// The number of the earlier one.
    pub to: u32,
    /// What.
    pub relation: Relation,
    /// Of a critique, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<u8>,
}

/// What a speech is to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It speaks against it.
    Attacks,
    /// It speaks for the same.
    Supports,
    /// It asks about it.
    Asks,
    /// It answers it, for or against.
    Answers,
    /// It replaces it.
    Revises,
}
impl Relation {
    /// All, in the order of the legend.
    pub const ALL: [Self; 5] = [Self::Attacks, Self::Supports, Self::Asks, Self::Answers, Self::Revises];
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Attacks => "attacks",
            Self::Supports => "supports",
            Self::Asks => "asks",
            Self::Answers => "answers",
            Self::Revises => "revises",
        }
    }
}

impl ArgumentTree {
    /// The tree of what was said so far. Speakers whose words the debate file keeps out of reports are left out.
    pub fn of(minutes: &Minutes<'_>) -> Self {
        derive::tree(minutes)
    }
}

/// The tree as Mermaid, in a Markdown page.
pub fn tree_markdown(minutes: &Minutes<'_>) -> String {
    mermaid::page(minutes, &ArgumentTree::of(minutes))
}

/// The tree as a picture that needs nothing else.
pub fn tree_svg(minutes: &Minutes<'_>) -> String {
    svg::standalone(minutes, &ArgumentTree::of(minutes))
}
