//! Tables of cells: CSV with commas, semicolons or tabs.
use super::{DataShape, members};
use agon_spec::Code;
use agon_spec::reading::{Charge, FileNode, MapEntry, Problems, Span, SpecFinding, Text, Value, quote};

/// Cells of a row, at the most.
const MOST_COLUMNS: usize = 200;
/// The columns of MMLU's own files, which have no header.
const MMLU: [&str; 6] = ["question", "A", "B", "C", "D", "answer"];

/// Whether a line is the header of such a table.
pub(super) fn is_header(line: &str) -> bool {
    let separator = char::from(separator(line));
    let cells: Vec<&str> = line.split(separator).map(|cell| cell.trim().trim_matches('"')).collect();
    cells.len() > 1 && cells.iter().any(|cell| members::is_question(cell))
}

/// What parts the cells: what the first line has most of.
fn separator(text: &str) -> u8 {
    let (mut inside, mut counts) = (false, [0_usize; 3]);
    for byte in text.bytes() {
        match byte {
            b'"' => inside = !inside,
            b'\n' if !inside => break,
            _ if inside => {}
            b',' => counts[0] += 1,
            b';' => counts[1] += 1,
            b'\t' => counts[2] += 1,
            _ => {}
        }
    }
    let [commas, semicolons, tabs] = counts;
    match () {
        () if tabs > commas && tabs > semicolons => b'\t',
        () if semicolons > commas => b';',
        () => b',',
    }
}

/// One record: its cells with their places.
struct Cells {
    span: Span,
    cells: Vec<(String, Span)>,
}

/// The rows as mappings from the header's names to texts.
pub(super) fn read(
    text: &Text,
    shape: Option<DataShape>,
    charge: &mut Charge,
    problems: &mut Problems<'_>,
) -> Result<Vec<FileNode>, SpecFinding> {
    let mut records = records(text, charge)?.into_iter().peekable();
    let Some(first) = records.peek() else { return Ok(Vec::new()) };
    let names = match headless(first, shape) {
        Some(names) => names,
        None => header(records.next(), problems),
    };
    Ok(records.filter_map(|record| row(&names, record, problems)).collect())
}

/// The names of a table that has none of its own.
fn headless(first: &Cells, shape: Option<DataShape>) -> Option<Vec<(String, Span)>> {
    let name = |name: &str| (name.to_owned(), Span::default());
    let known = first.cells.iter().any(|(cell, _)| members::is_question(cell));
    if known {
        return None;
    }
    let letter = first.cells.last().is_some_and(|(cell, _)| matches!(cell.trim(), "A" | "B" | "C" | "D"));
    match first.cells.len() {
        6 if letter || shape == Some(DataShape::Mmlu) => Some(MMLU.map(name).to_vec()),
        1 => Some(vec![name("question")]),
        _ => None,
    }
}

fn header(record: Option<Cells>, problems: &mut Problems<'_>) -> Vec<(String, Span)> {
    let mut names: Vec<(String, Span)> = Vec::new();
    for (cell, span) in record.map(|record| record.cells).unwrap_or_default() {
        let name = cell.trim().to_owned();
        if !name.is_empty() && names.iter().any(|(known, _)| *known == name) {
            let message = format!("the header has the column {} twice", quote(&name));
            problems.error(SpecFinding::new(Code::DuplicateKey, span, message));
        }
        names.push((name, span));
    }
    names
}

fn row(names: &[(String, Span)], record: Cells, problems: &mut Problems<'_>) -> Option<FileNode> {
    let Cells { span, cells } = record;
    let count = cells.len();
    let rest_is_empty = cells.iter().skip(names.len()).all(|(cell, _)| cell.trim().is_empty());
    if count < names.len() || !rest_is_empty {
        let message = format!("this row has {count} cells, the header {}", names.len());
        let finding = SpecFinding::new(Code::Syntax, span, message);
        problems.error(finding.help("put a cell that holds the separator, a quote or a line end in double quotes"));
        return None;
    }
    let entry = |((key, key_span), (cell, span)): (&(String, Span), (String, Span))| {
        let value = if cell.trim().is_empty() { Value::Null } else { Value::Text(cell) };
        let key_span = if *key_span == Span::default() { span } else { *key_span };
        MapEntry { key: key.clone(), key_span, value: FileNode { span, value } }
    };
    let entries = names.iter().zip(cells).filter(|((name, _), _)| !name.is_empty()).map(entry).collect();
    Some(FileNode { span, value: Value::Map(entries) })
}

fn records(text: &Text, charge: &mut Charge) -> Result<Vec<Cells>, SpecFinding> {
    let separator = separator(&text.all);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.all.as_bytes());
    let (mut list, mut record) = (Vec::new(), csv::StringRecord::new());
    loop {
        let read = reader.read_record(&mut record);
        if !read.map_err(|error| unreadable(text, &error))? {
            return Ok(list);
        }
        let start = record.position().map_or(0, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX));
        if record.len() > MOST_COLUMNS {
            let message = format!("a row has {} cells; at most {MOST_COLUMNS} are allowed", record.len());
            return Err(SpecFinding::new(Code::TooComplex, Span::at(text.place(start)), message));
        }
        let places = starts(text, start, separator)?;
        let span = Span { start: text.place(places.first().map_or(start, |field| field.0)), end: Default::default() };
        let span = Span { end: text.place(places.last().map_or(start, |field| field.1)), ..span };
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let mut cells = Vec::new();
        for (at, cell) in record.iter().enumerate() {
            let place =
                places.get(at).map_or(span, |(from, to)| Span { start: text.place(*from), end: text.place(*to) });
            charge.admit(2, cell.len(), place)?;
            cells.push((cell.to_owned(), place));
        }
        list.push(Cells { span, cells });
    }
}

fn unreadable(text: &Text, error: &csv::Error) -> SpecFinding {
    let byte = error.position().map_or(0, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX));
    SpecFinding::new(Code::Syntax, Span::at(text.place(byte)), format!("this is not valid CSV: {error}"))
}

/// Where the cells of the record begin and end that starts at a byte. The reader says only where records start.
fn starts(text: &Text, start: usize, separator: u8) -> Result<Vec<(usize, usize)>, SpecFinding> {
    let bytes = text.all.as_bytes();
    let mut at = start;
    while bytes.get(at) == Some(&b'\n') {
        at += 1;
    }
    let mut fields = Vec::new();
    let mut from = at;
    let mut quoted = bytes.get(at) == Some(&b'"');
    if quoted {
        at += 1;
    }
    loop {
        match bytes.get(at) {
            None if quoted => {
                let span = Span::at(text.place(from));
                let finding = SpecFinding::new(
                    Code::Syntax,
                    span,
                    "this is not valid CSV: a quote that was opened is not closed",
                );
                return Err(finding.help("a double quote inside a quoted cell is written twice"));
            }
            Some(b'"') if quoted && bytes.get(at + 1) == Some(&b'"') => at += 2,
            Some(b'"') if quoted => {
                quoted = false;
                at += 1;
            }
            None | Some(b'\n') if !quoted => {
                fields.push((from, at));
                return Ok(fields);
            }
            Some(byte) if *byte == separator && !quoted => {
                fields.push((from, at));
                at += 1;
                from = at;
                quoted = bytes.get(at) == Some(&b'"');
                if quoted {
                    at += 1;
                }
            }
            _ => at += 1,
        }
    }
}
