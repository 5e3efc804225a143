//! A question that is the last message of a user in a list of messages.
use super::members::{at, plain_text};
use agon_spec::reading::{FileNode, Value};

/// Whether a value is such a list.
pub(super) fn is_chat(node: &FileNode) -> bool {
    let Value::List(items) = &node.value else { return false };
    let is_message = |item: &FileNode| matches!(&item.value, Value::Map(entries) if at(entries, "role").is_some());
    !items.is_empty() && items.iter().all(is_message)
}

/// The last message of a user, and how many others there are.
pub(super) fn last_user_message(node: &FileNode) -> Result<(String, usize), (&FileNode, &'static str)> {
    let Value::List(items) = &node.value else { return Err((node, "a list of messages is expected")) };
    let mut users = items.iter().rev().filter(|item| {
        let Value::Map(entries) = &item.value else { return false };
        at(entries, "role").is_some_and(|role| role.value.value == Value::Text("user".to_owned()))
    });
    let Some(last) = users.next() else { return Err((node, "no message of the list has the role `user`")) };
    let Value::Map(entries) = &last.value else { return Err((last, "a message is a mapping")) };
    let Some(content) = at(entries, "content") else { return Err((last, "the message has no `content`")) };
    let text = match &content.value.value {
        Value::List(parts) => parts.iter().map(part).collect::<Option<Vec<_>>>().map(|parts| parts.join("\n")),
        value => plain_text(value),
    };
    let text = text.filter(|text| !text.is_empty());
    let text = text.ok_or((&content.value, "a message must be text; images and other parts cannot be asked"))?;
    Ok((text, items.len() - 1))
}

fn part(part: &FileNode) -> Option<String> {
    let Value::Map(entries) = &part.value else { return plain_text(&part.value) };
    at(entries, "text").and_then(|text| plain_text(&text.value.value))
}
