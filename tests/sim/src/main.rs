//! Runs seeds.
use agon_sim::simulate;
fn main() -> anyhow::Result<()> {
    let n = |at: usize| std::env::args().nth(at).and_then(|n| n.parse().ok());
    for seed in n(1).unwrap_or(1)..n(2).unwrap_or(2) {
        let report = simulate(seed, None, std::env::args().nth(3).is_some())?;
        println!("{report:?}");
    }
    Ok(())
}
