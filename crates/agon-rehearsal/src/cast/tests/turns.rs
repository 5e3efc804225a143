use super::*;
use crate::prompt::MY_ANSWER;

/// The tail of a debater's prompt for a task.
fn tail(seat: usize, task: &str, round: u32, more: &str) -> String {
    let (name, stance) = CAST[seat];
    format!(
        "You are {name}.\nYou argue for this position: \"{stance}\".\n{}\nThis is round {round} of 6.\n{more}\n",
        words_of(task)
    )
}

fn said(debate: &ScriptedDebate, seat: usize, task: &str, more: &str) -> String {
    let brief = debate.prompt(&tail(seat, task, 2, more));
    super::super::speak(&Scene::new(&brief, debate.seed, None))
}

fn words_in(text: &str) -> usize {
    words::word_count(text)
}

#[test]
fn a_question_goes_to_whom_it_is_addressed_and_ends_with_its_mark() {
    for seed in 0..20 {
        let debate = ScriptedDebate::whole(seed);
        for task in ["question", "follow-up"] {
            let text = said(&debate, 0, task, "You speak to Cleo.\n");
            assert!(text.ends_with('?') && text.contains("Cleo") && words_in(&text) < 80, "{text}");
        }
        let first = said(&ScriptedDebate::new(seed), 0, "question", "You speak to Ben.\n");
        assert!(first.ends_with('?') && first.starts_with("Ben"), "{first}");
    }
}

#[test]
fn an_answer_repeats_the_question_that_stands_in_the_prompt_or_came_last() {
    let mut debate = ScriptedDebate::whole(1);
    let asked = format!("Question: Who pays for the migration?\n---\n{}", tail(1, "answer", 2, "You speak to Ada."));
    let text = super::super::speak(&Scene::new(&debate.prompt(&asked), debate.seed, None));
    assert!(text.contains("Who pays for the migration?"), "{text}");
    debate.entries.push(("Ada".into(), CAST[0].1.into(), "I listened. Which service goes first?".into()));
    assert!(said(&debate, 1, "answer", "").contains("Which service goes first?"));
    let asked = format!("Asked by the moderator: What do you mean by now?\n---\n{}", tail(1, "clarification", 2, ""));
    let asked = super::super::speak(&Scene::new(&debate.prompt(&asked), debate.seed, None));
    assert!(asked.contains("What do you mean by now?") && words_in(&asked) <= 110, "{asked}");
}

#[test]
fn an_argument_in_steps_has_four_of_them_and_later_ones_attack_a_step_by_its_number() {
    for seed in 0..20 {
        let mut debate = ScriptedDebate::new(seed);
        let first = debate.speak(0, "argument in steps", 1, None);
        for step in ["1. Claim: ", "2. Evidence: ", "3. Inference: ", "4. Conclusion: "] {
            assert!(first.lines().any(|line| line.starts_with(step) && line.len() > step.len() + 8), "{first}");
        }
        assert!(!first.contains("Against step"), "{first}");
        let second = debate.speak(1, "argument in steps", 1, None);
        assert!(
            second.starts_with("Against step 2 of Ada: ") || second.starts_with("Against step 3 of Ada: "),
            "{second}"
        );
        assert!(second.lines().any(|line| line.starts_with("4. Conclusion: ")), "{second}");
    }
}

#[test]
fn a_speech_for_a_bench_says_for_which_and_the_whip_sums_up() {
    let opens =
        said(&ScriptedDebate::new(3), 0, "argument", "You speak as Prime Minister for the Opening Government.\n");
    let whip = "You speak as Government Whip for the Closing Government.\n";
    let whips = said(&ScriptedDebate::whole(3), 0, "argument", whip);
    let argues =
        said(&ScriptedDebate::whole(3), 0, "argument", &whip.replace("Government Whip", "Member of Government"));
    for (text, bench, office) in
        [(&opens, "Opening Government", "prime minister"), (&whips, "Closing Government", "government whip")]
    {
        assert!(text.contains(bench) && text.contains(office), "{text}");
        assert!(!text.contains("Whip, ") && !text.contains("Minister, "), "{text}");
        assert!((110..=180).contains(&words_in(text)), "{text}");
    }
    let body = |text: &str| text.split_once("\n\n").unwrap().1.to_owned();
    assert_ne!(body(&whips), body(&argues), "a whip sums up and does not argue");
}

#[test]
fn proposals_revisions_and_rebuttals_are_texts_of_their_own() {
    let debate = ScriptedDebate::whole(4);
    let texts = ["proposal", "revision", "rebuttal", "argument"].map(|task| said(&debate, 0, task, ""));
    for (at, text) in texts.iter().enumerate() {
        assert!(!text.contains(['{', '}']) && words_in(text) >= 30, "{text}");
        assert!(!texts[..at].contains(text));
    }
    assert!(words_in(&texts[2]) <= 100, "{}", texts[2]);
}

