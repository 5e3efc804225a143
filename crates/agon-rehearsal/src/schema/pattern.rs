//! The regular expressions that schemas are written with: matched, and sampled.
//!
//! Understood: literals, `.`, escapes (`\d`, `\w`, `\s`, their opposites, `\.` and the like, `\n`, `\t`), classes with ranges and negation, groups,
//! alternatives, `?`, `*`, `+`, `{m}`, `{m,}`, `{m,n}` with their lazy forms, and `^` and `$` at the ends. Anything else is not understood.

use crate::dice::Dice;

/// Most repetitions of one part.
const MOST_REPEATS: usize = 4096;
/// Most ways in which a text is followed through a pattern at one place.
const MOST_ENDS: usize = 4096;
/// Deepest nesting of groups.
const DEEPEST: u8 = 32;

/// A pattern that was understood.
#[derive(Debug, Clone)]
pub struct Pattern {
    branches: Vec<Branch>,
}

/// One alternative: what it begins and ends with, and its parts.
#[derive(Debug, Clone, Default)]
struct Branch {
    from_start: bool,
    to_end: bool,
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
struct Part {
    atom: Atom,
    least: usize,
    most: usize,
}

#[derive(Debug, Clone)]
enum Atom {
    Set(Set),
    Group(Vec<Branch>),
}

/// Characters by ranges, or all but these.
#[derive(Debug, Clone, Default)]
struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Pattern {
    /// Reads a pattern; none if it has something that is not understood.
    pub fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text.chars().collect(), at: 0 };
        let branches = reader.branches(0)?;
        (reader.at == reader.rest.len()).then_some(Self { branches })
    }

    /// Whether `text` has a match somewhere.
    pub fn matches(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let starts = 0..=chars.len();
        starts.clone().any(|start| {
            self.branches.iter().any(|branch| {
                (!branch.from_start || start == 0)
                    && ends(&branch.parts, &chars, vec![start]).iter().any(|end| !branch.to_end || *end == chars.len())
            })
        })
    }

    /// A text that matches and is of a length in `bounds`, if one is found in a few throws.
    pub fn sample(&self, bounds: (usize, usize), dice: &mut Dice) -> String {
        const THROWS: usize = 48;
        let mut last = String::new();
        for throw in 0..THROWS {
            // first as short as it goes, then longer and longer
            last.clear();
            let Some(branch) = self.branches.get(throw % self.branches.len().max(1)) else { break };
            let target = if throw == 0 { 0 } else { bounds.0 };
            write(&branch.parts, target, dice, &mut last);
            let length = last.chars().count();
            if bounds.0 <= length && length <= bounds.1 {
                break;
            }
            if !branch.to_end && length < bounds.0 {
                last.extend(std::iter::repeat_n('x', (bounds.0 - length).min(1 << 20)));
                break;
            }
        }
        last
    }
}

/// Where the parts may end when they begin at one of `starts`.
fn ends(parts: &[Part], text: &[char], starts: Vec<usize>) -> Vec<usize> {
    parts.iter().fold(starts, |starts, part| {
        let mut reached: Vec<usize> = if part.least == 0 { starts.clone() } else { Vec::new() };
        let mut here = starts;
        for count in 1..=part.most {
            here = once(&part.atom, text, &here);
            let fresh = here.iter().any(|at| !reached.contains(at));
            if here.is_empty() || (count > part.least && !fresh) {
                break;
            }
            if count >= part.least {
                merge(&mut reached, &here);
            }
        }
        reached
    })
}

fn once(atom: &Atom, text: &[char], starts: &[usize]) -> Vec<usize> {
    let mut reached = Vec::new();
    for start in starts {
        match atom {
            Atom::Set(set) => {
                if text.get(*start).is_some_and(|c| set.has(*c)) {
                    merge(&mut reached, &[start + 1]);
                }
            }
            Atom::Group(branches) => {
                branches.iter().for_each(|branch| merge(&mut reached, &ends(&branch.parts, text, vec![*start])));
            }
        }
    }
    reached
}

fn merge(reached: &mut Vec<usize>, more: &[usize]) {
    for at in more {
        if reached.len() < MOST_ENDS && !reached.contains(at) {
            reached.push(*at);
        }
    }
}

/// Writes a match; parts that may repeat fill up what is missing to `target` characters.
fn write(parts: &[Part], target: usize, dice: &mut Dice, out: &mut String) {
    let fixed: usize = parts.iter().map(|part| part.least).sum();
    let mut missing = target.saturating_sub(out.chars().count() + fixed);
    for part in parts {
        let more = missing.min(part.most - part.least);
        // a star that stands for something is more telling than an empty one
        let usual = usize::from(part.least == 0 && part.most > 1 && target > 0);
        missing -= more;
        for _ in 0..part.least + more.max(usual) {
            match &part.atom {
                Atom::Set(set) => out.push(set.sample(dice)),
                Atom::Group(branches) => {
                    if let Some(branch) = dice.pick(branches) {
                        write(&branch.parts, 0, dice, out);
                    }
                }
            }
        }
    }
}

impl Set {
    fn of(ranges: &[(char, char)], negated: bool) -> Self {
        Self { negated, ranges: ranges.to_vec() }
    }

