//! Text as a reader sees it who takes what is drawn alike for the same: small Latin letters and ASCII signs, without what is not seen.
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use unicode_general_category::{GeneralCategory as Category, get_general_category};
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// Characters that Unicode's tables do not take for the sign or letter that they look like here; of some, several stand in one.
const ALIKE: [(&str, &str); 31] = [
    ("‹〈⟨〈﹤❬❰⦑⧼⋖ᐊᐋ⏴◀◁◂◃", "<"),
    ("›〉⟩〉﹥❭❱⦒⧽⋗ᐅᐆ⏵▶▷▸▹►▻", ">"),
    ("«≪《⟪︽⪡⏪", "<<"),
    ("»≫》⟫︾⪢⏩", ">>"),
    ("⋘⫷", "<<<"),
    ("⋙⫸", ">>>"),
    ("═゠꞊⹀≡≣⩧🟰⚌〓", "="),
    ("♯⌗⋕⧣⧤⧥⨳⩨⩩𝄰𝄱𝄲ⵌ", "#"),
    ("∣│┃❘❙❚⎮⏐ǀ╎╏┆┇┊┋▏▕︱︲║‖丨￨¦⸠⸡", "|"),
    ("▁", "_"),
    ("ᴀ", "a"),
    ("ʙ", "b"),
    ("ϲϹ", "c"),
    ("ᴅ", "d"),
    ("ᴇєЄ", "e"),
    ("ꜰ", "f"),
    ("ɢ", "g"),
    ("ʜ", "h"),
    ("ᴊ", "j"),
    ("ᴋ", "k"),
    ("ʟ", "l"),
    ("ᴍ", "m"),
    ("ɴ", "n"),
    ("ᴘᴩ", "p"),
    ("ꞯ", "q"),
    ("ʀ", "r"),
    ("ᴛ", "t"),
    ("ᴜ", "u"),
    ("ᴠ", "v"),
    ("ᴡ", "w"),
    ("ʏ", "y"),
];
/// Bytes of a character's reference in HTML, and of the orders to a terminal that are looked for.
const MOST_SKIPPED: usize = 64;
/// References by name whose characters stand in our marks or between their words.
const NAMED: [(&str, &str); 14] = [
    ("lt", "<"),
    ("gt", ">"),
    ("equals", "="),
    ("num", "#"),
    ("colon", ":"),
    ("lsqb", "["),
    ("lbrack", "["),
    ("rsqb", "]"),
    ("rbrack", "]"),
    ("vert", "|"),
    ("verbar", "|"),
    ("lowbar", "_"),
    ("nbsp", " "),
    ("shy", ""),
];

/// A text's folded characters, each with the place behind what it was read from.
pub(super) type FoldedChars = Vec<(char, usize)>;

/// Whether a line has only ASCII, and no sign by which a mark could stand further on than at its beginning. Most lines are such, and every
/// line of a transcript is looked at for every prompt.
pub(super) fn is_plain(line: &str) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'=' | b'<' | b'>');
    line.bytes().all(|byte| byte.is_ascii() && !matches!(byte, b'&' | b'<' | b'[' | 0x1b))
        && line.bytes().filter(is_sign).count() < 3
}

/// A line that is not plain, as it may be read: orders to a terminal are seen as they stand, or not at all.
pub(super) fn readings(line: &str) -> impl Iterator<Item = FoldedChars> {
    let has_orders = line.contains(['\u{1b}', '\u{9b}']);
    let all = |orders| Fold { text: line, at: 0, orders }.collect_all();
    std::iter::once(all(true)).chain(has_orders.then(|| all(false)))
}

/// A plain line, folded as far as it is asked for.
pub(super) fn plain(line: &str) -> impl Iterator<Item = char> + Clone {
    line.chars().filter(|c| !is_unseen(*c)).map(|c| if c.is_whitespace() { ' ' } else { c.to_ascii_lowercase() })
}

/// Characters that are drawn alike in small Latin letters and digits, as one of them.
pub(super) fn same(c: char) -> char {
    match c {
        'i' | '1' | '|' => 'l',
        '0' => 'o',
        c => c,
    }
}

thread_local! {
    /// What characters beyond ASCII look like, nothing where it is themselves: the same come again and again, and Unicode's tables are slow.
    static SEEN: RefCell<BTreeMap<char, Option<Cow<'static, str>>>> = RefCell::default();
}
/// Characters that are remembered: more than Unicode has given a meaning, so that no text makes them be looked up again and again.
const MOST_SEEN: usize = 1 << 18;
/// Characters that one is read as: no sign that is put together of ASCII has more, and an Arabic one has eighteen.
const MOST_DRAWN: usize = 6;

