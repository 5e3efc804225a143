//! Numbers as people and models write them: `1,200`, `12 %`, `3/4`. Nothing is guessed from prose.
use crate::names::digit;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Characters of a text that may be a number, at the most.
const MOST_CHARS: usize = 80;

/// A number that a text is, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberAnswer {
    /// What is written, without its per cent sign; always finite.
    figure: f64,
    /// Whether a per cent sign follows it.
    percent: bool,
}

/// How far off a number may be and still be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tolerance {
    /// Equal as numbers are: by no more than a part in 10^9, for decimal fractions that no binary number is.
    #[default]
    Exact,
    /// By so much.
    Absolute(f64),
    /// By this share of the right number: 0.02 for `2%`.
    Relative(f64),
}
impl Tolerance {
    /// Whether a number is as good as the right one. Both limits count as within, and numbers that are equal up to a part in 10^9 always are.
    pub fn holds(self, number: f64, right: f64) -> bool {
        let slack = 1e-9 * number.abs().max(right.abs());
        let most = match self {
            Self::Exact => 0.0,
            Self::Absolute(most) => most,
            Self::Relative(share) => share * right.abs(),
        };
        (number - right).abs() <= most + slack
    }
    /// Whether only equal numbers are the same.
    pub fn is_exact(&self) -> bool {
        *self == Self::Exact
    }
    /// Reads `0.5` (absolute) or `2 %` (relative); none of what is neither, or below 0.
    pub fn read(text: &str) -> Option<Self> {
        let number = NumberAnswer::read(text)?;
        let given = if number.percent { Self::Relative(number.value()) } else { Self::Absolute(number.value()) };
        (number.value() >= 0.0).then_some(given)
    }
}
/// As a debate file writes it.
impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("0"),
            Self::Absolute(most) => write!(f, "{most}"),
            Self::Relative(share) => NumberAnswer { figure: percent_of(*share), percent: true }.fmt(f),
        }
    }
}

/// The per cent of a share, without what the multiplication adds: 7 and not 7.000000000000001.
fn percent_of(share: f64) -> f64 {
    let percent = share * 100.0;
    let rounded = (percent * 1e9).round() / 1e9;
    if rounded / 100.0 == share { rounded } else { percent }
}

impl NumberAnswer {
    /// Reads a text that is one number: decimals with a point or a comma, digits in groups of three, fractions, a sign, an
    /// exponent, a currency sign, a per cent sign; also within quotation marks, Markdown emphasis or `\boxed{}`. None of anything else.
    ///
    /// One comma before three digits groups them (`1,200` is 1200); any other single comma is a decimal comma (`3,5`, `0,125`).
    pub fn read(text: &str) -> Option<Self> {
        if text.chars().nth(MOST_CHARS).is_some() {
            return None;
        }
        let plain: String = text.chars().map(plain).collect();
        let bare = unwrapped(plain.trim());
        let (bare, percent) = match bare.strip_suffix('%') {
            Some(bare) => (bare.trim_end(), true),
            None => (bare, false),
        };
        let (bare, negative) = signed(bare);
        let bare = bare.trim_start_matches(CURRENCIES).trim_end_matches(CURRENCIES).trim();
        let (bare, negative) = if negative { (bare, true) } else { signed(bare) };
        let size = fraction(bare).or_else(|| scientific(bare))?;
        // adding 0 takes the sign from a zero
        let figure = if negative { -size } else { size } + 0.0;
        figure.is_finite().then_some(Self { figure, percent })
    }

    /// The number that this value is.
    pub fn of(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self { figure: value + 0.0, percent: false })
    }

    /// Its value: 0.12 for `12 %`.
    pub fn value(&self) -> f64 {
        if self.percent { self.figure / 100.0 } else { self.figure }
    }

    /// What is written: 12 for `12 %`.
    pub fn figure(&self) -> f64 {
        self.figure
    }

    /// Whether it has a per cent sign.
    pub fn is_percent(&self) -> bool {
        self.percent
    }

    /// Whether this is the right number, within the tolerance. The sign is often left out: where one of the two has it, `12 %` is
    /// 0.12 and also 12.
    pub fn is(&self, right: &Self, tolerance: Tolerance) -> bool {
        let by_figure = self.percent != right.percent && tolerance.holds(self.figure, right.figure);
        tolerance.holds(self.value(), right.value()) || by_figure
    }
}

/// The shortest decimal that reads as the same number, with the per cent sign that was there.
impl fmt::Display for NumberAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LARGE: f64 = 1e21;
        const SMALL: f64 = 1e-7;
        let size = self.figure.abs();
        if size != 0.0 && !(SMALL..LARGE).contains(&size) {
            write!(f, "{:e}", self.figure)?
        } else {
            write!(f, "{}", self.figure)?
        }
        if self.percent { f.write_str(" %") } else { Ok(()) }
    }
}

const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '₹'];

/// One spelling for signs, spaces and digits.
fn plain(c: char) -> char {
    match c {
        '\u{2212}' | '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{ff0b}' => '+',
        '\u{ff05}' | '\u{66a}' => '%',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{2019}' => '\'',
        c if c.is_whitespace() => ' ',
        c => digit(c).unwrap_or(c),
    }
}