    fn has(&self, c: char) -> bool {
        self.negated != self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
    }

    /// A plain character of the set where it has one.
    fn sample(&self, dice: &mut Dice) -> char {
        let plain: Vec<char> =
            ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(' '..='~').filter(|c| self.has(*c)).collect();
        let letters = plain.iter().take_while(|c| c.is_alphanumeric()).count();
        let chosen = if letters > 0 { plain.get(dice.below(letters)) } else { dice.pick(&plain) };
        chosen.copied().or(self.ranges.first().map(|(from, _)| *from)).unwrap_or('x')
    }
}

struct Reader {
    rest: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn take(&mut self, c: char) -> bool {
        let same = self.peek() == Some(c);
        self.at += usize::from(same);
        same
    }

    fn branches(&mut self, depth: u8) -> Option<Vec<Branch>> {
        let mut branches = vec![self.branch(depth)?];
        while self.take('|') {
            branches.push(self.branch(depth)?);
        }
        (depth < DEEPEST).then_some(branches)
    }

    fn branch(&mut self, depth: u8) -> Option<Branch> {
        let mut branch = Branch { from_start: self.take('^'), ..Branch::default() };
        if branch.from_start && depth > 0 {
            return None;
        }
        while let Some(c) = self.peek() {
            match c {
                '|' | ')' => break,
                '$' => {
                    self.at += 1;
                    branch.to_end = true;
                    return (depth == 0 && self.peek().is_none_or(|c| c == '|')).then_some(branch);
                }
                _ => {
                    let atom = self.atom(depth)?;
                    let (least, most) = self.repeats()?;
                    branch.parts.push(Part { atom, least, most });
                }
            }
        }
        Some(branch)
    }

    fn atom(&mut self, depth: u8) -> Option<Atom> {
        match self.next()? {
            '(' => {
                if self.take('?') && !self.take(':') {
                    return None;
                }
                let branches = self.branches(depth + 1)?;
                self.take(')').then_some(Atom::Group(branches))
            }
            '[' => self.class().map(Atom::Set),
            '.' => Some(Atom::Set(Set::of(&[('\n', '\n'), ('\r', '\r')], true))),
            '\\' => self.escape().map(Atom::Set),
            '*' | '+' | '?' | '{' | '}' | ']' | '^' => None,
            c => Some(Atom::Set(Set::of(&[(c, c)], false))),
        }
    }

    fn repeats(&mut self) -> Option<(usize, usize)> {
        let range = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, MOST_REPEATS),
            Some('+') => (1, MOST_REPEATS),
            Some('{') => {
                self.at += 1;
                return self.counted();
            }
            _ => return Some((1, 1)),
        };
        self.at += 1;
        self.take('?');
        Some(range)
    }

    fn counted(&mut self) -> Option<(usize, usize)> {
        let least = self.number()?;
        let most = match self.next()? {
            '}' => least,
            ',' if self.take('}') => MOST_REPEATS,
            ',' => {
                let most = self.number()?;
                self.take('}').then_some(most)?
            }
            _ => return None,
        };
        self.take('?');
        (least <= most && most <= MOST_REPEATS).then_some((least, most))
    }

    fn number(&mut self) -> Option<usize> {
        let mut digits = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_digit) {
            digits.push(c);
            self.at += 1;
        }
        digits.parse().ok()
    }

    fn class(&mut self) -> Option<Set> {
        let mut set = Set { negated: self.take('^'), ranges: Vec::new() };
        loop {
            let from = match self.next()? {
                ']' if !set.ranges.is_empty() => return Some(set),
                '[' if self.peek() == Some(':') => return None,
                '\\' => {
                    let escaped = self.escape()?;
                    match escaped.ranges.as_slice() {
                        [(one, same)] if one == same && !escaped.negated => *one,
                        _ if escaped.negated => return None,
                        ranges => {
                            set.ranges.extend(ranges);
                            continue;
                        }
                    }
                }
                c => c,
            };
            let to = if self.peek() == Some('-') && self.rest.get(self.at + 1).is_some_and(|c| *c != ']') {
                self.at += 1;
                match self.next()? {
                    '\\' => self.escape()?.ranges.first().map(|(one, _)| *one)?,
                    c => c,
                }
            } else {
                from
            };
            set.ranges.push((from <= to).then_some((from, to))?);
        }
    }

    fn escape(&mut self) -> Option<Set> {
        const WORD: [(char, char); 4] = [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
        const SPACE: [(char, char); 4] = [(' ', ' '), ('\t', '\t'), ('\n', '\n'), ('\r', '\r')];
        let c = self.next()?;
        Some(match c {
            'd' | 'D' => Set::of(&[('0', '9')], c == 'D'),
            'w' | 'W' => Set::of(&WORD, c == 'W'),
            's' | 'S' => Set::of(&SPACE, c == 'S'),
            'n' => Set::of(&[('\n', '\n')], false),
            't' => Set::of(&[('\t', '\t')], false),
            c if !c.is_alphanumeric() => Set::of(&[(c, c)], false),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
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
                let sample = pattern.sample(bounds, &mut Dice::new(seed, &[]));
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
}
