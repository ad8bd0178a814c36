//! `nakiri lsp`: a language server.

use crate::lsp::{serve, Settings};
use crate::program::Compat;
use crate::session::Failure;
use lsp_server::Connection;
use nakiri::syntax::Dialect;
use std::path::PathBuf;

/// Serves an editor: diagnostics, types, completion and more, by the Language Server Protocol on standard input and output
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder in which included files are looked for (may be given several times)
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Read files written for an older compiler
    #[arg(long, value_name = "COMPILER")]
    compat: Option<Compat>,
    /// Standard input and output, as always; some editors say so
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if the client breaks the protocol.
pub fn run(args: &Args) -> Result<(), Failure> {
    let dialect = match args.compat {
        Some(Compat::Usubac) => Dialect::Usubac,
        None => Dialect::Nakiri,
    };
    let (connection, threads) = Connection::stdio();
    let settings = Settings { include: args.include.clone(), dialect };
    let served = serve(&connection, settings);
    // The writer ends with it.
    drop(connection);
    let joined = served.and_then(|()| threads.join());
    joined.map_err(|error| Failure::Wrong(format!("the client breaks the protocol: {error}")))
}
