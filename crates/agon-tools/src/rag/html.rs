//! The text of an HTML page, line for line, so that places in it stay true.

const SILENT: [&str; 3] = ["script", "style", "template"];
const ENTITIES: [(&str, &str); 7] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    // Last, or it would make entities of text.
    ("&amp;", "&"),
];

/// Drops tags, comments and what nobody reads, and keeps every line break.
///
/// This is for searching and not for showing: what comes out is never rendered, so nothing rests on its being clean.
pub(crate) fn text(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        text.push_str(before);
        let end = end_of(tag);
        let (gone, after) = tag.split_at(end);
        text.push(' ');
        text.extend(gone.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    text.push_str(rest);
    ENTITIES.iter().fold(text, |text, (entity, meaning)| text.replace(entity, meaning))
}

/// How many bytes belong to the tag that `tag` starts with, what it silences included.
fn end_of(tag: &str) -> usize {
    let after = |from: usize, needle: &str| {
        let found = tag.get(from..).and_then(|rest| rest.find(needle));
        found.map_or(tag.len(), |at| from + at + needle.len())
    };
    if tag.starts_with("<!--") {
        return after(4, "-->");
    }
    let end = after(0, ">");
    let name = tag.get(1..).unwrap_or_default().split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let silent = SILENT.iter().find(|silent| name.eq_ignore_ascii_case(silent));
    silent.map_or(end, |silent| close(tag, end, silent))
}

/// Where the closing tag `name` after `from` ends.
fn close(tag: &str, from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(found) = tag.get(at..).and_then(|rest| rest.find("</")) {
        at += found + 2;
        let rest = tag.get(at..).unwrap_or_default();
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return rest.find('>').map_or(tag.len(), |end| at + end + 1);
        }
    }
    tag.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_scripts_and_comments_go_and_lines_stay() {
        let page =
            "<h1>Tax &amp; rent</h1>\n<script>\nlet a = '</b>';\n</script><p\nclass=x>Body &lt;3<!-- a\n> b -->end";

        let text = text(page);

        assert_eq!(text.lines().count(), page.lines().count());
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["Tax", "&", "rent", "Body", "<3", "end"]);
    }

    #[test]
    fn broken_pages_end_without_harm() {
        for page in ["<", "<script>never closed", "a <b", "<!-- open", "</", "<é>x"] {
            let _ = text(page);
        }
        assert_eq!(text("a < b").trim(), "a");
    }
}
