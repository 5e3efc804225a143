//! Whether arguments fit a function's schema.

use agon_schema::{MAX_NODES, Schema, SchemaMismatch};
use serde_json::Value;

use crate::text::one_line;
use crate::{MAX_ARGUMENT_BYTES, ToolError};

const MAX_PROBLEMS: usize = 5;
const MAX_PROBLEM_CHARS: usize = 200;

/// A schema that is ready to check.
pub(crate) fn compile(schema: &Value) -> Result<Schema, String> {
    Schema::compile(schema, MAX_NODES).map_err(|error| {
        let place = if error.at.is_empty() { String::new() } else { format!("at {}: ", error.at) };
        one_line(&format!("{place}{error}"), MAX_PROBLEM_CHARS)
    })
}

/// Checks `arguments`, and says what to do better where they do not fit.
pub(crate) fn check(function: &str, schema: &Schema, arguments: &Value) -> Result<(), ToolError> {
    let size = arguments.to_string().len();
    let problems = if size > MAX_ARGUMENT_BYTES {
        vec![format!("{size} bytes; at most {MAX_ARGUMENT_BYTES} are taken")]
    } else {
        schema.problems(arguments, MAX_PROBLEMS).iter().map(words).collect()
    };
    if problems.is_empty() {
        return Ok(());
    }
    Err(ToolError::BadArguments { function: function.to_owned(), problems })
}

/// What a value that a model wrote does not keep to, if anything.
pub(crate) fn first_problem(schema: &Schema, value: &Value) -> Option<String> {
    schema.problems(value, 1).first().map(words)
}

fn words(problem: &SchemaMismatch) -> String {
    let place = if problem.at.is_empty() { String::new() } else { format!("at {}: ", problem.at) };
    one_line(&format!("{place}{}", problem.message), MAX_PROBLEM_CHARS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Schema {
        compile(&json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})).unwrap()
    }

    #[test]
    fn a_message_names_what_is_missing_and_what_is_of_the_wrong_type() {
        let missing = check("f", &schema(), &json!({})).unwrap_err().to_string();
        let wrong = check("f", &schema(), &json!({"n": "x"})).unwrap_err().to_string();

        assert!(missing.contains("\"n\" is a required property"), "{missing}");
        assert!(wrong.contains("at /n") && wrong.contains("integer"), "{wrong}");
    }

    #[test]
    fn arguments_beyond_the_limit_are_not_looked_at() {
        let error = check("f", &schema(), &json!({"n": "x".repeat(MAX_ARGUMENT_BYTES)})).unwrap_err();

        assert!(error.to_string().contains("at most"), "{error}");
    }

    #[test]
    fn a_schema_that_refers_elsewhere_is_no_schema() {
        assert!(compile(&json!({"$ref": "http://127.0.0.1:9/schema"})).is_err());
        assert!(compile(&json!({"$ref": "file:///etc/passwd"})).is_err());
    }
}
