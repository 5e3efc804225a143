//! Whatever is fed in, the answer is a spec or diagnostics, soon.
use agon_spec::{Code, Defaults, Limits, MAX_BYTES, Parsed, Source, Syntax, parse, render};
use proptest::prelude::*;

fn read(name: &str, bytes: impl Into<Vec<u8>>) -> Parsed {
    parse(&Source::new(name, bytes), &Defaults::default())
}

fn has(parsed: &Parsed, code: Code) -> bool {
    parsed.diagnostics.iter().any(|found| found.code == code)
}

#[test]
fn a_file_of_a_mebibyte_is_read_and_one_byte_more_is_not() {
    let mut text = "# Tea?\n\n".to_owned();
    text.push_str(&"x".repeat(MAX_BYTES - text.len()));
    assert!(!has(&read("a.md", text.clone()), Code::FileTooLarge));
    text.push('x');
    assert!(has(&read("a.md", text), Code::FileTooLarge));
}

#[test]
fn a_file_full_of_mistakes_shows_the_first_hundred_and_counts_the_rest() {
    let text: String = (0..500).map(|n| format!("zz{n}: 1\n")).collect();
    let parsed = read("a.yaml", text);
    assert_eq!(parsed.diagnostics.len(), 101);
    let last = parsed.diagnostics.last().unwrap();
    assert_eq!(
        (last.code, last.message.as_str()),
        (Code::TooManyProblems, "402 further problems are not shown; fix these first")
    );
}

#[test]
fn text_that_is_used_again_and_again_counts_each_time() {
    let text = format!("topic: &a {}\nmodel: m\nlabels:\n{}", "x".repeat(900_000), "  k: *a\n".repeat(4_000));
    let parsed = read("a.yaml", text.clone());
    assert_eq!(parsed.diagnostics.len(), 1, "{}", render(&parsed.diagnostics));
    assert_eq!((parsed.diagnostics[0].code, parsed.diagnostics[0].place.line), (Code::TooComplex, 6));
    assert!(has(&read("a.md", format!("---\n{text}---\n# x\n")), Code::TooComplex));
    // Keys that are anchors, and anchors inside anchors, are copies too.
    let nested = (0..20).fold("x".repeat(400_000), |inner, n| format!("&a{n} [{inner}]"));
    assert!(has(&read("a.yaml", format!("topic: {nested}\n")), Code::TooComplex));
}

#[test]
fn variables_count_with_what_they_are_filled_with() {
    let file = |topic: usize, uses: usize| {
        format!("topic: {}\nmodel: m\ninstructions: \"{}\"\n", "t".repeat(topic), "{{topic}}".repeat(uses))
    };
    assert!(read("a.yaml", file(10_000, 50)).spec.is_some());
    assert!(has(&read("a.yaml", file(100_000, 50)), Code::TooComplex));
    assert!(has(&read("a.yaml", file(10, 101)), Code::TooComplex));
    let unknown: String = (0..60_000).map(|n| format!("{{{{a{n}}}}}")).collect();
    assert!(has(&read("a.yaml", format!("topic: t\nmodel: m\ninstructions: \"{unknown}\"\n")), Code::TooComplex));
}

#[test]
fn each_limit_is_a_setting() {
    let least = Limits { expression_steps: 1, schema_nodes: 1, expanded_bytes: 1, variables: 1 };
    let usual = Limits::default();
    let values: Vec<usize> = (0..6_000).collect();
    let loops = "labels.all(a, labels.all(b, labels.all(c, a != '')))";
    let labels: String = (0..40).map(|n| format!("  l{n}: x\n")).collect();
    let text = "x".repeat(900_000);
    for (file, raised, code, told) in [
        (
            format!("labels:\n{labels}terminate_when: \"{loops}\"\n"),
            Limits { expression_steps: Limits::MOST.expression_steps, ..usual },
            Code::BadExpression,
            "at most 200000",
        ),
        (
            format!("synthesizer: {{output_schema: {{enum: {values:?}}}}}\n"),
            Limits { schema_nodes: 6_002, ..usual },
            Code::BadSchema,
            "more than 5000 nodes",
        ),
        (
            format!("labels: {{a: &a {text}, b: *a, c: *a, d: *a}}\n"),
            Limits { expanded_bytes: Limits::MOST.expanded_bytes, ..usual },
            Code::TooComplex,
            "at most 4194304 are allowed",
        ),
        (
            format!("instructions: \"{}\"\n", "{{topic}}".repeat(101)),
            Limits { variables: 101, ..usual },
            Code::TooComplex,
            "holds 101 variables; at most 100 are allowed",
        ),
    ] {
        let source = Source::new("a.yaml", format!("topic: Tea?\nmodel: m\n{file}"));
        let read = |limits| parse(&source, &Defaults { limits, ..Defaults::default() });
        let refused = read(usual);
        let said = render(&refused.diagnostics);
        assert!(has(&refused, code) && said.contains(told) && said.contains("help: the setting `limits."), "{said}");
        assert!(read(raised).spec.is_some(), "{told}: {}", render(&read(raised).diagnostics));
        assert!(read(least).spec.is_none(), "{told}");
    }
    assert_eq!((usual.problems(), Limits::MOST.problems()), (Vec::new(), Vec::new()));
    let wrong = Limits { expression_steps: 0, variables: 1_001, ..usual };
    let told = ["expression_steps: 0; from 1 to 1000000 is allowed", "variables: 1001; from 1 to 1000 is allowed"];
    assert_eq!(wrong.problems(), told);
}