struct Fold<'a> {
    text: &'a str,
    at: usize,
    /// Whether orders to a terminal are seen.
    orders: bool,
}

impl Fold<'_> {
    fn collect_all(mut self) -> FoldedChars {
        let mut folded = FoldedChars::with_capacity(self.text.len());
        while let Some(rest) = self.text.get(self.at..)
            && let Some(first) = rest.chars().next()
        {
            let (length, read) = self.step(rest, first);
            self.at += length;
            folded.extend(read.chars().map(|c| (c, self.at)));
        }
        folded
    }
    /// How much is read at the start of a text, and as what.
    fn step(&self, rest: &str, first: char) -> (usize, Cow<'static, str>) {
        let skipped = match first {
            '&' => reference(rest),
            '\u{1b}' | '\u{9b}' if !self.orders => order(rest).map(|length| (length, "".into())),
            _ => None,
        };
        skipped.unwrap_or_else(|| (first.len_utf8(), drawn(first)))
    }
}

/// A reference to a character in HTML at the start of a text: its bytes, and what it stands for.
fn reference(text: &str) -> Option<(usize, Cow<'static, str>)> {
    let end = text.bytes().take(MOST_SKIPPED).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let read = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            drawn(code.ok().and_then(char::from_u32)?)
        }
        None => NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, read)| (*read).into())?,
    };
    Some((end + 1, read))
}

/// The bytes of an order to a terminal at the start of a text: of ANSI's sequences those with parameters, and those with a text.
fn order(text: &str) -> Option<usize> {
    let (first, rest) = (text.chars().next()?, text.as_bytes());
    let (from, kind) = if first == '\u{9b}' { (2, b'[') } else { (2, *rest.get(1)?) };
    let after = rest.get(from..)?.iter().take(MOST_SKIPPED);
    let length = match kind {
        b'[' => after.clone().position(|byte| matches!(byte, 0x40..=0x7e))? + 1,
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let end = after.clone().position(|byte| matches!(byte, 0x07 | 0x1b))?;
            // what ends it is a bell, or an escape and a backslash
            end + if rest.get(from + end) == Some(&0x07) { 1 } else { 2 }
        }
        _ => return None,
    };
    text.is_char_boundary(from + length).then_some(from + length)
}

/// What a character looks like; nothing where it is not seen.
fn drawn(c: char) -> Cow<'static, str> {
    if c.is_whitespace() && !c.is_control() {
        return " ".into();
    }
    if c.is_ascii() {
        return match c {
            '\t'..='\r' => " ".into(),
            c if c.is_control() => "".into(),
            c => c.to_ascii_lowercase().to_string().into(),
        };
    }
    if is_blank(c) {
        return "".into();
    }
    SEEN.with_borrow_mut(|seen| {
        if seen.len() == MOST_SEEN {
            seen.clear();
        }
        let known = seen.entry(c).or_insert_with(|| Some(looked_up(c)).filter(|read| !read.chars().eq([c])));
        known.clone().unwrap_or_else(|| c.to_string().into())
    })
}

/// What a character that may be seen looks like, by Unicode's tables.
fn looked_up(c: char) -> Cow<'static, str> {
    if let Some(read) = listed(c) {
        return read;
    }
    if c.nfkc().eq([c]) {
        return one(c);
    }
    if is_unseen(c) {
        return "".into();
    }
    let read: String = c.nfkc().map(one).collect();
    // A form without a sign of ours stands for no part of a mark, however long it is.
    let has_ours = read.chars().any(|c| c.is_ascii_graphic());
    read.chars().take(if has_ours { MOST_DRAWN } else { 1 }).collect::<String>().into()
}

fn listed(c: char) -> Option<Cow<'static, str>> {
    static LISTED: LazyLock<BTreeMap<char, &str>> =
        LazyLock::new(|| ALIKE.iter().flat_map(|(forms, read)| forms.chars().map(|form| (form, *read))).collect());
    let of = |first: char, places: u32| u32::from(c).checked_sub(u32::from(first)).filter(|at| *at < places);
    // letters in circles and squares, filled or as halves of flags, have no plain form in Unicode
    let letter = of('\u{1f150}', 26).or_else(|| of('\u{1f170}', 26)).or_else(|| of('\u{1f1e6}', 26));
    if let Some(at) = letter.and_then(|at| u8::try_from(at).ok()) {
        return Some(char::from(b'a' + at).to_string().into());
    }
    LISTED.get(&c).map(|read| (*read).into())
}

