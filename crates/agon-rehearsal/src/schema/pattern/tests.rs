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

#[test]
fn a_seed_samples_what_it_always_sampled() {
    let patterns = [
        r"^[A-Z]{3}-\d{4}$",
        r"^(draft|final|fin)$",
        r"^[a-z0-9_-]+$",
        r"^v?\d+\.\d+(\.\d+)?$",
        r"^.{5,10}$",
        r"^\S+@\S+\.[a-z]{2,}$",
        "needle",
        r"^[^0-9]*$",
        "^a|b$",
        r"^\w+(?: \w+)*$",
        r"^[\d\-x]{4}[]a]\n?\t$",
        r"x(|y|zz)*?\W\D",
    ];
    let mut sampled = blake3::Hasher::new();
    for (text, seed) in patterns.iter().flat_map(|text| (0..20).map(move |seed| (text, seed))) {
        for bounds in [(0, 99), (12, 20), (30, 40)] {
            let sample = Pattern::read(text).unwrap().sample(bounds, &mut KeyedDice::new(seed, &["golden"]));
            sampled.update(sample.as_bytes());
        }
    }
    assert_eq!(sampled.finalize().to_hex().as_str().get(..16), Some("3ff6524206fc6101"));
}
