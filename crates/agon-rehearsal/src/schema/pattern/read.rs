//! From the text of a pattern to its parts.

use super::{Atom, Branch, MOST_REPEATS, PatternPart, Set};

/// Deepest nesting of groups.
const DEEPEST: u8 = 32;

/// Reads a pattern from left to right.
pub struct PatternReader {
    rest: Vec<char>,
    at: usize,
}

impl PatternReader {
    /// A reader at the beginning of a pattern.
    pub fn new(text: &str) -> Self {
        Self { rest: text.chars().collect(), at: 0 }
    }

    /// The alternatives of the whole pattern; none if anything is left over or not understood.
    pub fn whole(mut self) -> Option<Vec<Branch>> {
        let branches = self.branches(0)?;
        (self.at == self.rest.len()).then_some(branches)
    }

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
                    branch.parts.push(PatternPart { atom, least, most });
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
