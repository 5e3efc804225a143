//! Questions, answers and names that want to be more than text.
use super::pages::assert_sound;
use super::{page, shapes, terminal};
use agon_eval::*;
use agon_report::eval_markdown;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// A result in which every text that anybody but Agon writes is `text`.
fn hostile(text: &str) -> EvalResult {
    let mut result = shapes::graded();
    result.sequential = shapes::sequential().sequential;
    let own = || text.to_owned();
    (result.title, result.eval) = (Some(own()), own());
    result.stopped = Some(EvalStop { reason: own(), detail: Some(own()) });
    result.warnings = vec![own()];
    result.setup.models = [(own(), Some(own()))].into();
    result.setup.scorers = [(own(), 3)].into();
    for arm in &mut result.arms {
        (arm.name, arm.models) = (ArmName(own()), vec![own(), own()]);
        arm.matched_to = arm.matched_to.as_ref().map(|_| ArmName(own()));
        (arm.causes, arm.dominated_by) = ([(own(), 2)].into(), vec![own()]);
    }
    for count in result.comparisons.iter_mut().flat_map(|of| &mut of.counts) {
        (count.sentence, count.distrusted) = (own(), vec![own()]);
    }
    result.free_arms.iter_mut().for_each(|arm| arm.debate = ArmName(own()));
    for inside in &mut result.inside {
        inside.debate = ArmName(own());
        inside.ballots_by.iter_mut().for_each(|row| row.value = own());
        inside.order.iter_mut().flat_map(|order| &mut order.rows).for_each(|row| row.value = own());
        inside.diversity.iter_mut().flat_map(|of| &mut of.models).for_each(|model| model.model = own());
    }
    result.calibration.iter_mut().for_each(|of| (of.model, of.arm) = (Some(own()), own()));
    result.categories.iter_mut().for_each(|row| row.category = own());
    result.front.iter_mut().for_each(|point| point.id = own());
    if let Some(trust) = &mut result.trust {
        (trust.graders, trust.distrusted) = (vec![own()], vec![own()]);
    }
    if let Some(gate) = &mut result.gate {
        (gate.debate, gate.kind, gate.why) = (own(), own(), own());
        gate.policies.iter_mut().for_each(|policy| policy.name = own());
    }
    for row in &mut result.questions {
        (row.id, row.text, row.gold, row.category) = (own(), own(), vec![own()], Some(own()));
    }
    for cell in &mut result.cells {
        (cell.answer, cell.reason, cell.debates) = (Some(own()), Some(own()), vec![own(), own(), own()]);
    }
    result
}

/// A page with an empty style, which is the same on all: the tokenizer need not read it again and again.
fn unstyled(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (style, body) = rest.split_once("</style>").unwrap();
    assert!(style.starts_with("\n:root"));
    format!("{head}<style></style>{body}")
}

/// Tags of a page, with what their attributes are called.
fn skeleton(text: &str) -> Vec<String> {
    let html = assert_sound("hostile", &unstyled(&page(&hostile(text))));
    html.tags.iter().map(|tag| format!("{} {:?}", tag.name, tag.attribute_names())).collect()
}

#[test]
fn no_text_changes_what_a_page_is_made_of() {
    let harmless = skeleton("harmless words");
    for attack in crate::hostile::ATTACKS {
        assert_eq!(skeleton(attack), harmless, "{attack}");
    }
}

#[test]
fn no_text_becomes_markup_of_the_markdown() {
    let kinds = |text: &str| -> (usize, usize) {
        let markdown = eval_markdown(&hostile(text));
        let (mut headings, mut cells) = (0, 0);
        for event in Parser::new_ext(&markdown, Options::all()) {
            match event {
                Event::Start(Tag::Heading { .. }) => headings += 1,
                Event::Start(Tag::TableCell) => cells += 1,
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
                | Event::InlineHtml(_)
                | Event::Html(_) => {
                    panic!("{text}: {event:?}")
                }
                _ => {}
            }
        }
        (headings, cells)
    };
    let harmless = kinds("harmless words");
    for attack in crate::hostile::ATTACKS {
        assert_eq!(kinds(attack), harmless, "{attack}");
    }
}

#[test]
fn no_control_character_reaches_the_terminal() {
    for attack in crate::hostile::ATTACKS {
        let text = terminal(&hostile(attack), 90);
        assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}' || c == '\u{200b}'), "{attack}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_text_leaves_the_page_sound(text in "\\PC{0,60}") {
        assert_sound("any", &unstyled(&page(&hostile(&text))));
    }
}
