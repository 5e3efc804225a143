//! What the analysis says in sentences, and how it looks in the reports.
use super::*;

#[test]
fn insights_say_who_moved_to_where_before_anything_else_but_an_overturned_majority() {
    let ballots =
        [("Ada", Some(WAIT), Some(NOW)), ("Bruno", Some(WAIT), Some(NOW)), ("Chioma", Some(RENT), Some(WAIT))];
    let mut log = balloted(trio(), &ballots);
    say(&mut log, 1, "Ada", "Buy the oven.");
    say(&mut log, 1, "Bruno", "No, Ada.");
    ended_as(&mut log, MajorityShift::Overturned, Some(NOW));
    assert_eq!(
        analysis(&log).insights,
        [
            "The debate overturned the majority that stood before it.",
            "Ada and Bruno moved to “Invest now”.",
            "Chioma moved from “Rent the capacity” to “Wait a year”.",
            "The debaters still differ: 2 hold “Invest now”, 1 holds “Wait a year”.",
            "1 of 1 attack was never answered.",
            "Ada had more than half of all words (60.0 %).",
        ]
    );
}

#[test]
fn insights_say_when_nobody_moved_and_of_how_many_that_is_known() {
    let all = [
        ("Ada", Some(NOW), Some("invest now.")),
        ("Bruno", Some(WAIT), Some(WAIT)),
        ("Chioma", Some(RENT), Some(RENT)),
    ];
    let insights = analysis(&ended(balloted(trio(), &all))).insights;
    assert_eq!(insights[0], "Nobody moved: every debater ended with the answer that it began with.");
    let insights = analysis(&ended(balloted(trio(), &all[..2]))).insights;
    assert_eq!(
        insights[0],
        "Nobody moved: each of the 2 debaters of whom both ballots are known ended with the answer that it began with."
    );
    let none = analysis(&ended(balloted(trio(), &[("Ada", None, Some(NOW))]))).insights;
    assert_eq!(none, Vec::<String>::new());
}

#[test]
fn of_two_debaters_only_one_with_two_thirds_of_the_words_is_told() {
    let told = |words: usize| {
        let mut log = admitted(scenes::pair());
        say(&mut log, 1, "Ada", &"word ".repeat(words));
        say(&mut log, 1, "Bruno", &"word ".repeat(10));
        analysis(&ended(log)).insights
    };
    assert_eq!(told(20), Vec::<String>::new());
    assert_eq!(told(21), ["Ada had more than two thirds of all words (67.7 %)."]);
}

#[test]
fn quotations_that_were_not_found_are_told() {
    let of = |log: &Log| analysis(log).insights.into_iter().find(|one| one.contains("quotation"));
    let found = of(&scenes::decided());
    assert_eq!(found.as_deref(), Some("1 of 2 quotations by the judges was not found in the speech that it names."));
    assert_eq!(of(&scenes::order_sensitive()), None);
}

#[test]
fn words_that_are_kept_out_leave_nothing_behind_that_rests_on_speeches() {
    let mut log = formats::critiques();
    log.spec_mut().visible.debaters.history = false;
    let analysis = analysis(&log);
    assert!(analysis.metrics.iter().all(|one| one.words.is_none() && one.attacks_received.is_none()));
    assert!(analysis.metrics.iter().all(|one| one.generated_tokens.is_some()));
    assert_eq!((analysis.beliefs, analysis.disagreement.standing), (None, None));
    assert!(!analysis.relationships.is_empty() && analysis.relationships.iter().all(|one| one.attacks.is_none()));
    assert_eq!(analysis.disagreement.remains, Some(true));
    assert!(analysis.insights.contains(&"Bruno moved from “Chioma” to “Ada”.".to_owned()));
}

#[test]
fn hostile_names_and_answers_stay_text_in_the_analysis() {
    let attack = "</ul><script>alert(1)</script>\n\n# Forged | [x](javascript:y)";
    let log = hostile(attack);
    let [full, summary, page, _] = shown_by(&log);
    for markdown in [full, summary] {
        let (_, analysis) = markdown.split_once("\n## Analysis\n").unwrap();
        assert!(analysis.contains("Forged") && !analysis.contains("\n# Forged") && !analysis.contains("[x](java"));
    }
    let (_, section) = page.split_once("<section id=\"analysis\">").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    assert!(section.contains("&#60;script&#62;") && !section.contains("<script>"), "{section}");
    Html::parse(&page).assert_sound();
}

#[test]
fn a_huge_debate_has_short_tables_and_all_in_the_result() {
    let names: Vec<String> = (0..16).map(|n| format!("Speaker{n}")).collect();
    let cast = names.iter().map(|name| persona(name, Some(name), "Talks")).collect();
    let mut log = admitted(spec("Who?", cast));
    for round in 1..=20 {
        for name in &names {
            say(&mut log, round, name, &names.join(" "));
        }
    }
    let log = ended(log);
    let found = analysis(&log);
    assert_eq!((found.relationships.len(), found.beliefs.unwrap().speeches.len()), (240, 320));
    assert!(found.insights.len() <= 8);
    let [full, summary, page, _] = shown_by(&log);
    let (_, section) = page.split_once("<section id=\"analysis\">").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    assert!(section.matches("<tr>").count() < 110 && section.matches("<rect").count() == 48 && section.len() < 60_000);
    assert!(section.contains("216 more rows in the result as JSON."));
    assert!(section.contains("296 speeches with lower strengths are left out here."));
    let (_, tables) = full.split_once("\n## Analysis\n").unwrap();
    assert!(
        tables.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with('|')).count() < 50
    );
    let (_, insights) = summary.split_once("\n## Analysis\n").unwrap();
    assert!(insights.lines().skip(1).take_while(|line| line.starts_with("- ")).count() <= 5);
}
