//! The reference page of the debate file, made from the table of keys.
use crate::keys::{DEBATE, Key, KeyTable, Shape, names};
use crate::template::TEMPLATE_VARIABLES;
use crate::{CAST, Code};

const HEAD: &str = "\
# The debate file: reference

This page is generated from the table of keys in `crates/agon-spec`; a test compares the two. [The guide](../guide/debate-files.md)
explains how to write a debate file.

A debate file is Markdown with an optional YAML front matter block, YAML, or JSON; the keys are the same in all three.
The extension decides (`.md`, `.markdown` and `.txt`; `.yaml` and `.yml`; `.json`), otherwise the content. Plain text is Markdown
without front matter. A file has at most 1 MiB of UTF-8
([more limits](../guide/security.md#what-a-debate-file-may-cost)). An unknown key or value is an error and never ignored.
A single value where a list is wanted is a list of one.
";

/// The page `docs/reference/debate-file.md`.
pub fn reference_markdown() -> String {
    let mut page = HEAD.to_owned();
    keys(&mut page, &DEBATE);
    variables(&mut page);
    cast(&mut page);
    codes(&mut page);
    page
}

/// The tables from a first one on, and the values of their keys.
pub(crate) fn keys(page: &mut String, first: &'static KeyTable) {
    let mut tables: Vec<&KeyTable> = vec![first];
    let mut next = 0;
    while let Some(table) = tables.get(next) {
        for below in table.keys.iter().filter_map(|key| below(&key.shape)) {
            if !tables.iter().any(|known| std::ptr::eq(*known, below)) {
                tables.push(below);
            }
        }
        next += 1;
    }
    for of in &tables {
        table(page, of, std::ptr::eq(*of, first));
    }
    values(page, &tables);
}

fn below(shape: &Shape) -> Option<&'static KeyTable> {
    match shape {
        Shape::Map(table) | Shape::Switch(table) | Shape::Short(_, table) | Shape::List { of: table, .. } => {
            Some(table)
        }
        Shape::Either(shapes) => shapes.iter().find_map(below),
        _ => None,
    }
}

fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

fn table(page: &mut String, of: &KeyTable, is_first: bool) {
    let title = if is_first {
        format!("Keys of the {}", of.title)
    } else {
        format!("Keys of `{}`", of.title.replace(", ", "`, `"))
    };
    line(page, &format!("\n## {title}\n\n{}\n", of.about));
    line(page, "| key | value | default | meaning | since |");
    line(page, "| --- | --- | --- | --- | --- |");
    for key in of.keys {
        line(page, &row(key));
    }
}

fn row(key: &Key) -> String {
    let written: Vec<_> = std::iter::once(&key.name).chain(key.aliases).map(|name| format!("`{name}`")).collect();
    let value = match &key.shape {
        Shape::Choice(choices) => format!("{} ([values](#values-of-{}))", names(choices).join(", "), key.name),
        Shape::Choices { of, .. } => {
            format!("list of {} ([values](#values-of-{}))", names(of).join(", "), key.name)
        }
        other => other.describe(),
    };
    let required = if key.required { "**required**" } else { key.default };
    let exclusive = key.instead_of.map_or_else(String::new, |other| format!(" Not together with `{other}`."));
    format!("| {} | {value} | {required} | {}{exclusive} | {} |", written.join(", "), key.meaning, key.since)
}

fn values(page: &mut String, tables: &[&KeyTable]) {
    let mut shown = Vec::new();
    for key in tables.iter().flat_map(|table| table.keys) {
        let (Shape::Choice(choices) | Shape::Choices { of: choices, .. } | Shape::Short(choices, _)) = &key.shape
        else {
            continue;
        };
        if shown.contains(&key.name) {
            continue;
        }
        shown.push(key.name);
        line(page, &format!("\n## Values of `{}`\n", key.name));
        for choice in *choices {
            line(page, &format!("- `{}`: {}", choice.name, choice.meaning));
        }
    }
}

fn variables(page: &mut String) {
    line(
        page,
        "\n## Variables of `instructions`\n\nWritten `{{name}}`, in every `instructions` and in `system_prompt`.\n",
    );
    for (name, meaning) in TEMPLATE_VARIABLES {
        line(page, &format!("- `{name}`: {meaning}"));
    }
}

fn cast(page: &mut String) {
    line(page, "\n## The built-in cast\n\nIf no personas are listed, `persona_count` takes that many from the top.");
    line(page, "In deliberative mode they have no stances.\n");
    line(page, "| name | role | stance |\n| --- | --- | --- |");
    for member in &CAST {
        line(page, &format!("| `{}` | {} | {} |", member.name, member.role, member.stance));
    }
}

fn codes(page: &mut String) {
    line(page, "\n## Codes of diagnostics\n\nThe names are stable; they follow `error` or `warning`, in brackets.\n");
    for code in Code::ALL {
        line(page, &format!("- `{code}`: {}", code.meaning()));
    }
}
