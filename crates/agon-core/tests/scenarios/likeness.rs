//! How often likeness by words is wrong, over 60 pairs of sentences in five languages, beside the table of the guide.
use agon_core::Similarity;
use agon_core::signals::likeness;

const PAIRS: &str = include_str!("likeness/pairs.tsv");
const PAGE: &str = include_str!("../../../../docs/guide/debate-files.md");
const KINDS: [&str; 3] = ["same", "opposed", "unrelated"];

/// The pairs of a language and kind, and how many of them are as like as speeches must be to say the same.
fn taken_for_same(language: &str, kind: &str) -> (usize, usize) {
    let threshold = Similarity::default().similarity_threshold;
    let pairs = PAIRS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let pairs: Vec<_> = pairs.filter(|pair| pair[0] == language && pair[1] == kind).collect();
    let taken = pairs.iter().filter(|pair| likeness(pair[2], pair[3]) >= threshold).count();
    (pairs.len(), taken)
}

#[test]
fn likeness_by_words_errs_as_often_as_the_guide_says() {
    let names = [("en", "English"), ("de", "German"), ("fr", "French"), ("es", "Spanish"), ("zh", "Chinese")];
    let mut all = [0; 3];
    for (language, name) in names {
        let found = KINDS.map(|kind| taken_for_same(language, kind));
        let cells = found.map(|(pairs, taken)| format!("{taken} of {pairs}")).join(" | ");
        let row = format!("| {name} | {cells} |");
        println!("{row}");
        assert!(PAGE.contains(&row), "the guide has no row {row:?}");
        all.iter_mut().zip(found).for_each(|(sum, (_, taken))| *sum += taken);
    }
    let [same, opposed, unrelated] = all;
    let wrong = 20 - same + opposed + unrelated;
    let line = format!("wrong for {wrong} of 60 pairs");
    println!("{line}");
    assert!(PAGE.contains(&line), "the guide does not say {line:?}");
    // Taking opposites for the same would end a debate; missing that two say the same only lets it go on.
    assert_eq!((opposed, unrelated), (0, 0), "opposed and unrelated pairs that count as the same");
}

#[test]
fn other_numbers_a_not_and_a_word_replaced_tell_opposed_sentences_apart() {
    let threshold = Similarity::default().similarity_threshold;
    for line in PAIRS.lines().filter(|line| line.contains("\topposed\t")) {
        let [language, _, one, other] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        println!("{language} {:.3} {one} / {other}", likeness(one, other));
        assert!(likeness(one, other) < threshold, "{line}: {}", likeness(one, other));
    }
}
