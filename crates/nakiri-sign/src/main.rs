//! The `nakiri-sign` command.

mod command;

use clap::{Parser, Subcommand};
use command::{inspect, keygen, sign, verify};
use std::process::ExitCode;

/// Signs files by hash-based signatures: SLH-DSA (FIPS 205), LMS and HSS (RFC 8554), XMSS and XMSS^MT (RFC 8391).
#[derive(Parser)]
#[command(name = "nakiri-sign", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Keygen(keygen::Args),
    Sign(sign::Args),
    Verify(verify::Args),
    Inspect(inspect::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Keygen(args) => keygen::run(&args),
        Command::Sign(args) => sign::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Inspect(args) => inspect::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            command::tell(format!("error: {failure}"));
            ExitCode::FAILURE
        }
    }
}
