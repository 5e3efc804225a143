//! Whether the colours of the page can be read, in the light and in the dark.
use agon_report::STYLE;
use std::collections::BTreeMap;

/// What text must have at least: WCAG 2, level AA.
const LEAST: f64 = 4.5;
/// Shares of the colour of attacks in the cells of the grid, and of good in those of first places.
const SHADES: [&str; 5] = ["h1", "h2", "h3", "h4", "h5"];

type Rgb = [f64; 3];
/// Colours by selector and name: `.s0 --c`.
type Palette = BTreeMap<String, Rgb>;

fn rgb(hex: &str) -> Option<Rgb> {
    let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok().map(|n| f64::from(n) / 255.0);
    Some([part(0)?, part(2)?, part(4)?])
}

/// The colours that a part of the style names.
fn colours(css: &str) -> Palette {
    let rules = css.split('}').filter_map(|rule| rule.rsplit_once('{'));
    let all = rules.flat_map(|(selector, body)| {
        let selector = selector.split(['{', '\n']).next_back().unwrap_or_default().trim().to_owned();
        body.split(';')
            .filter_map(|pair| pair.split_once(':'))
            .map(move |(name, value)| (format!("{selector} {}", name.trim()), value.trim().to_owned()))
    });
    all.filter_map(|(name, value)| Some((name, rgb(&value)?))).collect()
}

/// The light palette, and the dark one.
fn palettes() -> [Palette; 2] {
    let (light, rest) = STYLE.split_once("@media screen and (prefers-color-scheme: dark) {").unwrap();
    let (dark, _) = rest.split_once("\n}\n").unwrap();
    [colours(light), colours(dark)]
}

fn luminance(colour: Rgb) -> f64 {
    let [r, g, b] = colour.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}
fn mixed(one: Rgb, share: f64, other: Rgb) -> Rgb {
    [0, 1, 2].map(|at| one[at] * share + other[at] * (1.0 - share))
}

/// The share of a colour that the style mixes into the paper for a class.
fn share(class: &str) -> f64 {
    let (_, rest) = STYLE.split_once(&format!(".{class} {{ ")).unwrap();
    let (_, rest) = rest.split_once("color-mix(in srgb, var(--").unwrap();
    let percent = rest.split_whitespace().nth(1).unwrap().strip_suffix("%,").unwrap();
    percent.parse::<f64>().unwrap() / 100.0
}

#[test]
fn the_measure_is_that_of_wcag() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
    assert!((contrast(rgb("#777777").unwrap(), [1.0; 3]) - 4.48).abs() < 0.01);
}

#[test]
fn every_speaker_has_a_colour_that_can_be_read_on_paper_and_on_its_own_wash() {
    for palette in palettes() {
        for n in 0..16 {
            let (c, wash) = (palette[&format!(".s{n} --c")], palette[&format!(".s{n} --wash")]);
            for ground in [palette[":root --paper"], wash] {
                assert!(contrast(c, ground) >= LEAST, "s{n}: {}", contrast(c, ground));
            }
            assert!(contrast(palette[":root --ink"], wash) >= LEAST, "text in a box of s{n}");
        }
    }
}

#[test]
fn every_colour_of_text_can_be_read_on_every_ground() {
    for palette in palettes() {
        for text in ["ink", "soft", "link", "good", "mixed", "bad", "open"] {
            for ground in ["paper", "raised"] {
                let found = contrast(palette[&format!(":root --{text}")], palette[&format!(":root --{ground}")]);
                assert!(found >= LEAST, "{text} on {ground}: {found}");
            }
        }
        // The mark of an unanswered attack.
        assert!(contrast(palette[":root --paper"], palette[":root --bad"]) >= LEAST);
    }
}

#[test]
fn numbers_can_be_read_in_the_darkest_cell_and_more_is_never_lighter() {
    let shares = SHADES.map(share);
    assert!(shares.is_sorted() && shares[0] > 0.0, "{shares:?}");
    for palette in palettes() {
        let (ink, paper) = (palette[":root --ink"], palette[":root --paper"]);
        for share in shares {
            assert!(contrast(ink, mixed(palette[":root --bad"], share, paper)) >= LEAST, "{share}");
        }
        let good = palette[":root --good"];
        assert!(contrast(good, mixed(good, share("ranks .p1"), paper)) >= LEAST, "a first place");
    }
}

#[test]
fn no_two_of_the_first_sixteen_colours_look_alike() {
    let distance = |one: Rgb, other: Rgb| [0, 1, 2].map(|at| (one[at] - other[at]).powi(2)).iter().sum::<f64>().sqrt();
    for palette in palettes() {
        let of = |n: usize| palette[&format!(".s{n} --c")];
        for n in 0..16 {
            for other in 0..n {
                let least = if n < 8 { 0.15 } else { 0.05 };
                let found = distance(of(n), of(other));
                assert!(found > least, "s{n} and s{other}: {found}");
            }
        }
    }
}