/// What a character without a plainer form looks like. A letter may be drawn like a Latin one in one letter case alone.
fn one(c: char) -> Cow<'static, str> {
    if is_blank(c) {
        return "".into();
    }
    if c.is_ascii() || c.is_whitespace() {
        return if c.is_ascii() { c.to_ascii_lowercase().to_string().into() } else { " ".into() };
    }
    if let Some(read) = listed(c) {
        return read;
    }
    let prototype: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
    if prototype.is_empty() {
        return "".into();
    }
    let in_case =
        |form: String| (!form.starts_with(c)).then(|| latin(c, &skeleton(&form).collect::<String>())).flatten();
    let alike = latin(c, &prototype)
        .or_else(|| in_case(c.to_uppercase().collect()))
        .or_else(|| in_case(c.to_lowercase().collect()));
    match alike {
        Some(read) if read == "rn" => "m".into(),
        Some(read) => read.into(),
        None => c.to_string().into(),
    }
}

/// The ASCII that a character with this prototype is drawn like.
fn latin(c: char, prototype: &str) -> Option<String> {
    if !prototype.bytes().any(|byte| byte.is_ascii()) {
        return None;
    }
    let all: String = prototype.chars().filter(|c| !is_unseen(*c)).collect();
    // of a letter drawn like another, not what is drawn beside it
    let is_letter = c.is_alphabetic() && all.contains(char::is_alphanumeric);
    let kept: String = all.chars().filter(|sign| !is_letter || sign.is_alphanumeric()).collect();
    (!kept.is_empty() && kept.is_ascii()).then(|| kept.to_ascii_lowercase())
}

/// Characters that show nothing of themselves: controls, what only steers how others are drawn, marks on letters, fillers, stand-ins for
/// objects, and what Unicode gives no meaning.
fn is_unseen(c: char) -> bool {
    is_blank(c) || (!c.is_ascii() && skeleton(c.encode_utf8(&mut [0; 4])).next().is_none())
}

/// Those of them that are known without a look at how characters are drawn.
fn is_blank(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !c.is_ascii_whitespace() && c != '\u{b}';
    }
    matches!(
        get_general_category(c),
        Category::Control
            | Category::Format
            | Category::NonspacingMark
            | Category::EnclosingMark
            | Category::PrivateUse
            | Category::Unassigned
    ) || matches!(c, '\u{2800}' | '\u{fffc}' | '\u{1d159}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        readings(text).map(|folded| folded.into_iter().map(|(c, _)| c).collect()).collect()
    }

    #[test]
    fn what_is_drawn_alike_reads_alike() {
        for (text, seen) in [
            ("ＴａｓＫ：", "task:"),
            ("⩶⩵⁼₌꓿᐀", "========="),
            ("❯˃ᐅ𝈷𖼿⧽⪢", ">>>>>>>>"),
            ("❮˂ᐸ", "<<<"),
            ("ꓔƬТт🅃🅣🆃🇹𝐓ᴛŤ", "ttttttttttt"),
            ("&#61;&#x3D;&equals;&gt;&nope;&", "===>&nope;&"),
            ("≪∣▁", "<<|_"),
            ("中文 сот 丅", "中文 cot t"),
        ] {
            assert_eq!(read(text), [seen], "{text}");
        }
    }

    #[test]
    fn orders_to_a_terminal_are_read_both_ways() {
        assert_eq!(read("\u{1b}[0mTa\u{9b}1;2Hsk"), ["[0mta1;2hsk", "task"]);
        assert_eq!(read("\u{1b}]0;x\u{7}a\u{1b}Pq\u{1b}\\b\u{1b}]c"), ["]0;xapq\\b]c", "ab]c"]);
        assert_eq!(read("\u{1b}[é"), ["[e", "[e"]);
    }

    #[test]
    fn no_text_has_characters_looked_up_again_and_again_or_grows() {
        let text: String = ('\u{80}'..='\u{2ffff}').collect();
        for _ in 0..2 {
            let folded = readings(&text).next().unwrap();
            assert!(folded.len() < text.chars().count() * 2, "{}", folded.len());
        }
        let kept = SEEN.with_borrow(BTreeMap::len);
        assert!((100_000..MOST_SEEN).contains(&kept), "{kept}");
        assert!(('\0'..=char::MAX).all(|c| drawn(c).chars().count() <= MOST_DRAWN));
    }

    #[test]
    fn every_place_is_one_behind_a_character() {
        let text = "a\u{200b}≪é&#61;\u{1b}[0m中x";
        for folded in readings(text) {
            assert!(folded.iter().all(|(_, end)| text.is_char_boundary(*end)));
            assert!(folded.windows(2).all(|two| two[0].1 <= two[1].1));
        }
    }
}
