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

/// Compares a block with what is sent; writes it first where that is asked for.
fn shows(name: &str, sent: &str) {
    const PATH: &str = "../../docs/reference/prompts.md";
    if std::env::var_os("AGON_WRITE_REFERENCE").is_some() {
        let page = std::fs::read_to_string(PATH).unwrap();
        let (before, after) = page.split_once(&format!("<!-- example: {name} -->\n````text\n")).unwrap();
        let (_, after) = after.split_once("````\n").unwrap();
        return std::fs::write(PATH, format!("{before}<!-- example: {name} -->\n````text\n{sent}````\n{after}"))
            .unwrap();
    }
    assert_eq!(
        block(name),
        sent,
        "AGON_WRITE_REFERENCE=1 cargo test -p agon-prompt -- --test-threads 1 writes the page anew"
    );
}

#[test]
fn the_reference_shows_a_debaters_prompt_as_it_is_sent() {
    let mut view = after_one_round(&spec(Mode::Adversarial));
    let task = guided(Some("Settle how they come."), None, None);
    open_round(&mut view, 2, &task);
    let prompt = prompt(&view, &ask(&view, "Cleo", turn(2, 0), task)).unwrap();
    shows("system", &prompt.messages[0].text);
    shows("user", &prompt.messages[1].text);
}

#[test]
fn the_reference_shows_a_judges_prompt_as_it_is_sent() {
    let view = after_one_round(&spec(Mode::Adversarial));
    let candidates = ["close it", "keep it open", "close it on weekends"].map(str::to_owned).to_vec();
    let prompt = prompt(&view, &ask(&view, "judge", turn(4, 0), agon_core::testing::judging(0, candidates))).unwrap();
    shows("judge system", &prompt.messages[0].text);
    shows("judge", &prompt.messages[1].text);
    let schema: serde_json::Value = serde_json::from_str(block("judge schema")).unwrap();
    assert_eq!(&schema, prompt.schema.as_deref().unwrap());
}
