//! Evals: an actor that folds an eval's log, and has held what is open of it.
//!
//! It knows nothing of where debates are held: a [`CellHolder`] does. As a coordinator does with a debate, it appends first, then
//! applies, then performs; whoever comes after a crash folds the log and orders the open cells again under the same ids.

mod cluster_holder;
mod driver;
mod holder;
mod keeper;
mod log;
mod orders;
mod waits;

pub use driver::{DriverConfig, DriverState, EvalDriver, EvalUpdate};
pub use holder::{CellHolder, CellStanding, HeldCell, HoldError, cell_admission, cell_standing};
pub use keeper::{EvalKeeper, EvalKeeperConfig};
pub use log::{EvalLogError, OpenEval, admit_eval, read_eval};
pub use orders::{CancelledEval, EvalOrderError, cancel_eval, order_retry};
pub use waits::UnsettledTurns;