#[test]
fn a_digest_is_shorter_than_what_it_sums_up_and_says_who_said_what() {
    for seed in 0..10 {
        let debate = ScriptedDebate::whole(seed);
        let shown: usize = debate.entries.iter().map(|(_, _, text)| words_in(text)).sum();
        let brief = debate.prompt("You are the summariser.\nSum up now what was said\n");
        let digest = super::super::speak(&Scene::new(&brief, seed, None));
        assert!(words_in(&digest) * 3 < shown && digest.contains("Ada: "), "{digest}");
    }
    let alone = "=== YOUR TURN ===\nSum up now what was said\n";
    let brief = Brief::read([("user", alone)].into_iter());
    assert!(!super::super::speak(&Scene::new(&brief, 0, None)).is_empty());
}

#[test]
fn a_text_outside_a_debate_is_shortened_when_the_rules_ask_for_that() {
    let text =
        "Cars take the room that people need. Nine of ten customers walk. Shops feared for their trade. They did well.";
    let brief = Brief::read([("system", "Summarise the text in at most 60 words."), ("user", text)].into_iter());
    let short = super::super::speak(&Scene::new(&brief, 0, None));
    assert!(text.starts_with(&short) && !short.is_empty() && short.len() < text.len() / 2, "{short}");
}

#[test]
fn every_turn_of_the_chair_speaks_of_the_matter() {
    let debate = ScriptedDebate::whole(2);
    let mut heard = Vec::new();
    for task in ["research", "reconcile", "closing summary", "close the round"] {
        let brief = debate.prompt(&format!("You are the moderator.\n{}\nThis is round 2 of 3.\n", words_of(task)));
        let text = super::super::speak(&Scene::new(&brief, 2, None));
        assert!(words_in(&text) > 15 && !text.contains(['{', '}']) && !heard.contains(&text), "{task}: {text}");
        heard.push(text);
    }
}

/// What everybody answers in each of six rounds of a deliberative debate.
fn answers(seed: u64) -> Vec<Vec<String>> {
    let mut debate = ScriptedDebate::new(seed);
    let ask = "End with a line \"My answer: ...\".";
    (1..=6)
        .map(|round| {
            let texts: Vec<String> = (0..3)
                .map(|seat| {
                    let task = if round == 1 { "opening statement" } else { "argument" };
                    let brief = debate.prompt(&tail(seat, task, round, ask));
                    super::super::speak(&Scene::new(&brief, seed, None))
                })
                .collect();
            let answers = texts.iter().map(|text| {
                let last = text.lines().last().unwrap();
                last.strip_prefix(MY_ANSWER).expect(text).trim().to_owned()
            });
            let answers = answers.collect();
            for (seat, text) in texts.into_iter().enumerate() {
                debate.entries.push((CAST[seat].0.into(), CAST[seat].1.into(), text));
            }
            answers
        })
        .collect()
}

#[test]
fn answers_converge_in_most_debates_and_stay_apart_in_some() {
    let agreed = |round: &Vec<String>| round.iter().all(|answer| *answer == round[0]);
    let debates: Vec<_> = (0..40).map(answers).collect();
    assert!(debates.iter().all(|rounds| !agreed(&rounds[0])), "everybody begins with an answer of its own");
    let converged = debates.iter().filter(|rounds| agreed(&rounds[5])).count();
    assert!((24..40).contains(&converged), "{converged} of 40");
    assert!(debates.iter().any(|rounds| !agreed(&rounds[2]) && agreed(&rounds[5])), "not all at once");
}

#[test]
fn who_has_an_assigned_stance_states_it_to_the_end_unless_it_says_what_others_say() {
    let ask = "End with a line of its own:\nMy answer: <your position, word for word; another answer only if ...>";
    for seed in 0..20 {
        let mut debate = ScriptedDebate::new(seed);
        debate.entries.push((CAST[1].0.into(), CAST[1].1.into(), format!("So.\n\nMy answer: {}", CAST[1].1)));
        let brief = debate.prompt(&tail(0, "argument", 6, ask));
        let stated = |behaviour| {
            let text = super::super::speak(&Scene::new(&brief, seed, behaviour));
            text.lines().last().unwrap().strip_prefix(MY_ANSWER).expect(&text).trim().to_owned()
        };
        assert_eq!(stated(None), CAST[0].1);
        assert_eq!(stated(Some(Fault::Sycophant)), CAST[1].1);
    }
}