/// The text without quotation marks, emphasis, a final stop, an equals sign before it and `\boxed{}` around it.
fn unwrapped(text: &str) -> &str {
    let is_around = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '„' | '«' | '»' | '*' | '_' | '`' | ' ');
    let mut text = text;
    loop {
        let mut inner = text.trim_matches(is_around);
        inner = inner.strip_prefix('=').unwrap_or(inner);
        inner = inner.strip_suffix(['.', ';', '!']).unwrap_or(inner);
        let boxed = inner.strip_prefix("\\boxed{").and_then(|rest| rest.strip_suffix('}'));
        inner = boxed.or_else(|| inner.strip_prefix("\\(")?.strip_suffix("\\)")).unwrap_or(inner);
        if inner.len() == text.len() {
            return inner;
        }
        text = inner;
    }
}

fn signed(text: &str) -> (&str, bool) {
    match text.strip_prefix('-') {
        Some(rest) => (rest.trim_start(), true),
        None => (text.strip_prefix('+').map_or(text, str::trim_start), false),
    }
}

/// `3/4` or `1 3/4`.
fn fraction(text: &str) -> Option<f64> {
    let (above, below) = text.split_once('/')?;
    let (above, below) = (above.trim(), decimal(below.trim())?);
    let (whole, above) = match above.rsplit_once(' ') {
        // `1 200/3` has a group of digits, and no whole number before it
        Some((whole, above)) if decimal_is_grouped(whole, above) => (0.0, decimal(&format!("{whole}{above}"))?),
        Some((whole, above)) => (integer(whole.trim())?, integer(above)?),
        None => (0.0, decimal(above)?),
    };
    (below > 0.0).then(|| whole + above / below)
}

fn decimal_is_grouped(whole: &str, above: &str) -> bool {
    above.len() == 3 && integer(above).is_some() && integer(whole.trim()).is_some()
}

fn integer(text: &str) -> Option<f64> {
    all_digits(text).then(|| text.parse().ok()).flatten()
}

/// A decimal, with or without an exponent: `1.2e3`.
fn scientific(text: &str) -> Option<f64> {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return decimal(text) };
    let (digits, _) = signed(exponent);
    if !all_digits(digits) || digits.len() > 4 {
        return None;
    }
    let mantissa = ungrouped(mantissa)?;
    format!("{mantissa}e{exponent}").parse().ok()
}

