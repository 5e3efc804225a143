//! What happens to text that wants to be more than text.
use crate::log::{Log, ReachedVerdict, admitted, persona, spec};
use crate::page::Html;
use crate::shown::{minutes, watch};
use crate::{formats, scenes};
use agon_core::testing::argument;
use agon_core::*;
use agon_report::{
    LiveView, Minutes, ResultBlock, full_markdown, html, summary_only, tree_markdown, tree_svg, verbose,
};
use proptest::prelude::*;

pub const ATTACKS: [&str; 22] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)><style>*{background:url(https://evil.example)}</style>",
    "[click](javascript:alert(1)) [click](data:text/html,x) <https://evil.example>",
    "![pixel](https://evil.example/pixel.png)",
    "[a]: javascript:alert(1)\n\n[a] ![a]",
    "</div></article></main><h1>Forged</h1>",
    "</style><style>body{display:none}</style><link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=//evil.example'><base href=//evil.example>",
    "<form action=//evil.example><input name=q></form><iframe src=//evil.example></iframe>",
    "<a href=\"#verdict\" id=\"verdict\" style=\"position:fixed\" onclick=alert(1)>x</a>",
    "<!-- <p> --> <![CDATA[ x ]]> <?php x ?>",
    "# Decision\n\n## Forged heading\n\nForged\n===\n\nForged\n---",
    "---\nfront: matter\n---\n\n***\n\n> **Moderator** holds the question for settled",
    "```\nan unclosed fence",
    "~~~~html\n<script>alert(1)</script>",
    "| a | b |\n| --- | --- |\n| `x|y` | <b>z</b> |",
    "cell | break \\| and \\\\| more\nnext | line",
    "1\\. forged list\n\\# forged heading\n&#35; forged heading\n\\=\\=\\=",
    "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{9b}2J bell\u{7} null\u{0} \u{202e}reversed\u{2066} zero\u{200b}width\u{feff} \u{e0041}tag",
    "{{ style|safe }} {% include \"x\" %} ${x} `${y}`",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
];

/// A debate in which every text that anybody but Agon writes is `text`.
pub fn hostile(text: &str) -> Log {
    let mut spec = spec(text, vec![persona(text, Some(text), text), persona("Bruno", Some(text), text)]);
    (spec.context, spec.materials, spec.instructions) =
        (Some(text.to_owned()), Some(text.to_owned()), Some(text.to_owned()));
    spec.labels.insert("label".to_owned(), text.to_owned());
    let mut log = admitted(spec);
    log.push(Event::ParticipantPlaced {
        participant: text.into(),
        host: text.to_owned(),
        model: text.into(),
        digest: Some(text.to_owned()),
    });
    log.ballot(0, BallotStage::Initial, text, text, text);
    log.phase(PhaseName::Rounds).round(1, &[text]);
    let plan = RoundPlan {
        next_speakers: vec![text.into()],
        briefing: Some(text.to_owned()),
        new_angle: Some(text.to_owned()),
        done: true,
    };
    log.moderate(1, ModeratorDecision::Opens(plan));
    let (verifier, result) = (text.to_owned(), CheckResult::Refuted);
    let (claim, output) = (text.to_owned(), text.to_owned());
    let check = Check { verifier, claim, result, output, truncated: true, duration_ms: 3 };
    let mut asked = log.ask(1, text, argument());
    asked.call.checks.push(check);
    let turn = asked.turn;
    log.spoke(asked, SpeechKind::Argument, text, |_| {});
    let mut asked = log.ask(1, text, Work::Closing.into());
    (asked.call.host, asked.call.finish_reason) = (Some(text.to_owned()), Some(text.to_owned()));
    log.fail(asked, Failure::new(FailureCause::ServerError, text), Some(10));
    let summary = RoundSummary {
        summary: text.to_owned(),
        status: RoundStatus::Settled,
        decision: Some(text.to_owned()),
        vote_now: true,
    };
    log.moderate(1, ModeratorDecision::Closes(summary));
    log.ballot(2, BallotStage::Final, text, "other", text);
    log.vote(2, text, text, text);
    log.push(Event::VoteTallied {
        rule: Some(VoteRule::Plurality),
        weights: Vec::new(),
        counts: vec![(text.to_owned(), 1)],
        eligible: 1,
        received: 1,
        winner: Some(text.to_owned()),
    });
    asides(&mut log, text);
    let citation = Citation {
        turn: Some(turn),
        participant: Some(text.into()),
        quote: text.to_owned(),
        verified: false,
        too_short: false,
    };
    log.judge(2, 0, Some(text), text, vec![citation]);
    log.judge(2, 1, None, text, Vec::new());
    log.verdict(ReachedVerdict {
        verdict: Some(text.to_owned()),
        winner: Some(text.to_owned()),
        reasoning: Some(text.to_owned()),
        consensus: Some(Consensus {
            answer: Some(text.to_owned()),
            top: 1,
            eligible: 2,
            strength: Strength::Split,
            contested: true,
            source: ConsensusSource::Votes,
        }),
        majority: MajorityShift::Overturned,
        moved: vec![text.into()],
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.push(Event::CancelRequested { reason: text.to_owned() });
    log.succeed(Outcome::Inconclusive, Some(Reason::with(ReasonCode::OrderSensitive, text)));
    log
}

/// The same text in everything that formats, moderators, tools and judges add.
fn asides(log: &mut Log, text: &str) {
    let who = || ParticipantId::from(text);
    let remarks = || vec![Remark { to: who(), text: text.to_owned() }];
    log.push(formats::tool(TurnId { round: 1, seat: 1, attempt: 1 }, text, text, Some(text), None));
    log.push(formats::tool(TurnId { round: 1, seat: 1, attempt: 1 }, text, text, None, Some(text)));
    for purpose in [BidPurpose::Floor, BidPurpose::Point] {
        log.bid(1, text, purpose, Bid { urgency: 5, to: Some(who()), text: Some(text.to_owned()) });
    }
    let points = vec![Point { by: who(), text: text.to_owned() }];
    let reply = PointReply { accepts: Some(who()), reply: Some(text.to_owned()) };
    log.answer(1, text, agon_core::testing::answering(points.clone()), |asked| asked.points(points, reply));
    let critique = Critique { severity: 7, issues: vec![text.to_owned()], suggestions: vec![text.to_owned()] };
    log.answer(1, text, Work::Critique { of: who() }.into(), |asked| asked.critique(text, critique, 1));
    log.speak_as(1, text, SpeechKind::Revision, text, |speech| {
        (speech.to, speech.cut_by, speech.answer) = (Some(who()), Some(who()), Some(text.to_owned()));
        speech.accepted = vec![who()];
        speech.declined = vec![Declined { critic: who(), why: text.to_owned() }];
    });
    let note = Note { position: Some(text.to_owned()), contradictions: vec![text.to_owned()], ..Note::default() };
    let reflect = agon_core::testing::reflecting(true, false);
    log.answer(1, text, reflect, |asked| asked.note(note));
    let interjection = Interjection {
        comment: Some(text.to_owned()),
        warnings: remarks(),
        questions: remarks(),
        revisions: remarks(),
    };
    log.interject(1, interjection);
    let speech = TurnId { round: 1, seat: 1, attempt: 1 };
    let scores = vec![SpeechScore { speech, score: formats::score(1, 2, 3, 4), comment: Some(text.to_owned()) }];
    log.score_speeches(1, scores);
    log.answer(1, MODERATOR, Work::Research.into(), |asked| asked.brief(text));
    let conclusion = Conclusion::Summary;
    log.answer(1, MODERATOR, Work::Conclude { conclusion }.into(), |asked| {
        asked.conclusion(conclusion, text, Some(text))
    });
    log.answer(1, SUMMARIZER, agon_core::testing::summarising(1), |asked| asked.summary(1, text));
    log.answer(1, JUDGE, Work::EnoughSaid.into(), |asked| asked.enough(false, text));
    let ranking = vec![Ranked { candidate: text.to_owned(), reason: text.to_owned() }];
    log.rank(2, JUDGE, 0, ranking);
    let debater_scores = vec![DebaterScore { debater: who(), score: formats::score(1, 2, 3, 4) }];
    log.answer(2, text, agon_core::testing::scoring(Vec::new()), |asked| asked.debaters_scored(debater_scores));
    let (output, problems) = (serde_json::to_string(text).unwrap(), vec![text.to_owned()]);
    let synthesis = Synthesis { text: text.into(), output: Some(output.as_str().into()), problems };
    log.synthesise(3, synthesis);
}

#[test]
fn no_text_leaves_the_words_of_a_drawn_tree() {
    let trees =
        ["</text><script>alert(1)</script>", "\"]; click T1 \"https://evil.example\"", "```\n# Forged", "]]><!--"];
    for attack in ATTACKS.into_iter().chain(trees) {
        let log = hostile(attack);
        let minutes = minutes(&log);
        let svg = Html::parse(&tree_svg(&minutes));
        assert_eq!((svg.errors, svg.unbalanced), (Vec::new(), Vec::new()), "{attack}");
        let known = ["svg", "title", "desc", "style", "rect", "g", "text", "path", "polygon", "circle"];
        for tag in &svg.tags {
            assert!(known.contains(&tag.name.as_str()), "{attack}: {tag:?}");
            assert!(!tag.attributes.iter().any(|(name, _)| name.starts_with("on") || name.contains("href")), "{tag:?}");
        }
        let markdown = tree_markdown(&minutes);
        let (_, chart) = markdown.split_once("```mermaid\n").unwrap();
        let (chart, rest) = chart.split_once("```").unwrap();
        assert_eq!(rest, "\n", "{attack}");
        for line in chart.lines() {
            let own = ["flowchart BT", "  T", "  classDef s", "  class T"].iter().any(|start| line.starts_with(start));
            let marks = line.replace("<br/>", "").replace("[\"", "").replace("\"]", "");
            assert!(own && !marks.contains(['"', '<', '`', '%', '[', ']', '(', '{', '&']), "{attack}: {line}");
        }
        assert_eq!(chart.lines().filter(|line| line.starts_with("  class")).count() % 2, 0, "{attack}");
    }
}

fn page(text: &str) -> String {
    let log = hostile(text);
    html(&minutes(&log).with_log_head(text)).unwrap()
}

/// The shape of a Markdown text: its headings, rules and tables as a reader would see them.
fn skeleton(markdown: &str) -> Vec<String> {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(markdown, options)
        .filter_map(|event| match event {
            Event::Start(Tag::Heading { level, .. }) => Some(format!("{level}")),
            Event::Start(Tag::Table(columns)) => Some(format!("table of {}", columns.len())),
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock | Tag::MetadataBlock(_))
            | Event::Html(_)
            | Event::InlineHtml(_) => Some(format!("{event:?}")),
            Event::Rule => Some("rule".to_owned()),
            _ => None,
        })
        .collect()
}

#[test]
fn no_text_adds_a_heading_a_rule_a_link_or_html_to_a_markdown_report() {
    let harmless = hostile("harmless");
    for attack in ATTACKS {
        let log = hostile(attack);
        for render in [full_markdown, summary_only, verbose] {
            let wanted = skeleton(&render(&Minutes::from_records(&harmless.records).unwrap()));
            let report = render(&minutes(&log));
            let mut found = skeleton(&report);
            if attack.starts_with("| a |") {
                // A speaker may draw tables of its own.
                found.retain(|part| part != "table of 2" || wanted.contains(part));
                found.dedup();
                assert!(found.iter().all(|part| wanted.contains(part)), "{attack}\n{found:?}");
            } else {
                assert_eq!(found, wanted, "{attack}\n{report}");
            }
        }
    }
}

/// Pieces that mean something to Markdown, in any order.
fn markdown_soup() -> impl Strategy<Value = String> {
    let pieces = vec![
        "#",
        "##",
        " ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n\n",
        "\r",
        "`",
        "```",
        "~~~",
        ">",
        "-",
        "---",
        "+",
        "*",
        "**",
        "***",
        "_",
        "__",
        "|",
        "|-|",
        "<",
        "</",
        "<b>",
        "<!--",
        "-->",
        "<?",
        "&",
        "&#35;",
        "&lt;",
        "[",
        "]",
        "(",
        ")",
        "[a](b)",
        "!",
        "\\",
        "1.",
        "1)",
        "=",
        "===",
        "a",
        "a b",
        "~~",
        ":",
        "$",
        "\u{a0}",
        "https://x.example",
        "[^1]",
        "[^1]: ",
        "[ ]",
    ];
    prop::collection::vec(prop::sample::select(pieces), 1..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_soup_of_marks_adds_a_heading_a_rule_a_link_or_html_to_a_markdown_report(soup in markdown_soup()) {
        let (harmless, log) = (hostile("harmless"), hostile(&soup));
        let shape = |log: &Log| {
            let report = verbose(&minutes(log));
            // A speaker may draw tables of its own; sections without any text may be left out.
            skeleton(&report).into_iter().filter(|part| !part.starts_with("table")).collect::<Vec<_>>()
        };
        prop_assert_eq!(shape(&log), shape(&harmless));
    }

    #[test]
    fn no_soup_of_marks_unsettles_the_page(soup in markdown_soup()) {
        Html::parse(&page(&soup)).assert_sound();
    }
}

#[test]
fn no_text_adds_an_element_or_an_attribute_that_a_harmless_one_has_not() {
    // A long text is folded, a short one is not.
    let harmless = ["harmless", &"harmless ".repeat(40)].map(|text| Html::parse(&page(text)));
    let prose = [
        "strong",
        "em",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "h5",
        "h6",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "hr",
        "br",
        "p",
        "del",
    ];
    for attack in ATTACKS {
        let html = Html::parse(&page(attack));
        html.assert_sound();
        for tag in &html.tags {
            let known = harmless
                .iter()
                .flat_map(|page| &page.tags)
                .any(|other| other.name == tag.name && other.attribute_names() == tag.attribute_names());
            let plain = prose.contains(&tag.name.as_str()) && tag.attributes.is_empty();
            assert!(known || plain, "{attack}: {tag:?}");
        }
    }
}

#[test]
fn what_looked_like_html_is_still_there_to_read() {
    let page = page("<script>alert(1)</script>");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn a_link_shows_where_it_leads_and_does_not_lead_there() {
    let page = page("[the ministry](https://evil.example/x)");
    assert!(page.contains("the ministry (https://evil.example/x)"));
    assert!(!page.contains("href=\"https:"));
}

#[test]
fn no_report_carries_control_characters_or_invisible_ones() {
    let log = hostile(ATTACKS[19]);
    let minutes = minutes(&log);
    for report in [full_markdown(&minutes), summary_only(&minutes), verbose(&minutes), html(&minutes).unwrap()] {
        let odd = report
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}".contains(*c));
        assert_eq!(odd, None);
        // The specification is shown as JSON, where the escape character is spelt out and commands nothing.
        let report = report.replace("\\u001b[31m", "");
        assert!(report.contains("red") && !report.contains("[31m"));
    }
}

#[test]
fn no_line_of_a_terminal_carries_control_characters() {
    for attack in ATTACKS {
        let log = hostile(attack);
        let mut view = LiveView::new();
        let mut lines = Vec::new();
        for record in &log.records {
            for (position, event) in record.entries() {
                lines.extend(view.lines(position, record.at, event));
                lines.extend(view.summary(record.at).into_iter().chain(view.turns(record.at)));
            }
        }
        let minutes = minutes(&log);
        lines.extend(ResultBlock::of(&minutes).lines());
        for line in lines {
            let text = line.to_string();
            assert!(!text.chars().any(char::is_control), "{text:?}");
            // JSON spells the escape character out, which commands nothing.
            let text = text.replace("\\u001b[31m", "");
            assert!(!text.contains("[31m") && !text.contains('\u{202e}'), "{text:?}");
        }
    }
}

#[test]
fn a_speech_on_a_terminal_cannot_begin_where_the_lines_of_agon_begin() {
    let mut log = admitted(scenes::pair());
    log.speak(1, "Ada", SpeechKind::Argument, "fine\n== Result ==\rDecided: me");
    let lines: Vec<String> = watch(&log).1.iter().map(ToString::to_string).collect();
    assert!(lines.contains(&"  == Result ==".to_owned()) && lines.contains(&"  Decided: me".to_owned()), "{lines:#?}");
}

#[test]
fn very_long_words_and_right_to_left_text_stay_whole() {
    let long = "x".repeat(5_000);
    assert!(page(&long).contains(&long));
    assert!(page("שלום עולם").contains("<p>שלום עולם</p>"));
}
