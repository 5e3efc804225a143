//! The words by which the templates of models part messages. Servers that put a conversation together as one text take
//! them for their own wherever they stand.
use std::borrow::Cow;

/// Those that are not of the form `<|...|>`, in lower case.
const WORDS: [&str; 20] = [
    "[inst]",
    "[/inst]",
    "[system_prompt]",
    "[/system_prompt]",
    "[available_tools]",
    "[/available_tools]",
    "[tool_calls]",
    "[tool_results]",
    "[/tool_results]",
    "<<sys>>",
    "<</sys>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<s>",
    "</s>",
    "<eos>",
];
/// Bytes between the bars of `<|...|>`.
const MOST_BETWEEN: usize = 48;

/// Where such words open, as the places after their first character.
pub(super) fn openings(line: &str) -> impl Iterator<Item = usize> {
    let opens = |at: &usize| line.get(*at..).is_some_and(|rest| is_word(rest) || is_barred(rest));
    let signs = line.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'<' | b'['));
    signs.map(|(at, _)| at).filter(opens).map(|at| at + 1)
}

/// The text with a space in each of them, and how many there were.
pub(super) fn broken(text: &str) -> (Cow<'_, str>, u32) {
    let (mut safe, mut count, mut kept) = (String::new(), 0_u32, 0);
    for at in openings(text) {
        safe.push_str(text.get(kept..at).unwrap_or_default());
        safe.push(' ');
        (kept, count) = (at, count.saturating_add(1));
    }
    if count == 0 {
        return (Cow::Borrowed(text), 0);
    }
    safe.push_str(text.get(kept..).unwrap_or_default());
    (Cow::Owned(safe), count)
}

fn is_word(text: &str) -> bool {
    WORDS.iter().any(|word| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))
}

/// `<|name|>`, with the wide bar too.
fn is_barred(text: &str) -> bool {
    let bar =
        |text: &str, at: usize| text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| "|｜".contains(*c));
    let Some(open) = bar(text, 1).filter(|_| text.starts_with('<')) else { return false };
    let inner = 1 + open.len_utf8();
    let Some(rest) = text.get(inner..) else { return false };
    let Some((end, close)) = rest.char_indices().find(|(_, c)| !(c.is_alphanumeric() || "_-/.:▁".contains(*c)))
    else {
        return false;
    };
    end > 0
        && end <= MOST_BETWEEN
        && "|｜".contains(close)
        && rest.get(end + close.len_utf8()..).is_some_and(|rest| rest.starts_with('>'))
}

#[cfg(test)]
mod tests {
    use super::openings;

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
        ] {
            assert_eq!(openings(&format!("é{word}x")).next(), Some(3), "{word}");
        }
    }

    #[test]
    fn ordinary_text_has_none() {
        for text in
            ["a <| b |> c", "x[0] < 3 and [in] brackets", "<b>bold</b>", "<||>", "<|", "1 < 2 | 3 > 2", "<|a\nb|>"]
        {
            assert_eq!(openings(text).count(), 0, "{text}");
        }
    }
}
