//! The groups of tests that take long for what they find: `cargo xtask test` leaves them to `cargo xtask test --all`, and this leaves the
//! longest to `cargo xtask test --thorough`.

use std::fmt;

use anyhow::{Result, ensure};

use super::list::Test;

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestScope {
    /// No slow group.
    Usual,
    /// `--all`
    All,
    /// `--thorough`
    Thorough,
}

/// Tests that are run or left out together.
#[derive(Debug)]
struct TestGroup {
    /// What they do.
    name: &'static str,
    /// The least that runs them.
    scope: TestScope,
    /// Where they are.
    suite: &'static str,
    /// What their names begin with.
    tests: &'static [&'static str],
}

/// Every slow group. A name that no test has is refused, so that this list cannot grow old.
const SLOW: &[TestGroup] = &[
    TestGroup {
        name: "the chart's pods, started and replaced one by one",
        scope: TestScope::All,
        suite: "agon-tests it",
        tests: &["chart::the_default_chart_", "chart::with_tls_", "chart::with_high_availability_"],
    },
    TestGroup {
        name: "the commands of the documents, in networks of their own",
        scope: TestScope::All,
        suite: "agon-tests it",
        tests: &["documents::the_commands_of_"],
    },
    TestGroup {
        name: "every combination of format, turn order and decision; every option by itself",
        scope: TestScope::All,
        suite: "agon-tests it",
        tests: &["formats::each_format_is_held_in_each_", "options::every_option_changes_"],
    },
    TestGroup {
        name: "a real model: its server's contract, a debate that is paused and resumed, a server that is restarted",
        scope: TestScope::Thorough,
        suite: "agon-tests it",
        tests: &["real::short::"],
    },
    TestGroup {
        name: "a real model: every format, eight debates at once, a full context, an eval",
        scope: TestScope::Thorough,
        suite: "agon-tests it",
        tests: &["real::long::"],
    },
    TestGroup {
        name: "200 random sequences of run, Ctrl-C, kill, resume and a server on one store",
        scope: TestScope::Thorough,
        suite: "agon-tests it",
        tests: &["stop::sequences::slow::"],
    },
    TestGroup {
        name: "50 random kills of an eval's driver; 10,000 prompts without what is right",
        scope: TestScope::Thorough,
        suite: "agon-tests it",
        tests: &["eval::kills::slow::", "eval::gold::slow::"],
    },
];

/// A group that was left out, and how many tests it has.
#[derive(Debug, PartialEq, Eq)]
pub struct SkippedGroup {
    name: &'static str,
    scope: TestScope,
    tests: usize,
}

/// Refuses a list of groups that names what does not exist.
pub fn check(all: &[Test]) -> Result<()> {
    for group in SLOW {
        for prefix in group.tests {
            let known = all.iter().any(|test| is(test, group.suite, prefix));
            ensure!(known, "no test of `{}` begins with {prefix}: mend the groups in {}", group.suite, file!());
        }
    }
    Ok(())
}

/// The tests of a scope and those that are picked, and what was left out.
pub fn leave(all: Vec<Test>, scope: TestScope, picked: impl Fn(&Test) -> bool) -> (Vec<Test>, Vec<SkippedGroup>) {
    let left = || SLOW.iter().filter(|group| group.scope > scope);
    let is_slow = |test: &Test| !picked(test) && left().any(|group| group.holds(test));
    let (slow, kept): (Vec<Test>, Vec<Test>) = all.into_iter().partition(is_slow);
    let skipped = left().map(|group| SkippedGroup {
        name: group.name,
        scope: group.scope,
        tests: slow.iter().filter(|test| group.holds(test)).count(),
    });
    (kept, skipped.filter(|group| group.tests > 0).collect())
}

impl TestGroup {
    fn holds(&self, test: &Test) -> bool {
        self.tests.iter().any(|prefix| is(test, self.suite, prefix))
    }
}

fn is(test: &Test, suite: &str, prefix: &str) -> bool {
    test.suite.name == suite && test.name.starts_with(prefix)
}

impl fmt::Display for SkippedGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.tests == 1 { "" } else { "s" };
        let option = if self.scope == TestScope::Thorough { "--thorough" } else { "--all" };
        write!(f, "left to {option}: {} ({} test{plural})", self.name, self.tests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::list::Suite;

    fn test(suite: &str, name: &str) -> Test {
        let suite = Suite { name: suite.to_owned(), program: "p".into(), folder: "f".into() };
        Test { suite, name: name.to_owned() }
    }

    /// A test for each name of the list.
    fn slow() -> Vec<Test> {
        SLOW.iter()
            .flat_map(|group| group.tests.iter().map(|prefix| test(group.suite, &format!("{prefix}x"))))
            .collect()
    }

    #[test]
    fn slow_tests_are_left_out_and_said_to_be() {
        let nothing = |_: &Test| false;
        let other = test("agon-core chart", SLOW[0].tests[0]);
        let all = [slow(), vec![other.clone()]].concat();
        let (kept, left) = leave(all.clone(), TestScope::Usual, nothing);
        assert_eq!(kept, [other]);
        assert_eq!(left.iter().map(|left| left.tests).sum::<usize>(), all.len() - 1);
        assert!(left[0].to_string().starts_with("left to --all: the chart's pods"), "{}", left[0]);
        let (kept, left) = leave(all.clone(), TestScope::All, nothing);
        assert!(kept.len() > 1 && kept.len() < all.len());
        assert!(left.iter().all(|left| left.to_string().starts_with("left to --thorough: ")), "{left:?}");
        assert_eq!(leave(all.clone(), TestScope::Thorough, nothing), (all, Vec::new()));
    }

    #[test]
    fn slow_tests_that_are_picked_are_kept() {
        let (kept, left) = leave(slow(), TestScope::All, |test| test.name.starts_with("real::"));
        assert!(kept.iter().any(|test| test.name.starts_with("real::long::")), "{kept:?}");
        assert!(left.iter().all(|left| !left.name.starts_with("a real model")), "{left:?}");
    }

    #[test]
    fn a_group_that_names_no_test_is_refused() {
        let mut all = slow();
        check(&all).unwrap();
        all.remove(0);
        let error = check(&all).unwrap_err().to_string();
        assert!(error.contains(SLOW[0].tests[0]), "{error}");
    }
}
