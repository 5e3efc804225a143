//! Questions put into debate files, and what never comes into them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail loudly")]
use agon_core::{AnswerKind, DebateSpec, Tolerance};
use agon_eval::*;
use agon_spec::{Edition, normalize_json, render};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

fn template(text: &str, set: &[(&str, serde_json::Value)]) -> DebateTemplate {
    let syntax = if text.starts_with("---") { "markdown" } else { "yaml" };
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    DebateTemplate { file: "panel".into(), text: text.into(), syntax: syntax.into(), set }
}

fn models() -> RoleModels {
    RoleModels { model: Some("m".into()), ..RoleModels::default() }
}

fn question(options: &[&str], gold: Gold) -> Question {
    Question {
        id: "MARK-id".into(),
        text: "Which city is {{largest}}?".into(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        context: Some("A map.".into()),
        gold,
        category: Some("MARK-category".into()),
        group: Some("MARK-group".into()),
    }
}

fn cities() -> Question {
    question(&["Rome", "Paris", "Bonn"], Gold::Choice { right: vec![1] })
}

fn filled(text: &str, question: &Question, repetition: u32) -> DebateSpec {
    fill(&template(text, &[]), &models(), question, repetition, false)
        .unwrap_or_else(|found| panic!("{}", render(&found)))
}

fn refused(text: &str, set: &[(&str, serde_json::Value)], question: &Question) -> String {
    render(&fill(&template(text, set), &models(), question, 0, false).unwrap_err())
}

const PANEL: &str =
    "topic: anything\nmode: deliberative\ncontext: Be brief.\nseed: 7\nlabels: {team: x}\npersona_count: 3\n";

#[test]
fn the_question_becomes_the_topic_and_its_options_and_context_are_added() {
    let spec = filled(PANEL, &cities(), 0);
    assert_eq!(spec.topic, "Which city is {{largest}}?");
    assert_eq!(spec.context.as_deref(), Some("Be brief.\n\nA map.\n\nOptions:\nA. Rome\nB. Paris\nC. Bonn"));
    let form = spec.answer.unwrap();
    assert_eq!((form.kind, form.options), (AnswerKind::Choice, vec!["Rome".into(), "Paris".into(), "Bonn".into()]));
    assert!(!spec.phases.feedback && spec.seed.is_none() && spec.labels.is_empty());
}

#[test]
fn options_of_one_character_have_no_letters_since_no_answer_may_give_them() {
    let spec = filled(PANEL, &question(&["1", "2", "10"], Gold::Choice { right: vec![1] }), 0);
    assert_eq!(spec.context.as_deref(), Some("Be brief.\n\nA map.\n\nOptions:\n1\n2\n10"));
}

#[test]
fn the_kind_of_the_question_says_what_an_answer_is() {
    let kind = |gold| filled(PANEL, &question(&[], gold), 0).answer.map(|form| (form.kind, form.tolerance));
    assert_eq!(
        kind(Gold::Number { answers: vec![3.0], tolerance: Tolerance::Relative(0.02) }),
        Some((AnswerKind::Number, Tolerance::Relative(0.02)))
    );
    assert_eq!(kind(Gold::Exact { answers: vec!["x".into()] }), Some((AnswerKind::Text, Tolerance::Exact)));
    assert_eq!(kind(Gold::Pairwise { answers: vec![] }), Some((AnswerKind::Text, Tolerance::Exact)));
}

#[test]
fn a_template_places_the_parts_of_a_question_itself_and_braces_of_a_question_stay_text() {
    let text = "---\nmode: deliberative\npersona_count: 3\ninstructions: \"Answer {{question}} in {{language}}.\"\n---\n# Judge this: {{question}}\n\nRead {{context}} and choose:\n{{options}}\n";
    let spec = filled(text, &cities(), 0);
    assert_eq!(spec.topic, "Judge this: Which city is {{largest}}?");
    assert_eq!(spec.context.as_deref(), Some("Read A map. and choose:\nA. Rome\nB. Paris\nC. Bonn"));
    assert_eq!(spec.instructions.as_deref(), Some("Answer Which city is { {largest}}? in {{language}}."));
    assert!(
        refused("topic: t\nmodel: m\ninstructions: \"{{quesion}}\"\n", &[], &cities())
            .contains("no variable 'quesion'")
    );
}

#[test]
fn stances_hand_the_options_out_one_further_with_each_repetition() {
    let text =
        "topic: t\npersonas:\n  - {name: Ann, stance: \"{{option}}\"}\n  - {name: Bo, stance: \"{{ option }}\"}\n";
    let stances = |repetition| -> Vec<String> {
        filled(text, &cities(), repetition).personas.into_iter().filter_map(|persona| persona.stance).collect()
    };
    assert_eq!((stances(0), stances(1)), (vec!["Rome".into(), "Paris".into()], vec!["Paris".into(), "Bonn".into()]));
    assert_eq!(stances(2), ["Bonn", "Rome"]);
    let number = question(&[], Gold::Number { answers: vec![1.0], tolerance: Tolerance::Exact });
    assert!(refused(text, &[], &number).contains(
        "panel:3:25: error[unknown-variable]: `{{option}}` hands out options, and question 'MARK-id' has none"
    ));
}

#[test]
fn keys_that_are_set_stand_in_place_of_the_files_and_mappings_are_merged() {
    let base = "topic: t\nmode: deliberative\npersona_count: 3\njudge: {orders: 1, panel: 3}\n";
    let set = [("max_rounds", json!(4)), ("judge", json!({"orders": 2}))];
    let spec = fill(&template(base, &set), &models(), &cities(), 0, false).unwrap();
    let judge = spec.judge.unwrap();
    assert_eq!((spec.max_rounds, judge.orders, judge.panel), (4, 2, 3));
    assert!(refused(base, &[("max_ruonds", json!(4))], &cities()).contains("did you mean `max_rounds`?"));
}

#[test]
fn earlier_debates_are_refused() {
    assert!(
        refused("topic: t\nmode: deliberative\nhistory_limit: 2\n", &[], &cities())
            .contains("`history_limit` must be 0")
    );
}

#[test]
fn no_gold_rubric_category_group_or_id_stands_in_any_debate_of_any_arm() {
    let criteria = vec![Criterion { text: "MARK-criterion".into(), must: true }];
    let questions = vec![
        question(&[], Gold::Exact { answers: vec!["MARK-answer".into()] }),
        question(&[], Gold::Number { answers: vec![8_675_309.0], tolerance: Tolerance::Exact }),
        question(&[], Gold::Rubric { criteria, answers: vec!["MARK-answer".into()] }),
        question(&[], Gold::Pairwise { answers: vec!["MARK-answer".into()] }),
        cities(),
    ];
    let text = "topic: t\nmode: deliberative\njudge: {model: j}\npersonas:\n  - {name: Ann, model: a}\n  - {name: Bo, model: b}\n  - {name: Cy, model: c}\n";
    let mut others = questions.clone();
    if let Gold::Choice { right } = &mut others[4].gold {
        *right = vec![2];
    }
    let arm = ArmName("panel".into());
    let specs = |questions: Vec<Question>| -> Vec<String> {
        let spec = eval(questions, &arm, text);
        let open = TemplateSpecs::new(&spec, &models()).unwrap();
        let pools = open.pools(&spec).unwrap();
        assert_eq!(pools.len(), 2);
        let admission = EvalAdmission {
            id: "e1".into(),
            format: 1,
            agon_version: "0".into(),
            judge_calls: open.judge_calls().unwrap(),
            pools,
            prices: BTreeMap::new(),
            models: models(),
            rehearsal: false,
            digests: BTreeMap::new(),
            fresh: false,
            spec,
        };
        let specs = TemplateSpecs::of(&admission).unwrap();
        let works = [
            CellWork::Debate { arm: arm.clone() },
            CellWork::Isolated { arm: arm.clone() },
            CellWork::BestOf { arm: arm.clone(), count: 3 },
            CellWork::Samples { pool: 0, first: 4, count: 2 },
            CellWork::Samples { pool: 1, first: 0, count: 2 },
        ];
        let cells = (0..5)
            .flat_map(|question| works.iter().map(move |work| Cell { question, repetition: 0, work: work.clone() }));
        cells.map(|cell| normalize_json(&specs.spec(&cell).unwrap()).to_string()).collect()
    };
    let produced = specs(questions);
    assert_eq!(produced.len(), 25);
    assert!(produced.iter().all(|spec| !spec.contains("MARK") && !spec.contains("8675309")), "{produced:?}");
    // another right option changes nothing that anybody is shown
    assert_eq!(produced, specs(others));
    let poll: serde_json::Value = serde_json::from_str(&produced[3]).unwrap();
    let models: Vec<&str> =
        poll["personas"].as_array().unwrap().iter().map(|one| one["model"].as_str().unwrap()).collect();
    assert_eq!(
        (poll["debate_format"].as_str(), models),
        (Some("poll"), vec!["b", "c", "a"]),
        "sample 4 is the second persona's"
    );
}

fn eval(questions: Vec<Question>, arm: &ArmName, text: &str) -> EvalSpec {
    let arms = vec![BaselineArm::SelfConsistency, BaselineArm::BestOfN, BaselineArm::JudgeAlone];
    let debate = DebateArm { name: arm.clone(), template: template(text, &[]), isolated: true };
    EvalSpec { arms, ..EvalSpec::usual(questions, vec![debate]) }
}

#[test]
fn null_in_set_removes_a_key_and_problems_of_set_say_so() {
    let judged = "topic: anything\nmode: deliberative\njudge: {model: j}\nconsensus_strategy: vote\npersona_count: 3\ncontext: Tapes.\n";
    let set = [("context", json!(null)), ("judge", json!(null))];
    let spec = fill(&template(judged, &set), &models(), &cities(), 0, false).unwrap();
    assert!(!spec.context.unwrap().contains("Tapes"));
    let told = refused(PANEL, &[("persona_count", json!(-1))], &cities());
    assert!(told.contains("`set` of the eval file: "), "{told}");
}

#[test]
fn a_context_that_belongs_to_the_files_own_topic_is_found() {
    assert_eq!(own_context(&template(PANEL, &[])).as_deref(), Some("Be brief."));
    assert_eq!(own_context(&template(PANEL, &[("context", json!(null))])), None);
    assert_eq!(own_context(&template(&PANEL.replace("anything", "'{{question}}'"), &[])), None);
    assert_eq!(own_context(&template(&PANEL.replace("Be brief.", "'Look: {{context}}'"), &[])), None);
}

#[test]
fn a_pilot_draws_its_questions_by_the_seed_and_keeps_their_order() {
    let all: Vec<Question> = (0..60).map(|n| Question { id: format!("{n:02}"), ..cities() }).collect();
    let ids = |seed| drawn_questions(all.clone(), 20, seed).into_iter().map(|question| question.id).collect::<Vec<_>>();
    let drawn = ids(1);
    assert!(drawn.len() == 20 && drawn.is_sorted());
    assert_eq!(drawn, ids(1));
    assert!(drawn != ids(2) && drawn.last().unwrap() > &"20".to_owned());
    assert_eq!(drawn_questions(all.clone(), 100, 1).len(), 60);
}

/// An eval that is run to its end without a world: the debates that it opened, by id.
fn held_before(admission: &EvalAdmission, specs: &TemplateSpecs) -> BTreeMap<String, Facts> {
    let mut machine = EvalMachine::admitted(admission.clone(), 0);
    let mut held = BTreeMap::new();
    loop {
        let settled = machine.decide(EvalInput::Settle { now: 0 });
        settled.iter().for_each(|event| machine.apply(0, event));
        let next = machine.next_cells(5);
        if next.is_empty() && settled.is_empty() {
            return held;
        }
        for (cell, attempt) in next {
            let debate = order(admission, specs, &cell, attempt).unwrap().debate.id;
            let cost = |calls| CellCost { calls, prompt: 400 * u64::from(calls), generated: 50, ..CellCost::default() };
            let samples = match &cell.work {
                CellWork::Samples { first, count, .. } => (*first..first + count)
                    .map(|number| SampleFact {
                        number,
                        model: None,
                        answer: Some("Paris".to_owned()),
                        confidence: None,
                        cost: cost(1),
                    })
                    .collect(),
                _ => Vec::new(),
            };
            let (answer, cost) = (Some("Paris".to_owned()), cost(12));
            let facts = Facts { ending: CellEnding::Answered, answer, samples, cost, ..Facts::default() };
            held.insert(debate.clone(), facts.clone());
            machine.apply(0, &EvalEvent::CellOpened { cell: cell.clone(), debate: debate.clone() });
            let closed = CellClosed { cell, debate, head: String::new(), reused: false, wall_ms: 1, facts };
            machine.apply(0, &EvalEvent::CellClosed(Box::new(closed)));
        }
    }
}

#[test]
fn a_plan_knows_what_was_held_before_with_all_that_depends_on_it() {
    let arm = ArmName("panel".to_owned());
    let questions: Vec<Question> =
        (0..6).map(|n| Question { id: format!("{n}"), text: format!("Capital {n}?"), ..cities() }).collect();
    let spec = EvalSpec { repetitions: 2, ..eval(questions, &arm, PANEL) };
    let mut admission = EvalAdmission::of("eval".to_owned(), spec, models()).unwrap();
    let specs = TemplateSpecs::of(&admission).unwrap();
    let models = specs
        .arms(&admission)
        .unwrap()
        .iter()
        .flat_map(asked_models)
        .map(|model| model.to_string())
        .collect::<Vec<_>>();
    admission.digests = models.into_iter().map(|model| (model.clone(), format!("digest of {model}"))).collect();
    let held = held_before(&admission, &specs);
    let plan = |ids: &BTreeSet<String>, facts: &dyn Fn(&str) -> Option<Facts>| {
        EvalPlan::of(&admission, &specs, &HeldCells { ids, facts }).unwrap()
    };
    let fresh = plan(&BTreeSet::new(), &|_| None);
    assert!(fresh.reused == 0 && fresh.calls > 0 && fresh.tokens_likely > 0);
    let ids: BTreeSet<String> = held.keys().cloned().collect();
    let known = |id: &str| held.get(id).cloned();
    let again = plan(&ids, &known);
    assert_eq!(
        (again.reused, again.cells, again.cells_most),
        (held.len() as u64, held.len() as u64, held.len() as u64)
    );
    assert!(again.reused > fresh.cells, "more samples than the certain ones were drawn");
    assert_eq!((again.calls, again.calls_most, again.tokens_likely, again.tokens_most), (0, 0, 0, 0));
    // a debate that failed is held again; one that cannot be read counts as held, but not what depends on it
    let one = ids.iter().next().unwrap();
    let failing = |id: &str| {
        known(id).map(|facts| if id == one { Facts { ending: CellEnding::default(), ..facts } } else { facts })
    };
    assert!(plan(&ids, &failing).reused < held.len() as u64);
    let unread = plan(&ids, &|_| None);
    assert!(unread.reused == fresh.cells && unread.calls == 0 && unread.tokens_likely > 0);
}

#[test]
fn an_eval_that_was_recorded_before_keeps_the_defaults_of_then() {
    let panel = template("topic: \"{{question}}\"\nmodel: m\nmemory: rolling_window\n", &[]);
    let read = |models: &RoleModels| {
        let spec =
            fill(&panel, models, &question(&[], Gold::Exact { answers: vec!["Rome".into()] }), 0, false).unwrap();
        (spec.windows.window_step, spec.visible.names)
    };
    let recorded: RoleModels = serde_json::from_value(json!({"model": "m"})).unwrap();
    let admitted = RoleModels { edition: Edition::NEWEST, ..recorded.clone() };
    assert_eq!((read(&recorded), read(&admitted)), ((6, true), (1, false)));
    let kept = serde_json::from_value::<RoleModels>(serde_json::to_value(&admitted).unwrap()).unwrap();
    assert_eq!((kept, serde_json::to_value(&recorded).unwrap()), (admitted, json!({"model": "m"})));
}
