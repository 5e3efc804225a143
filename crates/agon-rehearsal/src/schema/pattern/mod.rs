//! The regular expressions that schemas are written with: matched, and sampled.
//!
//! Understood: literals, `.`, escapes (`\d`, `\w`, `\s`, their opposites, `\.` and the like, `\n`, `\t`), classes with ranges and negation, groups,
//! alternatives, `?`, `*`, `+`, `{m}`, `{m,}`, `{m,n}` with their lazy forms, and `^` and `$` at the ends. Anything else is not understood.

mod read;

use crate::dice::KeyedDice;

/// Most repetitions of one part.
const MOST_REPEATS: usize = 4096;
/// Most ways in which a text is followed through a pattern at one place.
const MOST_ENDS: usize = 4096;

/// Most steps of one match or one sample.
const MOST_STEPS: usize = 200_000;

/// A pattern that was understood.
#[derive(Debug, Clone)]
pub struct Pattern {
    branches: Vec<Branch>,
}

/// One alternative: what it begins and ends with, and its parts.
#[derive(Debug, Clone)]
struct Branch {
    from_start: bool,
    to_end: bool,
    parts: Vec<PatternPart>,
}

#[derive(Debug, Clone)]
struct PatternPart {
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
#[derive(Debug, Clone)]
struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Pattern {
    /// Reads a pattern; none if it has something that is not understood.
    pub fn read(text: &str) -> Option<Self> {
        read::read(text).map(|branches| Self { branches })
    }

    /// Whether `text` has a match somewhere; true where that takes too many steps.
    pub fn matches(&self, text: &str) -> bool {
        let mut steps = MOST_STEPS;
        let chars: Vec<char> = text.chars().collect();
        let starts = 0..=chars.len();
        starts.clone().any(|start| {
            self.branches.iter().any(|branch| {
                (!branch.from_start || start == 0)
                    && ends(&branch.parts, &chars, vec![start], &mut steps)
                        .iter()
                        .any(|end| !branch.to_end || *end == chars.len())
            }) || steps == 0
        })
    }

    /// A text that matches and is of a length in `bounds`, if one is found in a few throws.
    pub fn sample(&self, bounds: (usize, usize), dice: &mut KeyedDice) -> String {
        const THROWS: usize = 48;
        let mut last = String::new();
        let mut steps = MOST_STEPS;
        for throw in 0..THROWS {
            // first as short as it goes, then longer and longer
            last.clear();
            let Some(branch) = self.branches.get(throw % self.branches.len().max(1)) else { break };
            let target = if throw == 0 { 0 } else { bounds.0 };
            write(&branch.parts, target, dice, (&mut last, &mut steps));
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
fn ends(parts: &[PatternPart], text: &[char], starts: Vec<usize>, steps: &mut usize) -> Vec<usize> {
    parts.iter().fold(starts, |starts, part| {
        let mut reached: Vec<usize> = if part.least == 0 { starts.clone() } else { Vec::new() };
        let mut here = starts;
        for count in 1..=part.most {
            here = once(&part.atom, text, &here, steps);
            let fresh = here.iter().any(|at| !reached.contains(at));
            if here.is_empty() || *steps == 0 || (count > part.least && !fresh) {
                break;
            }
            if count >= part.least {
                merge(&mut reached, &here, steps);
            }
        }
        reached
    })
}

fn once(atom: &Atom, text: &[char], starts: &[usize], steps: &mut usize) -> Vec<usize> {
    let mut reached = Vec::new();
    for start in starts {
        *steps = steps.saturating_sub(1);
        if *steps == 0 {
            break;
        }
        match atom {
            Atom::Set(set) => {
                if text.get(*start).is_some_and(|c| set.has(*c)) {
                    merge(&mut reached, &[start + 1], steps);
                }
            }
            Atom::Group(branches) => {
                for branch in branches {
                    let more = ends(&branch.parts, text, vec![*start], steps);
                    merge(&mut reached, &more, steps);
                }
            }
        }
    }
    reached
}

fn merge(reached: &mut Vec<usize>, more: &[usize], steps: &mut usize) {
    for at in more {
        *steps = steps.saturating_sub(1 + reached.len());
        if reached.len() < MOST_ENDS && !reached.contains(at) {
            reached.push(*at);
        }
    }
}

/// Writes a match; parts that may repeat fill up what is missing to `target` characters.
fn write(parts: &[PatternPart], target: usize, dice: &mut KeyedDice, (out, steps): (&mut String, &mut usize)) {
    let fixed: usize = parts.iter().map(|part| part.least).sum();
    let mut missing = target.saturating_sub(out.chars().count() + fixed);
    for part in parts {
        let more = missing.min(part.most - part.least);
        // a star that stands for something is more telling than an empty one
        let usual = usize::from(part.least == 0 && part.most > 1 && target > 0);
        missing -= more;
        for _ in 0..part.least + more.max(usual) {
            *steps = steps.saturating_sub(1);
            if *steps == 0 {
                return;
            }
            match &part.atom {
                Atom::Set(set) => out.push(set.sample(dice)),
                Atom::Group(branches) => {
                    if let Some(branch) = dice.pick(branches) {
                        write(&branch.parts, 0, dice, (&mut *out, &mut *steps));
                    }
                }
            }
        }
    }
}

impl Set {
    fn has(&self, c: char) -> bool {
        self.negated != self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
    }

    /// A plain character of the set where it has one.
    fn sample(&self, dice: &mut KeyedDice) -> char {
        let plain: Vec<char> =
            ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(' '..='~').filter(|c| self.has(*c)).collect();
        let letters = plain.iter().take_while(|c| c.is_alphanumeric()).count();
        let chosen = if letters > 0 { plain.get(dice.below(letters)) } else { dice.pick(&plain) };
        chosen.copied().or(self.ranges.first().map(|(from, _)| *from)).unwrap_or('x')
    }
}

#[cfg(test)]
mod tests;
