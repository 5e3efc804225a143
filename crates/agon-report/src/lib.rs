//! What a debate's log says, for people and programs: JSON lines, the result as JSON, Markdown, a self-contained page, and
//! the live lines of a terminal.
//!
//! Everything derives from the log: [`Minutes`] are folded from its records, and [`DebateResult`], [`Analysis`], [`full_markdown`],
//! [`summary_only`], [`verbose`] and [`html`] are pure functions of the minutes. [`LiveView`] takes the same events one by one.
//! What models, files and servers wrote is hostile input: it never becomes an escape sequence, a tag, a script, a link, a table cell's
//! border or a heading of the report.
//!
//! What a report says is one document of sections and blocks; Markdown, the page and the terminal draw it. A new
//! section is a function in `document/`, a `SectionKind`, and a place in the lists of the renderers.
//!
//! Invariant: no clock, no file, no network, no randomness: the same log gives the same bytes, whoever asks and whenever.

mod analysis;
mod answer;
mod asides;
mod block;
mod call_figures;
mod checks;
mod claims;
mod document;
mod earlier;
mod eval;
mod events;
mod feeds;
mod html;
mod key;
mod markdown;
mod minutes;
mod prices;
mod result;
mod speech;
mod terminal;
mod text;
mod tree;
mod verdict;
mod visible;
mod warnings;
mod words;

pub use analysis::{
    Agreement, Analysis, Belief, Beliefs, DebaterMetrics, DebaterRelation, Disagreement, Ground, Side, StandingAttack,
    StandingAttacks, StrongestSpeech, VerdictGrounds,
};
pub use block::{ResultBlock, cut_short};
pub use claims::Claims;
pub use eval::{
    DebateLinks, DigestArm, DigestFailure, DigestFinding, EvalDigest, eval_digest, eval_event_line, eval_html,
    eval_markdown, eval_policy, eval_terminal, gate_lines,
};
pub use events::{event_json, events_jsonl, json_line, safe_json};
pub use html::{HtmlError, PagePart, PartKind, STYLE, html, page_parts};
pub use markdown::{full_markdown, summary_only, verbose};
pub use minutes::{Minutes, NotADebate};
pub use prices::{Expense, Expenses, Price, Prices};
pub use result::*;
pub use terminal::{LiveView, Speaking, StyledLine, StyledSpan, TextStyle, Waiting};
pub use text::{PlainText, excerpt, one_line, plain, sentence};
pub use tree::{ArgumentTree, Relation, TreeEdge, TreeNode, tree_markdown, tree_svg};
pub use visible::{deltas_shown_to_clients, for_clients, hides_from_clients, shown};
pub use words::{REHEARSAL, count, counted, duration, why};