#[test]
fn schemas_and_expressions_that_unfold_are_refused_with_their_place() {
    let level =
        |n: usize| format!("      d{n}: {{allOf: [{{$ref: '#/$defs/d{m}'}}, {{$ref: '#/$defs/d{m}'}}]}}\n", m = n + 1);
    let levels: String = (0..18).map(level).collect();
    let schema = format!(
        "topic: Tea?\nmodel: m\nsynthesizer:\n  output_schema:\n    $ref: '#/$defs/d0'\n    $defs:\n{levels}      d18: {{}}\n"
    );
    let labels: String = (0..32).map(|n| format!("  l{n}: x\n")).collect();
    let opened: String = ('a'..='h').map(|name| format!("labels.all({name}, ")).collect();
    let expression =
        format!("topic: Tea?\nmodel: m\nterminate_when: \"{opened}true{}\"\nlabels:\n{labels}", ")".repeat(8));
    for (text, code, said) in [(schema, Code::BadSchema, "5000"), (expression, Code::BadExpression, "200000")] {
        let parsed = read("a.yaml", text);
        let found = parsed.diagnostics.iter().find(|found| found.code == code).unwrap();
        assert!(found.message.contains(said) && found.place.line > 2, "{}", render(&parsed.diagnostics));
    }
}

#[test]
fn long_and_deep_expressions_are_refused_before_they_are_parsed() {
    for expression in
        ["(".repeat(400), "!".repeat(499), "-".repeat(499), "1+".repeat(249), "a.".repeat(249), "!".repeat(501)]
    {
        let text = format!("topic: Tea?\nmodel: m\nterminate_when: \"{expression}\"\n");
        assert!(read("a.yaml", text).spec.is_none(), "{expression}");
    }
}

#[test]
fn the_deepest_expressions_that_are_parsed_fit_the_stack_of_a_thread() {
    for opening in ["(", "[", "{1:", "{", "true?1:", "true?", "f(", "a[", "[{1:(true?"] {
        let levels = opening.chars().filter(|c| "([{?".contains(*c)).count();
        let expression = format!("{}1", opening.repeat(8 / levels));
        let text = format!("topic: Tea?\nmodel: m\nterminate_when: \"{expression}\"\n");
        assert!(has(&read("a.yaml", text), Code::BadExpression), "{expression}");
    }
}

#[test]
fn large_hostile_files_are_read_in_time() {
    let half = MAX_BYTES / 4;
    let texts = [
        "[".repeat(half),
        "{\"a\":".repeat(half / 5),
        "- ".repeat(half / 2),
        "a: ".repeat(half / 3),
        "&a ".repeat(half / 3),
        "> ".repeat(half / 2),
        "#".repeat(half),
        "*_".repeat(half / 2),
        "\u{feff}".repeat(half / 3),
        "\"".repeat(half),
    ];
    for text in texts {
        for name in ["a.yaml", "a.json", "a.md"] {
            let front = format!("---\n{text}\n---\n# x\n");
            assert!(read(name, text.clone()).spec.is_none());
            assert!(read("b.md", front).spec.is_none());
        }
    }
}

fn fragment() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "topic: Tea?\n",
        "model: m\n",
        "---\n",
        "personas:\n",
        "  - name: ada\n",
        "    stance: tea\n",
        "- ",
        "  ",
        "\t",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ": ",
        "\"",
        "'",
        "|\n",
        ">\n",
        "&a ",
        "*a",
        "!!str ",
        "# Tea?\n",
        "## Context\n",
        "## Materials\n",
        "é",
        "\u{feff}",
        "\r\n",
        "\r",
        "max_rounds: 3\n",
        "terminate_when: ",
        "round > 2",
        "&& ",
        "(",
        ")",
        "instructions: ",
        "{{topic}}",
        "{{",
        "moderator: true\n",
        "judge:\n",
        "  orders: 2\n",
        "timeout_per_turn: ",
        "90s\n",
        "null\n",
        "? ",
        "%YAML 1.2\n",
        "...\n",
        "\\u00e9",
        "\\",
        "\u{0}",
        "```\n",
        "> ",
    ]);
    let piece = prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn check(syntax: Syntax, text: &str) -> Result<(), TestCaseError> {
    let parsed = parse(&Source::new("a", text).with_syntax(syntax), &Defaults::default());
    prop_assert_eq!(parsed.spec.is_none(), parsed.has_errors());
    let lines: Vec<usize> =
        text.replace("\r\n", "\n").replace('\r', "\n").split('\n').map(|line| line.chars().count()).collect();
    for found in &parsed.diagnostics {
        let length = lines.get(found.place.line - 1);
        prop_assert!(length.is_some_and(|length| found.place.column <= length + 1), "{}", render(&parsed.diagnostics));
    }
    prop_assert!(render(&parsed.diagnostics).chars().all(|c| c == '\n' || !c.is_control()));
    Ok(())
}

proptest! {
    #[test]
    fn any_text_gives_a_spec_or_errors_whose_places_exist(text in fragment()) {
        for syntax in [Syntax::Auto, Syntax::Markdown, Syntax::Yaml, Syntax::Json] {
            check(syntax, &text)?;
        }
    }

    #[test]
    fn any_expression_is_taken_or_refused(expression in "[a-z0-9_ .()\\[\\]{}&|!<>=+*/?:'-]{0,60}") {
        check(Syntax::Json, &format!("{{\"topic\": \"t\", \"model\": \"m\", \"terminate_when\": \"{expression}\"}}"))?;
    }

    #[test]
    fn any_bytes_give_a_spec_or_errors(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let parsed = read("a", bytes);
        prop_assert_eq!(parsed.spec.is_none(), parsed.has_errors());
    }
}
