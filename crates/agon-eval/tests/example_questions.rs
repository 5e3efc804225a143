//! The example questions: their answers are computed here, apart from the file.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail loudly")]
use agon_eval::{DataSource, Gold, Question, read_questions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn questions() -> Vec<Question> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/eval/questions.csv");
    let bytes = std::fs::read(path).unwrap();
    let read = read_questions(DataSource { name: "questions.csv".into(), bytes, ..DataSource::default() });
    assert!(read.diagnostics.is_empty(), "{}", agon_spec::render(&read.diagnostics));
    read.questions.unwrap()
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_of(year: i64, month: usize) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since Monday, 1 January 1900, counted one month after the other.
fn day(year: i64, month: usize, of_month: i64) -> i64 {
    let years: i64 = (1900..year).map(|year| 365 + i64::from(is_leap(year))).sum();
    years + (1..month).map(|month| days_of(year, month)).sum::<i64>() + of_month - 1
}

fn weekday(day: i64) -> String {
    WEEKDAYS[usize::try_from(day % 7).unwrap()].to_owned()
}

fn date(mut day: i64) -> String {
    for year in 1900.. {
        for month in 1..=12 {
            if day < days_of(year, month) {
                return format!("{} {} {year}", day + 1, MONTHS[month - 1]);
            }
            day -= days_of(year, month);
        }
    }
    unreachable!()
}

fn leap_years(years: std::ops::RangeInclusive<i64>) -> usize {
    years.filter(|year| is_leap(*year)).count()
}

fn arithmetic() -> Vec<String> {
    let whole = |n: i64| n.to_string();
    let divisible = (1..=200).filter(|n| n % 6 == 0 && n % 9 != 0).count();
    vec![
        whole(14 * 24 + 9 * 18 + 37),
        whole(212 - 48 + 31 - 67 + 19),
        whole(120 * 75 * 110 / 100 / 100),
        whole(3 * 8 / 4),
        (65.0 * 340.0 / 1_000.0).to_string(),
        whole(350 / 4 * 10 + 350 % 4 * 10 / 4),
        whole(18 * 12 - 16 * 10),
        (24.0 / (12.0 / 15.0 + 12.0 / 10.0)).to_string(),
        whole(900 * 5 / 6 - 900 * 2 / 3),
        whole(480 * 65 / 100 / 2),
        (2_000.0 * 1.03 * 1.03).to_string(),
        whole(5 * 14 - 9 - 12 - 17 - 20),
        (8.4 / 7.0).to_string(),
        whole(45 * 29 + 15 * 15 - 60 * 18),
        divisible.to_string(),
        (1..).find(|n| n + n + 1 + n + 2 == 216).map(|n: i64| whole(n + 2)).unwrap(),
        (4.0 * (4.0 + 6.0 / 24.0)).to_string(),
        (1.0 / (1.0f64 / 12.0 + 1.0 / 6.0)).to_string(),
        whole(3 + 1),
        whole((7 * 38 + 21 + 49) / 50),
    ]
}

fn dates() -> Vec<String> {
    let between = |from: i64, to: i64| (to - from).to_string();
    let working = (day(2021, 5, 3)..=day(2021, 7, 30)).filter(|day| day % 7 < 5).count();
    let fridays = (1..=12).filter(|month| day(2026, *month, 13) % 7 == 4);
    vec![
        weekday(day(2019, 3, 14)),
        weekday(day(2004, 2, 29)),
        weekday(day(1901, 1, 1)),
        // any Wednesday
        weekday(2 + 31 + 29),
        weekday(day(2000, 7, 4) + 1_000),
        between(day(2023, 1, 17), day(2023, 5, 4)),
        between(day(2023, 12, 20), day(2024, 3, 10)),
        between(day(2100, 2, 26), day(2100, 3, 3)),
        between(day(1989, 9, 1), day(1999, 9, 1)),
        working.to_string(),
        date(day(2021, 11, 12) + 89),
        date(day(2019, 12, 1) + 99),
        date(day(2022, 1, 31) + 30),
        date(day(2028, 1, 1) + 199),
        leap_years(1896..=1912).to_string(),
        (1..=31).filter(|of_month| day(2027, 3, *of_month) % 7 == 0).count().to_string(),
        MONTHS[fridays.clone().nth(1).unwrap() - 1].to_owned(),
        (day(2027, 1, 5)..day(2028, 1, 1)).step_by(14).count().to_string(),
        ((30 * 60 + 12) - (22 * 60 + 47)).to_string(),
        leap_years(1997..=2024).to_string(),
    ]
}

/// All orders of so many things: which place each has.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(n - 1).into_iter();
    shorter.flat_map(|order| (0..n).map(move |at| [&order[..at], &[n - 1], &order[at..]].concat())).collect()
}

/// The one answer of all worlds that fit.
fn only<W>(worlds: impl IntoIterator<Item = W>, fits: impl Fn(&W) -> bool, ask: impl Fn(&W) -> String) -> String {
    let answers: BTreeSet<String> = worlds.into_iter().filter(|world| fits(world)).map(|world| ask(&world)).collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.into_iter().next().unwrap()
}

/// Who is at this place of the one order of Ana, Bo, Cem, Dora and Eli in which this holds of their places.
fn at_place(place: usize, fits: impl Fn(usize, usize, usize, usize, usize) -> bool) -> String {
    const NAMES: [&str; 5] = ["Ana", "Bo", "Cem", "Dora", "Eli"];
    let holds = |places: &Vec<usize>| fits(places[0], places[1], places[2], places[3], places[4]);
    only(orders(5), holds, |places| NAMES[places.iter().position(|at| *at == place).unwrap()].to_owned())
}

