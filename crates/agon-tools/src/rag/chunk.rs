//! Cutting a file into passages.

const CHUNK_CHARS: usize = 800;
/// A blank line ends a passage that is at least this long.
const ENOUGH_CHARS: usize = 500;

/// A piece of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Its first line, from 1.
    pub(super) first: u32,
    /// Its last line.
    pub(super) last: u32,
    pub(super) text: String,
}

/// Cuts `text` at line ends, preferably where a line is blank; only a line that is too long by itself is cut inside.
pub(super) fn chunks(text: &str) -> Vec<Chunk> {
    let (mut done, mut open) = (Vec::new(), None::<Chunk>);
    for (number, line) in (1_u32..).zip(text.lines()) {
        for piece in pieces(line) {
            let length = open.as_ref().map_or(0, |chunk| chunk.text.chars().count());
            let full = length > 0 && length + piece.chars().count() > CHUNK_CHARS;
            let enough = piece.trim().is_empty() && length >= ENOUGH_CHARS;
            if full || enough {
                done.extend(open.take());
            }
            let chunk = open.get_or_insert_with(|| Chunk { first: number, last: number, text: String::new() });
            chunk.last = number;
            chunk.text.push_str(piece);
            chunk.text.push('\n');
        }
    }
    done.extend(open);
    done.retain(|chunk| !chunk.text.trim().is_empty());
    done
}

/// A line in pieces that fit a passage, cut at spaces where there are any.
fn pieces(line: &str) -> Vec<&str> {
    let (mut rest, mut pieces) = (line, Vec::new());
    while let Some((limit, _)) = rest.char_indices().nth(CHUNK_CHARS) {
        let (head, _) = rest.split_at(limit);
        let end = head.rfind(' ').filter(|end| *end > 0).unwrap_or(limit);
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_file_is_one_passage_with_all_its_lines() {
        assert_eq!(chunks("a\n\nb"), [Chunk { first: 1, last: 3, text: "a\n\nb\n".into() }]);
    }

    #[test]
    fn passages_cover_every_line_once_and_are_not_too_long() {
        let text = (0..200).map(|n| format!("line {n} with some words\n")).collect::<String>();

        let chunks = chunks(&text);

        assert_eq!(chunks.iter().map(|chunk| chunk.text.as_str()).collect::<String>(), text);
        assert!(chunks.iter().all(|chunk| chunk.text.chars().count() <= CHUNK_CHARS + 40));
        assert!(chunks.windows(2).all(|pair| pair[1].first == pair[0].last + 1));
    }

    #[test]
    fn a_line_without_end_is_cut_and_keeps_its_number() {
        let chunks = chunks(&format!("x\n{}", "wört ".repeat(1000)));

        assert!(chunks.len() > 5);
        assert!(chunks.iter().skip(1).all(|chunk| (chunk.first, chunk.last) == (2, 2)));
    }

    #[test]
    fn nothing_but_blank_lines_is_no_passage() {
        assert_eq!(chunks("\n \n\t\n"), []);
    }
}
