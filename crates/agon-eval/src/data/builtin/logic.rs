//! Orders, liars, implications and sets.
use super::{Draws, Made};

pub(super) fn made(topic: u32, level: u32, draws: &mut Draws) -> Made {
    match topic {
        0 | 3 => order(level, draws),
        1 => liars(level, draws),
        2 => implications(level, draws),
        _ => sets(level, draws),
    }
}

/// The clues name all neighbours in the order, so that there is one order only.
fn order(level: u32, draws: &mut Draws) -> Made {
    let people = draws.names(level as usize + 3);
    let (more, most, least) = draws
        .pick(&[("taller", "tallest", "shortest"), ("older", "oldest", "youngest")], ("faster", "fastest", "slowest"));
    let mut clues: Vec<String> = people
        .windows(2)
        .filter_map(|pair| Some(format!("{} is {more} than {}.", pair.first()?, pair.last()?)))
        .collect();
    draws.shuffle(&mut clues);
    let place = usize::try_from(draws.from(1, people.len() as i64)).unwrap_or(1);
    let asked = match place {
        1 => format!("Who is the {most}?"),
        place if place == people.len() => format!("Who is the {least}?"),
        2 => format!("Who is the second {most}?"),
        3 => format!("Who is the third {most}?"),
        place => format!("Who is number {place} when all are lined up, the {most} first?"),
    };
    let right = people.get(place - 1).copied().unwrap_or_default();
    let text = format!("{} {asked}", clues.join(" "));
    let mut options: Vec<String> = people.iter().map(|name| (*name).to_owned()).collect();
    options.sort();
    let at = options.iter().position(|name| name == right).unwrap_or(0);
    Made::choice("orders", text, options, at)
}

/// What somebody says: of somebody else, or of all.
#[derive(Clone, Copy)]
enum Claim {
    Liar(usize),
    Honest(usize),
    Liars(u32),
}

/// Each tells the truth always or never. Statements are drawn until one assignment alone fits them.
fn liars(level: u32, draws: &mut Draws) -> Made {
    let count = if level == 1 { 2 } else { 3 };
    let names = draws.names(count);
    const TRIES: u32 = 200;
    for _ in 0..TRIES {
        let claims: Vec<Claim> = (0..count).map(|own| claim(own, count, draws)).collect();
        let worlds: Vec<u32> = (0..1_u32 << count).filter(|world| fits(*world, &claims)).collect();
        let [world] = worlds.as_slice() else { continue };
        return liars_question(&names, &claims, *world, draws);
    }
    // a pair that always has one solution
    let claims = [Claim::Liar(1), Claim::Liars(2)];
    liars_question(&names, &claims, 0b01, draws)
}

fn claim(own: usize, count: usize, draws: &mut Draws) -> Claim {
    let step = usize::try_from(draws.from(1, count as i64 - 1)).unwrap_or(1);
    let other = (own + step) % count;
    match draws.from(0, 2) {
        0 => Claim::Liar(other),
        1 => Claim::Honest(other),
        _ => Claim::Liars(u32::try_from(draws.from(1, count as i64)).unwrap_or(1)),
    }
}

/// Whether everybody who is honest in a world (a bit each) says what is true in it, and everybody else what is not.
fn fits(world: u32, claims: &[Claim]) -> bool {
    let honest = |who: usize| world >> who & 1 == 1;
    let liars = claims.len() as u32 - world.count_ones();
    claims.iter().enumerate().all(|(own, claim)| {
        let holds = match claim {
            Claim::Liar(other) => !honest(*other),
            Claim::Honest(other) => honest(*other),
            Claim::Liars(count) => liars == *count,
        };
        holds == honest(own)
    })
}

fn liars_question(names: &[&str], claims: &[Claim], world: u32, draws: &mut Draws) -> Made {
    let name = |who: usize| names.get(who).copied().unwrap_or_default();
    let said: Vec<String> = claims
        .iter()
        .enumerate()
        .map(|(own, claim)| match claim {
            Claim::Liar(other) => format!("{} says: \"{} is a liar.\"", name(own), name(*other)),
            Claim::Honest(other) => format!("{} says: \"{} tells the truth.\"", name(own), name(*other)),
            Claim::Liars(1) => format!("{} says: \"Exactly 1 of us is a liar.\"", name(own)),
            Claim::Liars(count) => format!("{} says: \"Exactly {count} of us are liars.\"", name(own)),
        })
        .collect();
    let asked = usize::try_from(draws.from(0, claims.len() as i64 - 1)).unwrap_or(0);
    let people = names.iter().take(claims.len()).copied().collect::<Vec<_>>().join(", ");
    let text = format!(
        "Each of {people} either always tells the truth or always lies. {} What is {}?",
        said.join(" "),
        name(asked)
    );
    let right = if world >> asked & 1 == 1 { 0 } else { 1 };
    Made::choice("liars", text, vec!["honest".to_owned(), "a liar".to_owned()], right)
}

/// A chain of implications and one fact at an end of it.
fn implications(level: u32, draws: &mut Draws) -> Made {
    const STATES: [&str; 8] = [
        "the alarm rings",
        "the door is locked",
        "the light is red",
        "the pump runs",
        "the tank is full",
        "the valve is open",
        "the bell sounds",
        "the gate is down",
    ];
    let mut states = STATES;
    draws.shuffle(&mut states);
    let chain: Vec<&str> = states.into_iter().take(level as usize + 2).collect();
    let mut rules: Vec<String> =
        chain.windows(2).filter_map(|pair| Some(format!("If {}, then {}.", pair.first()?, pair.last()?))).collect();
    draws.shuffle(&mut rules);
    let (head, tail) = (chain.first().copied().unwrap_or_default(), chain.last().copied().unwrap_or_default());
    let (fact, asked, right) = match draws.from(0, 3) {
        0 => (format!("It is true that {head}."), tail, 0),
        1 => (format!("It is not true that {tail}."), head, 1),
        2 => (format!("It is true that {tail}."), head, 2),
        _ => (format!("It is not true that {head}."), tail, 2),
    };
    let text = format!("{} {fact} Does it follow that {asked}?", rules.join(" "));
    let options = ["it is true", "it is not true", "it cannot be told"].map(str::to_owned).to_vec();
    Made::choice("implications", text, options, right)
}

fn sets(level: u32, draws: &mut Draws) -> Made {
    let most = 12 * i64::from(level);
    let (only_tea, only_coffee, both, none) =
        (draws.from(2, most), draws.from(2, most), draws.from(1, most), draws.from(1, most));
    let (tea, coffee, all) = (only_tea + both, only_coffee + both, only_tea + only_coffee + both + none);
    let head = format!("Of {all} people, {tea} like tea and {coffee} like coffee.");
    let (text, answer) = match draws.from(0, 2) {
        0 => (format!("{head} {both} like both. How many like neither?"), none),
        1 => (format!("{head} {none} like neither. How many like both?"), both),
        _ => (format!("{head} {both} like both. How many like exactly one of the two?"), only_tea + only_coffee),
    };
    Made::number("sets", text, answer)
}
