//! The words by which the templates of models part messages. Servers that put a conversation together as one text take
//! them for their own wherever they stand.
use super::fold::{self, FoldedChars, same};
use super::lines;
use std::borrow::Cow;

/// What stands between angle brackets, in lower case; a slash in front makes no difference.
const ANGLED: [&str; 17] = [
    "s",
    "bos",
    "eos",
    "pad",
    "unk",
    "mask",
    "gmask",
    "sop",
    "eop",
    "user",
    "system",
    "assistant",
    "human",
    "think",
    "tool_call",
    "tool_response",
    "observation",
];
/// How it begins, with anything behind.
const ANGLED_STARTS: [&str; 9] =
    ["start_of_", "end_of_", "begin_of_", "extra_id_", "special_", "reserved_", "unused", "fim_", "tool_"];
/// What stands between square brackets.
const SQUARED: [&str; 14] = [
    "inst",
    "system_prompt",
    "available_tools",
    "tool_calls",
    "tool_results",
    "tool_content",
    "think",
    "gmask",
    "smask",
    "cls",
    "sep",
    "bos",
    "eos",
    "unk",
];
/// Characters of a name between the signs.
const MOST_BETWEEN: usize = 48;

/// Where such words open in folded text, as the places behind their first sign.
pub(super) fn openings(folded: &FoldedChars) -> impl Iterator<Item = usize> {
    let opens = |at: usize| folded.get(at..).is_some_and(opens_word);
    folded.iter().enumerate().filter(move |(at, (c, _))| matches!(c, '<' | '[') && opens(*at)).map(|(_, (_, end))| *end)
}

/// All places where such words open in a line that may be read in several ways.
pub(super) fn openings_of(readings: &[FoldedChars]) -> Vec<usize> {
    let mut all: Vec<usize> = readings.iter().flat_map(openings).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a text has such a word.
pub(super) fn stands_in(text: &str) -> bool {
    let has =
        |line: &str| !fold::is_plain(line) && fold::readings(line).any(|folded| openings(&folded).next().is_some());
    lines(text).any(|(_, line)| has(line))
}

/// The text with a space in each of them.
pub(super) fn broken(text: &str) -> Cow<'_, str> {
    let (mut safe, mut kept) = (String::new(), 0);
    for (start, line) in lines(text).filter(|(_, line)| !fold::is_plain(line)) {
        let readings: Vec<FoldedChars> = fold::readings(line).collect();
        for at in openings_of(&readings) {
            safe.push_str(text.get(kept..start + at).unwrap_or_default());
            safe.push(' ');
            kept = start + at;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    safe.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(safe)
}

/// Whether a text begins with such a word: its brackets, a slash and bars inside them, a name.
fn opens_word(text: &[(char, usize)]) -> bool {
    let mut rest = text.iter().map(|(c, _)| *c).peekable();
    let opening = rest.next();
    let is_double = opening == Some('<') && rest.next_if_eq(&'<').is_some();
    let has_bar = rest.next_if_eq(&'|').is_some();
    let _slash = rest.next_if_eq(&'/');
    let mut name = String::new();
    while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ':')) {
        if name.chars().count() == MOST_BETWEEN {
            return false;
        }
        name.push(c);
    }
    let has_end_bar = rest.next_if_eq(&'|').is_some();
    let is = |known: &&str| known.chars().map(same).eq(name.chars().map(same));
    let begins = |known: &&str| {
        let mut name = name.chars().map(same);
        known.chars().map(same).all(|c| name.next() == Some(c))
    };
    match (opening, rest.next()) {
        _ if name.is_empty() => false,
        (Some('<'), Some('>')) if is_double => rest.next() == Some('>') && is(&"sys"),
        (Some('<'), Some('>')) => has_bar || has_end_bar || ANGLED.iter().any(&is) || ANGLED_STARTS.iter().any(begins),
        (Some('['), Some(']')) => (has_bar && has_end_bar) || SQUARED.iter().any(is),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fold::readings;
    use super::{FoldedChars, openings_of};

    fn openings(text: &str) -> Vec<usize> {
        openings_of(&readings(text).collect::<Vec<FoldedChars>>())
    }

    #[test]
    fn the_words_of_many_templates_are_found() {
        for word in [
            "<|im_start|>",
            "<|eot_id|>",
            "<|start_header_id|>",
            "<｜end▁of▁sentence｜>",
            "[INST]",
            "<start_of_turn>",
            "</s>",
            "<<SYS>>",
            "[|user|]",
            "[|system|]",
            "[|endofturn|]",
            "<|turn>",
            "<turn|>",
            "[gMASK]",
            "<sop>",
            "<SPECIAL_10>",
            "<extra_id_0>",
            "<end_of_utterance>",
            "</assistant>",
            "[THINK]",
            "<bos>",
            "<\u{200b}|im_start|>",
            "<|im\u{200b}_start|>",
            "＜|im_start|＞",
            "‹∣im_start∣>",
            "‹│im_start│>",
            "［INST］",
            "<start\u{200b}_of_turn>",
            "[\u{1b}[0mINST]",
            "<|іm_stаrt|>",
        ] {
            assert_eq!(openings(&format!("é{word}x")), [2 + word.chars().next().unwrap().len_utf8()], "{word}");
        }
    }

    #[test]
    fn ordinary_text_has_none() {
        for text in [
            "a <| b |> c",
            "x[0] < 3 and [in] brackets",
            "<b>bold</b>",
            "<||>",
            "<|",
            "1 < 2 | 3 > 2",
            "<|a\nb|>",
            "[x|y]",
            "<name>",
            "[a](b)",
            "x < bos > y",
            "[ INST ]",
        ] {
            assert_eq!(openings(text), [0_usize; 0], "{text}");
        }
    }
}
