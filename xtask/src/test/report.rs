//! What came of the tests.

use std::time::Duration;

/// How many tests the list of slow ones has.
const SLOWEST: usize = 10;

/// What came of one test.
pub struct Ran {
    pub name: String,
    pub took: Duration,
    pub totals: Totals,
    /// What it printed.
    pub said: String,
    /// Why it failed although it named no failure.
    pub trouble: Option<String>,
}

/// Sums of the result lines that test programs end with.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// What came of all tests.
pub struct TestOutcome {
    all: Vec<Ran>,
}

impl Ran {
    /// One line, as soon as it is over.
    pub fn print(&self) {
        let verdict = match self.totals {
            Totals { failed: 1.., .. } => "FAILED",
            Totals { passed: 0, skipped: 1.., .. } => "skipped",
            Totals { .. } => "ok",
        };
        println!("{verdict:7} {:6.2} s  {}", self.took.as_secs_f64(), self.name);
    }
}

impl TestOutcome {
    pub fn new(all: Vec<Ran>) -> Self {
        Self { all }
    }

    pub fn totals(&self) -> Totals {
        self.all.iter().fold(Totals::default(), |sum, ran| sum.plus(ran.totals))
    }

    /// Prints what the failed tests said.
    pub fn print_failures(&self) {
        for ran in self.all.iter().filter(|ran| ran.totals.failed > 0) {
            println!("\n---- {} ----\n{}", ran.name, ran.said.trim_end());
            ran.trouble.iter().for_each(|trouble| println!("xtask: {trouble}"));
        }
    }

    /// Prints the tests that took longest, the longest first.
    pub fn print_slowest(&self) {
        println!("\nthe slowest tests:");
        for ran in self.slowest() {
            println!("{:7.2} s  {}", ran.took.as_secs_f64(), ran.name);
        }
        println!();
    }

    fn slowest(&self) -> Vec<&Ran> {
        let mut all: Vec<&Ran> = self.all.iter().collect();
        all.sort_by_key(|ran| std::cmp::Reverse(ran.took));
        all.truncate(SLOWEST);
        all
    }
}

impl Totals {
    /// Adds up the result lines in what test programs printed.
    pub fn read(said: &str) -> Self {
        said.lines().filter_map(Self::parse).fold(Self::default(), Self::plus)
    }

    /// Reads a line like `test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; ...`.
    fn parse(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |label: &str| {
            let part = counts.split("; ").find_map(|part| part.trim().strip_suffix(label))?;
            part.trim().parse().ok()
        };
        Some(Self { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
    }

    fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }

    pub fn line(self) -> String {
        let skipped = if self.skipped > 0 { format!(", {} skipped", self.skipped) } else { String::new() };
        format!("{} passed, {} failed{skipped}", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: &str = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.05s\n";
    const BAD: &str =
        "test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.05s\n";

    #[test]
    fn result_lines_are_added_up_and_other_lines_are_not() {
        let said = format!("running 3 tests\n{OK}test a ... ok\n{BAD}9 passed; 9 failed\n");
        assert_eq!(Totals::read(&said), Totals { passed: 5, failed: 4, skipped: 1 });
    }

    #[test]
    fn the_last_line_names_skipped_tests_only_where_there_are_any() {
        assert_eq!(Totals { passed: 5, failed: 0, skipped: 0 }.line(), "5 passed, 0 failed");
        assert_eq!(Totals { passed: 5, failed: 1, skipped: 2 }.line(), "5 passed, 1 failed, 2 skipped");
    }

    #[test]
    fn the_ten_slowest_come_first_and_no_others() {
        let ran = |took: u64| Ran {
            name: took.to_string(),
            took: Duration::from_secs(took),
            totals: Totals::default(),
            said: String::new(),
            trouble: None,
        };
        let outcome = TestOutcome::new((0..15).map(ran).collect());
        let names: Vec<&str> = outcome.slowest().into_iter().map(|ran| ran.name.as_str()).collect();
        assert_eq!(names, ["14", "13", "12", "11", "10", "9", "8", "7", "6", "5"]);
    }
}
