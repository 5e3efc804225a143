//! The example in `docs/reference/prompts.md` is a real prompt.
use crate::support::*;
use agon_core::*;
use agon_prompt::prompt;

const REFERENCE: &str = include_str!("../../../../docs/reference/prompts.md");

/// The fenced block after the line `<!-- example: NAME -->`.
pub fn block(name: &str) -> &'static str {
    let (_, after) = REFERENCE.split_once(&format!("<!-- example: {name} -->\n")).unwrap();
    let (_, block) = after.split_once("````text\n").unwrap();
    block.split_once("````").unwrap().0
}

#[test]
fn the_reference_shows_a_debaters_prompt_as_it_is_sent() {
    let mut view = after_one_round(&spec(Mode::Adversarial));
    let task = guided(Some("Settle how they come."), None, None);
    open_round(&mut view, 2, &task);
    let prompt = prompt(&view, &ask(&view, "Cleo", turn(2, 0), task)).unwrap();
    assert_eq!(block("system"), &*prompt.messages[0].text);
    assert_eq!(block("user"), &*prompt.messages[1].text);
}

#[test]
fn the_reference_shows_a_judges_prompt_as_it_is_sent() {
    let view = after_one_round(&spec(Mode::Adversarial));
    let candidates = ["close it", "keep it open", "close it on weekends"].map(str::to_owned).to_vec();
    let prompt = prompt(&view, &ask(&view, "judge", turn(4, 0), agon_core::testing::judging(0, candidates))).unwrap();
    assert_eq!(block("judge system"), &*prompt.messages[0].text);
    assert_eq!(block("judge"), &*prompt.messages[1].text);
    let schema: serde_json::Value = serde_json::from_str(block("judge schema")).unwrap();
    assert_eq!(&schema, prompt.schema.as_deref().unwrap());
}
