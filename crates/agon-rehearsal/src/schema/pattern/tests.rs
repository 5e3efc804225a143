use super::*;

#[test]
fn what_is_sampled_matches_and_keeps_its_length() {
    let patterns = [
        (r"^[A-Z]{3}-\d{4}$", (0, 99)),
        (r"^(draft|final)$", (0, 99)),
        (r"^[a-z0-9_-]+$", (12, 20)),
        (r"^v?\d+\.\d+(\.\d+)?$", (0, 99)),
        (r"^.{5,10}$", (7, 9)),
        (r"^\S+@\S+\.[a-z]{2,}$", (0, 40)),
        (r"needle", (20, 30)),
        (r"^[^0-9]*$", (4, 4)),
        (r"^a|b$", (0, 9)),
        (r"^\w+( \w+)*$", (0, 60)),
    ];
    for (text, bounds) in patterns {
        let schema =
            serde_json::json!({ "type": "string", "pattern": text, "minLength": bounds.0, "maxLength": bounds.1 });
        let pattern = Pattern::read(text).unwrap();
        for seed in 0..20 {
            let sample = pattern.sample(bounds, &mut KeyedDice::new(seed, &[]));
            assert!(
                pattern.matches(&sample) && jsonschema::is_valid(&schema, &serde_json::json!(sample)),
                "{text}: {sample}"
            );
        }
    }
}

#[test]
fn a_text_that_does_not_match_is_told_from_one_that_does() {
    let matches = |pattern: &str, text: &str| Pattern::read(pattern).unwrap().matches(text);
    assert!(matches("^(a+)+$", &"a".repeat(60)) && !matches("^(a+)+$", &("a".repeat(60) + "b")));
    assert!(matches(r"\d{2}", "room 42") && !matches(r"^\d{2}", "room 42"));
    assert!(matches("^(yes|no)$", "no") && !matches("^(yes|no)$", "nope"));
}

#[test]
fn what_is_not_understood_is_left_alone() {
    for text in ["(?=a)b", r"\p{L}+", r"(a)\1", "[[:alpha:]]", "a**", "(", "x{3"] {
        assert!(Pattern::read(text).is_none(), "{text}");
    }
}

#[test]
fn patterns_and_texts_that_take_too_many_steps_are_given_up() {
    for text in ["((a{4096}){4096}){4096}", "^(((){4096}){4096}){4096}$", "^(a*)*$", "(((a*)*)*)*b"] {
        let pattern = Pattern::read(text).unwrap();
        pattern.sample((10, 100), &mut KeyedDice::new(1, &["test"]));
        pattern.matches(&"a".repeat(20_000));
    }
}
