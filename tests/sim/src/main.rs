//! Runs seeds.
use agon_sim::simulate;
fn main() -> anyhow::Result<()> {
    for seed in 1..=std::env::args().nth(1).map_or(1, |n| n.parse().unwrap_or(1)) {
        let report = simulate(seed, None, std::env::args().nth(2).is_some())?;
        println!("{report:?}");
    }
    Ok(())
}