#[test]
fn who_comes_round_says_which_step_failed_and_argues_from_there() {
    let ask = "End with a line \"My answer: ...\".";
    let mut came_round = 0;
    for seed in 0..20 {
        let debate = ScriptedDebate::new(seed);
        let turn = |seat, round| {
            let brief = debate.prompt(&tail(seat, "argument", round, ask));
            super::super::speak(&Scene::new(&brief, seed, None))
        };
        for seat in 0..3 {
            let (first, last) = (turn(seat, 1), turn(seat, 6));
            let says = |text: &str| {
                ["I change my answer", "I no longer stand", "my own chain broke"].iter().any(|s| text.contains(s))
            };
            assert!(!says(&first), "{first}");
            assert_eq!(says(&last), first.lines().last() != last.lines().last(), "{last}");
            came_round += usize::from(says(&last));
        }
    }
    assert!(came_round > 20, "{came_round}");
}

#[test]
fn a_final_ballot_is_for_the_answer_that_was_stood_by() {
    let mut debate = ScriptedDebate::new(1);
    let speech = format!("I have changed my mind.\n\nMy answer: {}", CAST[1].1);
    debate.entries.push((CAST[0].0.into(), CAST[0].1.into(), speech));
    assert_eq!(final_ballot(&debate, 0, None), CAST[1].1);
}

#[test]
fn what_a_tool_has_found_is_quoted() {
    let result = "{\"results\": [{\"title\": \"Report\", \"text\": \"Teams of five run 4 services at most before on-call breaks down.\"}]}";
    for seed in 0..10 {
        let debate = ScriptedDebate::whole(seed);
        for task in ["argument", "answer", "research", "closing statement"] {
            let mut brief = debate.prompt(&tail(0, task, 2, ""));
            brief.found.push(result.to_owned());
            let text = super::super::speak(&Scene::new(&brief, seed, None));
            assert!(text.contains("run 4 services at most before on-call breaks down"), "{task}: {text}");
        }
    }
}

#[test]
fn summaries_other_labels_and_gaps_in_the_transcript_break_nothing() {
    let shown = "# Debaters\n- Ada: for\n- Ben: against\n\n# Transcript\nSummary of rounds 1 to 4:\nAda asks for a figure. Ben has none.\n\n\
        ### T31 | moderator | interjection\nStay on topic.\n### T33 | Ben | against | point of information\nOn that point: who pays for all of this?\n\
        ### T40 | Ben | critique of Ada\nThe claim has no figure at all behind it.\n### Round 6\n=== YOUR TURN ===\n";
    let asked = "You are Ada.\nYou argue for this position: \"for\".\nThis is round 6 of 9.\n";
    for task in ["argument", "answer", "rebuttal", "revision", "argument in steps", "closing statement", "follow-up"] {
        let user = format!("{shown}{asked}{}\n", words_of(task));
        let mut brief = Brief::read([("user", user.as_str())].into_iter());
        brief.assume_positions(|name| format!("position of {name}"));
        assert_eq!((brief.entries.len(), brief.entries[2].stance.as_str()), (3, "against"));
        assert_eq!((brief.entries[1].label.as_str(), brief.entries[0].stance.as_str()), ("point of information", ""));
        assert_eq!(brief.summary, "Ada asks for a figure. Ben has none.");
        let text = super::super::speak(&Scene::new(&brief, 5, None));
        assert!(text.contains("Ben") || task == "revision" || task == "answer", "{task}: {text}");
    }
}

#[test]
fn claims_are_marked_now_and_then_where_the_prompt_asks_for_it_and_some_are_wrong() {
    let rules = "Put that claim into a block of its own:\n```check sum\nthe claim\n```\nThere is: sum.";
    let marked = |seed, claims| {
        let debate = ScriptedDebate { claims, ..ScriptedDebate::whole(seed) };
        let speak = |seat| said(&debate, seat, "argument", "End with \"My answer: ...\".");
        (0..3).map(speak).filter(|text| text.contains("```check sum\n")).collect::<Vec<_>>()
    };
    let texts: Vec<String> = (0..20).flat_map(|seed| marked(seed, rules)).collect();
    let sums: Vec<[u64; 3]> = texts
        .iter()
        .map(|text| {
            let (_, claim) = text.split_once("```check sum\n").unwrap();
            let (claim, rest) = claim.split_once("\n```\n\n").unwrap();
            assert!(rest.starts_with(MY_ANSWER), "{rest}");
            let numbers: Vec<u64> = claim.split([' ', '+', '=']).filter_map(|part| part.parse().ok()).collect();
            numbers.try_into().unwrap()
        })
        .collect();
    let right = sums.iter().filter(|[a, b, c]| a + b == *c).count();
    assert!((10..50).contains(&sums.len()) && right > 0 && right < sums.len(), "{right} of {}", sums.len());
    assert!((0..20).all(|seed| marked(seed, "Be brief.").is_empty()));
}
