//! A cluster in a test tube: coordinators, hosts and gateways with a model of NATS in one process, under one seeded scheduler and one
//! simulated clock.
//!
//! [`simulate`] runs a seed: it draws nodes, debates and faults, runs the debates to their end and checks every log. The same seed
//! gives the same events, so that what a seed finds can be looked at again and again.
//!
//! Invariant: nothing here is shipped, nothing here reads a clock or draws a number that the seed does not give, and a planted bug lives
//! in the simulated store alone.

mod bus;
mod cluster;
mod draws;
mod faults;
mod findings;
mod many;
mod model;
mod plant;
mod ports;
mod run;
mod run_state;
mod scheduler;
mod store;
mod trace;

pub use faults::{FaultTally, SimulatedFault};
pub use many::{SeedPlan, SimulationTotals, simulate_many};
pub use plant::PlantedBug;
pub use run::{SeedReport, simulate};
