//! Weekdays, distances between dates, leap years; the Gregorian calendar.
use super::{Draws, Made};

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub(super) fn made(topic: u32, level: u32, draws: &mut Draws) -> Made {
    match topic {
        0 => weekday(level, draws),
        1 => distance(level, draws),
        2 => later(level, draws),
        3 => leap_years(level, draws),
        _ => weekday_later(level, draws),
    }
}

/// Days since 1 January 1 (proleptic Gregorian calendar).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let months: i64 = (1..month).map(|month| length(year, month)).sum();
    before * 365 + before / 4 - before / 100 + before / 400 + months + day - 1
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn length(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The year, month and day of a day.
fn date(mut left: i64) -> (i64, i64, i64) {
    let mut year = left / 366 + 1;
    while days(year + 1, 1, 1) <= left {
        year += 1;
    }
    left -= days(year, 1, 1);
    let mut month = 1;
    while left >= length(year, month) {
        left -= length(year, month);
        month += 1;
    }
    (year, month, left + 1)
}

fn written(day: i64) -> String {
    let (year, month, day) = date(day);
    format!("{year:04}-{month:02}-{day:02}")
}

fn name(day: i64) -> &'static str {
    usize::try_from(day % 7).ok().and_then(|at| WEEKDAYS.get(at)).copied().unwrap_or_default()
}

/// A day whose distance from today's dates grows with the level.
fn any(level: u32, draws: &mut Draws) -> i64 {
    let (from, to) = match level {
        1 => (2020, 2030),
        2 => (1950, 2080),
        _ => (1700, 2300),
    };
    draws.from(days(from, 1, 1), days(to, 12, 31))
}

fn weekday_options() -> Vec<String> {
    WEEKDAYS.map(str::to_owned).to_vec()
}

fn weekday(level: u32, draws: &mut Draws) -> Made {
    let day = any(level, draws);
    let text = format!("Which day of the week is {}?", written(day));
    Made::choice("weekdays", text, weekday_options(), usize::try_from(day % 7).unwrap_or(0))
}

fn distance(level: u32, draws: &mut Draws) -> Made {
    let first = any(level, draws);
    let apart = draws.from(20, 200 * i64::from(level * level));
    let text = format!("How many days after {} is {}?", written(first), written(first + apart));
    Made::number("distances", text, apart)
}

fn later(level: u32, draws: &mut Draws) -> Made {
    let first = any(level, draws);
    let apart = draws.from(20, 150 * i64::from(level * level));
    let text = format!("Which date is {apart} days after {}? Write it as YYYY-MM-DD.", written(first));
    Made::exact("later dates", text, written(first + apart))
}

fn leap_years(level: u32, draws: &mut Draws) -> Made {
    let from = draws.from(1600, 2300);
    let to = from + draws.from(8, 60 * i64::from(level * level));
    let text = format!("How many leap years are there from {from} to {to}, both included?");
    Made::number("leap years", text, (from..=to).filter(|year| is_leap(*year)).count() as i64)
}

fn weekday_later(level: u32, draws: &mut Draws) -> Made {
    let (start, apart) = (draws.from(0, 6), draws.from(10, 300 * i64::from(level * level)));
    let text = format!("Today is {}. Which day of the week is it in {apart} days?", name(start));
    let at = usize::try_from((start + apart) % 7).unwrap_or(0);
    Made::choice("weekdays", text, weekday_options(), at)
}
