//! The plan for very many debates at once: its arithmetic, its simulation, and the page that shows its tables.
use crate::support::root;
use std::process::Command;

#[test]
fn the_script_plans_as_its_tests_say_and_prints_the_tables_of_the_page() {
    // its bytecode is nothing to leave in the sources
    let tests = ["-B", "-m", "unittest", "discover", "-s", "docs/scale"];
    let output = Command::new("python3").args(tests).current_dir(root()).output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
