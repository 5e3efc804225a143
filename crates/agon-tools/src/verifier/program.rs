//! A program that checks one claim and ends.

use agon_core::CheckFailure;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};

use super::{CheckError, MAX_ANSWER};
use crate::McpConfig;
use crate::process::ProcessGroup;

/// Gives the program the claim, and returns what it answered. Whoever drops this ends the program and all it started.
pub(super) async fn run(verifier: &str, program: &McpConfig, claim: &str) -> Result<String, CheckError> {
    let (process, output, input) = ProcessGroup::start(verifier, program)
        .map_err(|error| CheckError::new(CheckFailure::Unavailable, told(&error)))?;
    let (said, ()) = tokio::join!(answer(output), feed(input, claim));
    let status = process.ended().await;
    if status.is_some_and(|status| status.success()) {
        return Ok(said);
    }
    let how = status.map_or_else(|| "in a way that is not known".to_owned(), |status| format!("with {status}"));
    Err(CheckError::new(CheckFailure::Died, format!("the verifier `{verifier}` ended {how}")))
}

/// A tool's words, said of a verifier.
fn told(error: &crate::ToolError) -> String {
    error.to_string().replacen("the tool", "the verifier", 1)
}

/// A program need not read its claim, so it is no fault when it does not.
async fn feed(mut input: ChildStdin, claim: &str) {
    if input.write_all(claim.as_bytes()).await.is_ok() {
        let _ = input.shutdown().await;
    }
}

/// Reads to the end, and keeps the beginning.
async fn answer(mut output: ChildStdout) -> String {
    let (mut kept, mut piece) = (Vec::new(), [0; 8 * 1024]);
    // what cannot be read has ended
    while let Ok(read @ 1..) = output.read(&mut piece).await {
        let room = MAX_ANSWER.saturating_sub(kept.len()).min(read);
        kept.extend_from_slice(piece.get(..room).unwrap_or_default());
    }
    String::from_utf8_lossy(&kept).into_owned()
}