/// The one way in which Uma, Vito and Wes are knights whose statements are true just when they are.
fn knights(statements: [fn([bool; 3]) -> bool; 3]) -> Vec<&'static str> {
    let worlds = (0..8).map(|bits| [bits & 1 == 1, bits & 2 == 2, bits & 4 == 4]);
    let fit: Vec<[bool; 3]> = worlds.filter(|world| (0..3).all(|at| world[at] == statements[at](*world))).collect();
    let [world] = fit.try_into().unwrap();
    ["Uma", "Vito", "Wes"].into_iter().zip(world).filter(|(_, knight)| *knight).map(|(name, _)| name).collect()
}

/// Whether a conclusion holds in each world of three kinds of things where the premises do. A world says of which combinations there are
/// things; of each kind there is one.
fn follows(premises: impl Fn(&[[bool; 3]]) -> bool, conclusion: impl Fn(&[[bool; 3]]) -> bool) -> String {
    let kinds = |bits: usize| [bits & 1 == 1, bits & 2 == 2, bits & 4 == 4];
    let worlds = (1..256usize).map(|world| (0..8).filter(|bit| world >> bit & 1 == 1).map(kinds).collect());
    let mut possible = worlds
        .filter(|world: &Vec<[bool; 3]>| (0..3).all(|kind| world.iter().any(|thing| thing[kind])) && premises(world));
    if possible.all(|world| conclusion(&world)) { "it follows" } else { "it does not follow" }.to_owned()
}

fn logic() -> Vec<String> {
    let some = |world: &[[bool; 3]], a: usize, b: usize| world.iter().any(|thing| thing[a] && thing[b]);
    let all = |world: &[[bool; 3]], a: usize, b: usize| world.iter().all(|thing| !thing[a] || thing[b]);
    let joined = |names: Vec<&str>| if names.is_empty() { "none of them".to_owned() } else { names.join(" and ") };
    let house = only(
        orders(5),
        |p| p[1].abs_diff(p[3]) == 1 && p[0] == 2 && p[2] > p[1] && p[2] > p[3] && p[4] == 3,
        |p| (p[2] + 1).to_string(),
    );
    // Wes is not there
    let two = |first: fn([bool; 3]) -> bool, second: fn([bool; 3]) -> bool| {
        let worlds = (0..4).map(|bits| [bits & 1 == 1, bits & 2 == 2, false]);
        only(
            worlds,
            |w| w[0] == first(*w) && w[1] == second(*w),
            |w| {
                match (w[0], w[1]) {
                    (true, true) => "both",
                    (true, false) => "Uma alone",
                    (false, true) => "Vito alone",
                    (false, false) => "neither",
                }
                .to_owned()
            },
        )
    };
    vec![
        at_place(2, |a, b, c, d, e| b == a + 1 && d < a && e == 4 && c == d + 1),
        at_place(3, |a, b, c, d, e| d < c && c < a && a < b && d < e && e < c),
        at_place(1, |a, b, c, _, e| a == 0 && e == 3 && b == 4 && c.abs_diff(a) != 1),
        at_place(1, |a, b, c, d, e| a < b && c > d && e > b && c < a),
        house,
        at_place(4, |a, b, c, d, e| c == e + 1 && d == 0 && b == a + 1 && b != 4),
        two(|w| !w[1], |w| w[0] == w[1]),
        // Vito says nothing: whatever he is, fits
        two(|w| !(w[0] && w[1]), |w| w[1]),
        knights([|w| !w[1] && !w[2], |w| !w[0], |w| !w[1]]).len().to_string(),
        joined(knights([
            |w| w.map(usize::from).iter().sum::<usize>() == 1,
            |w| w.map(usize::from).iter().sum::<usize>() == 2,
            |w| w[0],
        ])),
        joined(knights([|w| w[1], |w| !w[2], |w| w[0] != w[1]])),
        joined(knights([|w| !w[1] || w[2], |w| !w[2], |w| w[0] && w[1]])),
        follows(|w| all(w, 0, 1) && !some(w, 1, 2), |w| !some(w, 0, 2)),
        follows(|w| all(w, 0, 1) && some(w, 1, 2), |w| some(w, 0, 2)),
        follows(|w| !some(w, 0, 1) && some(w, 2, 1), |w| w.iter().any(|thing| thing[2] && !thing[0])),
        follows(|w| all(w, 0, 1) && some(w, 2, 1), |w| some(w, 2, 0)),
        (18 + 15 - (30 - 4)).to_string(),
        (1..=100).filter(|n: &i32| n.to_string().contains('7')).count().to_string(),
        orders(4).iter().filter(|places| places[0].abs_diff(places[1]) != 1).count().to_string(),
        (0..16u32).filter(|lamps| lamps.count_ones() >= 2 && lamps & 9 != 9).count().to_string(),
    ]
}

#[test]
fn every_answer_of_the_example_questions_is_right() {
    let mut wanted: BTreeMap<String, String> = BTreeMap::new();
    for (letter, answers) in [("a", arithmetic()), ("d", dates()), ("l", logic())] {
        assert_eq!(answers.len(), 20);
        wanted.extend((1..).zip(answers).map(|(at, answer)| (format!("{letter}{at:02}"), answer)));
    }
    let questions = questions();
    assert_eq!(questions.len(), wanted.len());
    for question in questions {
        let wanted = &wanted[&question.id];
        match &question.gold {
            Gold::Choice { right } => assert_eq!(question.options[right[0]], *wanted, "{}", question.text),
            Gold::Number { answers, .. } => {
                let computed: f64 = wanted.parse().unwrap();
                assert!((answers[0] - computed).abs() < 1e-9, "{}: {computed}", question.text);
            }
            other => panic!("{other:?}"),
        }
    }
}
