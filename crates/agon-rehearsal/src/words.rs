//! Small tools for prose: noun phrases out of a topic, sentences out of a speech, fragments fit for quoting.

/// Words that end a noun phrase: function words and the verbs topics are made of.
const BREAKS: &str = " a an the this that these those it its we our us you your they their he she i my who whom whose which what when where \
    why how is are was were be been being am do does did done doing has have had having will would shall should can could may \
    might must and or but nor so if than then as of in on at to for from by with without into onto over under about against \
    between before after during through per via not no never don't doesn't isn't too very more most less least only just also \
    rather instead still ever any all each every some both either neither there here now first yes use uses using used adopt adopts keep \
    keeps keeping move moves moving migrate replace replaces rewrite rewrites choose make makes making build builds buy become \
    allow allows ban bans banned let stop stops start starts need needs want wants get gets give gives go goes take takes put \
    run runs split splits beat beats deserve deserves pay pays belong belongs matter matters mean means help helps hurt hurts \
    require requires replace prefer invest switch switches exist exists cause causes improve improves hire ship ships \
    remain remains work works really actually worth good bad better best worse worst right wrong true false avoid reject oppose support \
    back introduce abolish raise lower default itself themselves ourselves them up out off down teach treat offer serve cost costs ";

/// Words that turn a stance against what it names.
const NEGATIONS: &str = " not no never against avoid reject oppose without stop ban don't doesn't isn't can't won't cannot anti- skeptical sceptical ";

fn listed(list: &str, word: &str) -> bool {
    let mut padded = String::with_capacity(word.len() + 2);
    padded.push(' ');
    padded.push_str(&word.to_lowercase());
    padded.push(' ');
    list.contains(&padded)
}

/// Words after which a noun is a thing we know: the phrase then gets its article back.
const DETERMINERS: &str = " a an the our its their his her my your this that one ";

/// The noun phrases of `text` in order: runs of content words, three at most, without repeats.
pub fn noun_phrases(text: &str) -> Vec<String> {
    let mut run = WordRun::default();
    let mut found: Vec<String> = Vec::new();
    for token in text.split_whitespace() {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let breaks = word.is_empty() || listed(BREAKS, word);
        if breaks || token.starts_with(['(', '"', '“', '\'']) {
            run.close(&mut found);
            run.determined = listed(DETERMINERS, word);
        }
        if !breaks {
            run.words.push(word);
        }
        if token.ends_with(|c: char| !c.is_alphanumeric()) {
            run.close(&mut found);
        }
    }
    run.close(&mut found);
    found
}

#[derive(Default)]
struct WordRun<'a> {
    words: Vec<&'a str>,
    determined: bool,
}

impl WordRun<'_> {
    fn close(&mut self, found: &mut Vec<String>) {
        let kept = self.words.get(self.words.len().saturating_sub(3)..).unwrap_or_default();
        let phrase = kept.iter().map(|word| decapitalise(word)).collect::<Vec<_>>().join(" ");
        if phrase.chars().any(char::is_alphabetic) && phrase.len() > 2 {
            let phrase = if self.determined { format!("the {phrase}") } else { phrase };
            if !found.contains(&phrase) {
                found.push(phrase);
            }
        }
        self.words.clear();
        self.determined = false;
    }
}

/// Lower-cases an ordinary capitalised word at the head of a phrase; `Rust` among other names cannot be told from `Monoliths`, so a word is
/// kept as written if it is an acronym, has a digit or an inner capital, or names a thing that is always capitalised.
fn decapitalise(word: &str) -> String {
    const NAMES: &str = " rust python java go kubernetes docker linux windows postgres mysql github google amazon europe america english german \
        french monday tuesday wednesday thursday friday saturday sunday scrum agile react kafka mars earth ";
    let odd = word.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit());
    if odd || listed(NAMES, word) { word.to_owned() } else { word.to_lowercase() }
}

/// Whether the text denies what it names.
pub fn is_negative(text: &str) -> bool {
    text.split_whitespace()
        .any(|word| listed(NEGATIONS, word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'')))
}

/// The sentences of `text`, trimmed, in order.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next_is_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if c == '\n' || (matches!(c, '.' | '!' | '?') && next_is_space) {
            let end = at + c.len_utf8();
            found.extend(text.get(start..end));
            start = end;
        }
    }
    found.extend(text.get(start..));
    found.into_iter().map(str::trim).filter(|sentence| sentence.chars().any(char::is_alphanumeric)).collect()
}

