//! `cargo xtask pictures`: makes the pictures of the README anew, from a rehearsal.

use std::process::ExitCode;

use anyhow::Result;

use crate::{needs, process};

/// Where the README looks for them.
const FOLDER: &str = "docs/guide/images";

/// Has the tests that make them write them.
pub fn run() -> Result<ExitCode> {
    needs::ensure()?;
    process::to_its_end(process::cargo().args(["build", "-p", "agon"]))?;
    let mut tests = process::cargo();
    tests.args(["test", "-p", "agon-tests", "--test", "it", "pictures::"]);
    process::to_its_end(tests.env("AGON_README_PICTURES", process::root().join(FOLDER)))
}