fn decimal(text: &str) -> Option<f64> {
    ungrouped(text)?.parse().ok()
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Digits with a point for the fraction, and nothing that groups them.
fn ungrouped(text: &str) -> Option<String> {
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let is_grouping = |mark: &char| matches!(mark, ',' | '.' | ' ' | '\'' | '_');
    let (Some(last), true) = (marks.last(), marks.iter().all(is_grouping)) else {
        return (marks.is_empty() && !text.is_empty()).then(|| text.to_owned());
    };
    let same = marks.iter().filter(|mark| *mark == last).count();
    let (head, tail) = text.rsplit_once(*last)?;
    let groups_three = tail.len() == 3 && (1..=3).contains(&head.split(*last).next()?.len()) && !head.starts_with('0');
    let is_point = match last {
        '.' => same == 1,
        ',' => same == 1 && !(groups_three && marks.len() == 1),
        _ => false,
    };
    if !is_point {
        return joined(text, *last);
    }
    let whole = match marks.first().filter(|_| marks.len() > 1) {
        Some(group) => joined(head, *group)?,
        None => head.to_owned(),
    };
    let fits = (whole.is_empty() || all_digits(&whole)) && (tail.is_empty() || all_digits(tail));
    (fits && !(whole.is_empty() && tail.is_empty())).then(|| format!("{whole}.{tail}"))
}

/// Digits in groups of three: `1,200,000`.
fn joined(text: &str, group: char) -> Option<String> {
    let mut parts = text.split(group);
    let first = parts.next().filter(|first| all_digits(first) && first.len() <= 3)?;
    let mut digits = first.to_owned();
    for part in parts {
        if part.len() != 3 || !all_digits(part) {
            return None;
        }
        digits.push_str(part);
    }
    Some(digits)
}

/// A whole number with its thousands apart: `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Places after the point of the smallest sum that is written out.
const MOST_PLACES: i32 = 6;

/// A sum of money: two places after the point, of less than 1 three digits that count. What is too small for that reads
/// `< 0.000001`. A sum that is known to be larger (`at_least`) is rounded down, never up.
pub fn money(amount: f64, at_least: bool) -> String {
    if !amount.is_finite() || amount <= 0.0 {
        return "0.00".to_owned();
    }
    if amount < 10_f64.powi(-MOST_PLACES) {
        return if at_least {
            "0.00".to_owned()
        } else {
            format!("< {:.*}", MOST_PLACES as usize, 10_f64.powi(-MOST_PLACES))
        };
    }
    let places = (2 - amount.log10().floor() as i32).clamp(2, MOST_PLACES);
    // a sum of binary fractions may lie a hair below the figure that it stands for
    let down = |amount: f64| (amount * 10_f64.powi(places) + 1e-6).floor() / 10_f64.powi(places);
    format!("{:.*}", places as usize, if at_least { down(amount) } else { amount })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_never_rounded_to_nothing_and_a_lower_bound_never_up() {
        let told = |at_least| {
            [0.0, 4e-9, 0.000_66, 0.007_3, 0.0199, 0.29, 0.9999, 1.999, 12_345.678].map(|sum| money(sum, at_least))
        };
        assert_eq!(
            told(false),
            ["0.00", "< 0.000001", "0.000660", "0.00730", "0.0199", "0.290", "1.000", "2.00", "12345.68"]
        );
        assert_eq!(told(true), ["0.00", "0.00", "0.000660", "0.00730", "0.0199", "0.290", "0.999", "1.99", "12345.67"]);
    }

    fn value(text: &str) -> Option<f64> {
        NumberAnswer::read(text).map(|number| number.value())
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("1,200", 1200.0),
            ("12 %", 0.12),
            ("12%", 0.12),
            ("3/4", 0.75),
            ("-3 / 4", -0.75),
            ("1 3/4", 1.75),
            ("1 200/3", 400.0),
            ("1,234,567.5", 1_234_567.5),
            ("1.234.567,5", 1_234_567.5),
            ("1.200", 1.2),
            ("1.200.000", 1_200_000.0),
            ("3,5", 3.5),
            ("0,125", 0.125),
            ("1 200 000", 1_200_000.0),
            ("1'200", 1200.0),
            ("1_200", 1200.0),
            ("$1,200.50", 1200.5),
            ("-$5", -5.0),
            ("$-5", -5.0),
            ("7 €", 7.0),
            ("\u{2212}5", -5.0),
            ("+5", 5.0),
            ("1.2e3", 1200.0),
            ("1E-3", 0.001),
            (".5", 0.5),
            ("5.", 5.0),
            ("2,", 2.0),
            ("**42**.", 42.0),
            ("\"42\"", 42.0),
            ("= 42", 42.0),
            ("\\boxed{42}", 42.0),
            ("٤٢", 42.0),
            ("-0", 0.0),
            ("\u{a0}42\u{202f}", 42.0),
        ] {
            assert_eq!(value(text), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_more_or_less_than_a_number_is_none() {
        for text in [
            "",
            " ",
            "-",
            "%",
            "about 12",
            "12 apples",
            "12 or 13",
            "12-13",
            "1,20,0",
            "1,2,3",
            "12,34,567",
            "1.2.3",
            "3/0",
            "1/2/3",
            "e5",
            "1e",
            "1e99999",
            "--5",
            "twelve",
            "NaN",
            "inf",
            "1e400",
            ".",
            ",",
            "1 20",
            "0x10",
            "12 % %",
            "1..2",
            "5 -",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&"9".repeat(81)), None);
    }

    #[test]
    fn the_shortest_decimal_stands_for_a_number() {
        for (text, wanted) in [
            ("1,200.0", "1200"),
            ("3/4", "0.75"),
            ("012", "12"),
            ("-0.50", "-0.5"),
            ("12,5%", "12.5 %"),
            ("1e30", "1e30"),
        ] {
            assert_eq!(NumberAnswer::read(text).unwrap().to_string(), wanted, "{text}");
        }
    }

    #[test]
    fn a_per_cent_sign_may_be_left_out() {
        let is = |one: &str, other: &str| {
            NumberAnswer::read(one).unwrap().is(&NumberAnswer::read(other).unwrap(), Tolerance::Exact)
        };
        assert!(is("12 %", "0.12") && is("12 %", "12") && is("12", "12 %") && is("0.1", "1/10"));
        assert!(!is("12", "0.12") && !is("12 %", "1.2") && !is("12", "12.0001"));
    }

    #[test]
    fn a_tolerance_is_absolute_or_a_share_of_the_right_number() {
        assert!(Tolerance::Absolute(0.5).holds(10.5, 10.0) && !Tolerance::Absolute(0.5).holds(10.6, 10.0));
        assert!(Tolerance::Relative(0.02).holds(-98.0, -100.0) && !Tolerance::Relative(0.02).holds(97.9, 100.0));
        assert_eq!(Tolerance::read("2 %"), Some(Tolerance::Relative(0.02)));
        assert_eq!(Tolerance::read("0.5"), Some(Tolerance::Absolute(0.5)));
        assert_eq!(Tolerance::read("-1"), None);
        for text in ["7 %", "0.5", "0.07 %", "33.3 %"] {
            assert_eq!(Tolerance::read(text).unwrap().to_string(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_again(value in proptest::num::f64::NORMAL, percent: bool) {
            let number = NumberAnswer { figure: value, percent };
            proptest::prop_assert_eq!(NumberAnswer::read(&number.to_string()), Some(number));
        }

        #[test]
        fn no_text_is_too_odd_to_be_read(text in ".{0,90}", digits in "[0-9,. '/%$e+-]{0,24}") {
            for text in [text, digits] {
                if let Some(number) = NumberAnswer::read(&text) {
                    proptest::prop_assert!(number.value().is_finite());
                }
            }
        }
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
