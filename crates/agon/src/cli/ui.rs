//! `agon ui`: the debates of this machine in the browser.
use super::{PaceArgs, ServerArgs};
use clap::Args;
use clap::builder::Resettable;

/// The options of [`PaceArgs`].
const PACE: [&str; 3] = ["token_interval", "latency", "rehearsal_script"];

/// `agon ui`
#[derive(Clone, Debug, Args)]
// scripted speakers are always there
#[command(mut_args(|arg| if PACE.contains(&arg.get_id().as_str()) { arg.requires(Resettable::Reset) } else { arg }))]
#[command(after_help = "\
Examples:
  agon ui                       print a link; the first browser that follows it is let in
  agon ui --port 8765 --open    always at this port, and open the browser
  ssh -L 8765:127.0.0.1:8765 gpu1 agon ui --port 8765

The pages show the debates of this store, those of `agon run` included, and begin new ones with the models of this machine
or as rehearsals. Only programs of this machine can connect. A link lets one browser in, for 12 hours; the next link is
printed when one is used. After one Ctrl-C, debates that this process plays are given up in order, and the next `agon ui`
continues them; after a second one it ends at once. `agon serve` shows the same pages to many.")]
pub struct UiArgs {
    /// The port at 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Open the link in the browser too: with BROWSER, or with xdg-open
    #[arg(long)]
    pub open: bool,
    /// Which model servers to use.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast and how badly a rehearsal goes.
    #[command(flatten)]
    pub pace: PaceArgs,
}
