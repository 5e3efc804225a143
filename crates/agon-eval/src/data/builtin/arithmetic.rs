//! Calculations and word problems.
use super::{Draws, Made};

pub(super) fn made(topic: u32, level: u32, draws: &mut Draws) -> Made {
    match topic {
        0 => calculation(level, draws),
        1 => word_problem(level, draws),
        2 => percent(level, draws),
        3 => remainder(level, draws),
        _ => fraction(level, draws),
    }
}

fn size(level: u32) -> i64 {
    [9, 9, 40, 150].get(level as usize).copied().unwrap_or(9)
}

fn calculation(level: u32, draws: &mut Draws) -> Made {
    let most = size(level);
    let (a, b, c, d) = (draws.from(3, most * 3), draws.from(3, most), draws.from(2, most), draws.from(2, most));
    let (text, answer) = match level {
        1 => (format!("What is {a} * {b} - {c}?"), a * b - c),
        2 => (format!("What is ({a} + {b}) * {c} - {d}?"), (a + b) * c - d),
        _ => (format!("What is {a} * {b} - {c} * {d} + {a}?"), a * b - c * d + a),
    };
    Made::number("calculations", text, answer)
}

fn word_problem(level: u32, draws: &mut Draws) -> Made {
    let most = size(level);
    let (boxes, each, sold, price) =
        (draws.from(4, most), draws.from(6, most + 5), draws.from(2, 20), draws.from(2, 9));
    let all = boxes * each;
    let name = draws.names(1).first().copied().unwrap_or("Ada");
    let text = format!(
        "{name} has {boxes} boxes with {each} apples each. {sold} apples are rotten and are thrown away. \
         The others are sold for {price} coins each. How many coins does {name} get?"
    );
    let answer = (all - sold) * price;
    if level == 1 {
        return Made::number("word problems", text, answer);
    }
    let friends = draws.from(2, 7);
    let text = format!(
        "{text} Then {name} spends as many coins as there were boxes, and gives {friends} friends 1 coin each. \
                        How many coins are left?"
    );
    let text = text.replacen(&format!(" How many coins does {name} get?"), "", 1);
    Made::number("word problems", text, answer - boxes - friends)
}

fn percent(level: u32, draws: &mut Draws) -> Made {
    let base = draws.from(2, size(level)) * 100;
    let (up, down) = (draws.from(1, 9) * 10, draws.from(1, 9) * 10);
    // hundreds: both steps come out whole
    let raised = base * (100 + up) / 100;
    let end = raised * (100 - down) / 100;
    let whole = base * (100 + up - down) / 100;
    let text = format!(
        "A price of {base} coins is raised by {up} percent. The new price is then lowered by {down} percent. \
         What is the price at the end?"
    );
    let coins = |price: i64| format!("{price} coins");
    let others = vec![coins(whole), coins(raised), coins(end + base / 100), coins(end - base / 100)];
    Made::among("percentages", text, coins(end), others, draws)
}

fn remainder(level: u32, draws: &mut Draws) -> Made {
    let most = size(level);
    let (a, b, divisor) =
        (draws.from(11, most * 11), draws.from(11, most * 7), draws.from(3, 4 + 6 * i64::from(level)));
    let text = format!("What is the remainder when {a} * {b} is divided by {divisor}?");
    Made::number("remainders", text, a * b % divisor)
}

/// The answer is a fraction in lowest terms, as text.
fn fraction(level: u32, draws: &mut Draws) -> Made {
    let most = [5, 5, 9, 15].get(level as usize).copied().unwrap_or(5);
    let (a, c) = (draws.from(1, most), draws.from(1, most));
    let (b, d) = (draws.from(2, most + 3), draws.from(2, most + 4));
    let (top, bottom) = (a * d + c * b, b * d);
    let shared = divisor(top, bottom);
    let (top, bottom) = (top / shared, bottom / shared);
    let answer = if bottom == 1 { top.to_string() } else { format!("{top}/{bottom}") };
    let text = format!("What is {a}/{b} + {c}/{d}? Give a fraction in lowest terms, or a whole number.");
    Made::exact("fractions", text, answer)
}

fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