/// How many words `text` has.
pub fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// A piece of `sentence`, word for word, that can stand alone in at most `most` words; none if it is no use as a quote.
pub fn fragment(sentence: &str, most: usize) -> Option<&str> {
    let body = quotable(sentence)?;
    let kept = if word_count(body) <= most { body } else { up_to_a_pause(body, most)? };
    (word_count(kept) >= 5).then_some(kept)
}

/// The first `most` words of a sentence that may be quoted: what is left when it has no pause.
pub fn first_words(sentence: &str, most: usize) -> Option<&str> {
    let body = quotable(sentence)?;
    let ends = body.split_whitespace().map(|word| word.as_ptr() as usize - body.as_ptr() as usize + word.len());
    let end = ends.take(most).last()?;
    body.get(..end).filter(|kept| word_count(kept) >= 5)
}

fn quotable(sentence: &str) -> Option<&str> {
    let body = sentence.trim().trim_end_matches(['.', '!', '?', ';', ':', ',']);
    if body.contains(['"', '“', '”', '|', '#', '*', '`']) {
        return None; // a quote inside a quote reads as nobody's words
    }
    let leads = [
        "First, ",
        "Second, ",
        "Third, ",
        "Then, ",
        "And ",
        "But ",
        "So ",
        "- ",
        "Claim: ",
        "Evidence: ",
        "Inference: ",
        "Conclusion: ",
    ];
    let bound = body.starts_with("So far");
    Some(leads.iter().find_map(|lead| body.strip_prefix(lead)).filter(|_| !bound).unwrap_or(body))
}

/// The longest beginning of `body` that ends at a pause and does not wait for the rest.
fn up_to_a_pause(body: &str, most: usize) -> Option<&str> {
    const WAITING: &str =
        " when if once until while after before because although though unless as whatever whichever ";
    let mut pauses = body.match_indices([';', ':', ',']).filter_map(|(at, mark)| {
        let kept = body.get(..at)?;
        let waits = || listed(WAITING, kept.split_whitespace().next().unwrap_or_default());
        let complete = mark != "," || kept.contains(',') || !waits();
        (complete && (6..=most).contains(&word_count(kept))).then_some(kept)
    });
    pauses.next_back()
}

/// The same text with its first letter lower-cased, unless it is a name, an acronym or `I`.
pub fn lower_first(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    if matches!(first_word, "I" | "I'm" | "I'd" | "I've" | "I'll") {
        return text.to_owned();
    }
    let lowered = decapitalise(first_word);
    text.strip_prefix(first_word).map_or_else(|| text.to_owned(), |rest| format!("{lowered}{rest}"))
}

/// The same text with its first letter upper-cased.
pub fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noun_phrases_are_what_a_topic_is_about() {
        assert_eq!(noun_phrases("Should we rewrite the billing service in Rust?"), ["the billing service", "Rust"]);
        assert_eq!(
            noun_phrases("Should a five-person startup use microservices or a monolith?"),
            ["the five-person startup", "microservices", "the monolith"]
        );
        assert_eq!(noun_phrases("Does pineapple belong on pizza?"), ["pineapple", "pizza"]);
    }

    #[test]
    fn sentences_do_not_break_inside_a_number() {
        assert_eq!(
            sentences("It costs 3.5 million. Is that much? Yes"),
            ["It costs 3.5 million.", "Is that much?", "Yes"]
        );
    }

    #[test]
    fn a_fragment_is_verbatim_and_ends_at_a_pause() {
        let sentence =
            "First, look at the bad day, not the average one, because the average one forgives everything we do to it.";
        assert_eq!(fragment(sentence, 14), Some("look at the bad day, not the average one"));
        assert_eq!(fragment("When we are done with all of this, we shall know more about it.", 10), None);
        assert_eq!(first_words("When we are done with all of this, we shall know.", 5), Some("When we are done with"));
        assert_eq!(super::fragment("He said \"no\" to all of it again.", 14), None);
    }

    #[test]
    fn a_stance_that_denies_is_told_from_one_that_affirms() {
        assert!(is_negative("Rust is not worth it"));
        assert!(!is_negative("Rust pays for itself"));
    }
}
