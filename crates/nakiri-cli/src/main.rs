//! The `nakiri` command.

#![warn(clippy::print_stderr, clippy::print_stdout)]

use clap::{CommandFactory, Parser, Subcommand};
use nakiri_cli::commands::{
    audit, bench, bound, build, calibrate, check, ciphers, circuit, completions, doctor, explain,
    fmt, library, lsp, man, metrics, new, prove, report, run, targets, test, tune,
};
use nakiri_cli::{interrupt, output, session};
use std::io::Write;
use std::process::ExitCode;

/// Compiles Usuba, a dataflow language for ciphers, to constant-time sliced C.
#[derive(Parser)]
#[command(name = "nakiri", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Audit(audit::Args),
    Bench(bench::Args),
    #[command(hide = true)]
    BenchWorker,
    Bound(bound::Args),
    Build(build::Args),
    Calibrate(calibrate::Args),
    Metrics(metrics::Args),
    Prove(prove::Args),
    Report(report::Args),
    Run(run::Args),
    Check(check::Args),
    #[command(visible_alias = "list")]
    Ciphers(ciphers::Args),
    Circuit(circuit::Args),
    Completions(completions::Args),
    Doctor(doctor::Args),
    Library(library::Args),
    Lsp(lsp::Args),
    Man(man::Args),
    Fmt(fmt::Args),
    Targets(targets::Args),
    Test(test::Args),
    Tune(tune::Args),
    Explain(explain::Args),
    New(new::Args),
}

fn main() -> ExitCode {
    session::install_panic_hook();
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(asked) => return told(&asked),
    };
    // A worker ends with the program that has started it.
    if !matches!(command, Command::BenchWorker) {
        interrupt::handle();
    }
    let done = match command {
        Command::Audit(args) => audit::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::BenchWorker => bench::worker(),
        Command::Bound(args) => bound::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Metrics(args) => metrics::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Ciphers(args) => ciphers::run(&args),
        Command::Circuit(args) => circuit::run(&args),
        Command::Completions(args) => completions::run(&args, &Cli::command()),
        Command::Doctor(args) => doctor::run(&args),
        Command::Library(args) => library::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Man(args) => man::run(&args, Cli::command()),
        Command::Fmt(args) => fmt::run(&args),
        Command::Targets(args) => targets::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::New(args) => new::run(&args),
    };
    match done {
        Ok(()) if output::unheard() => ExitCode::from(2),
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}

/// Says what is wrong with a command line, or what was asked about it.
fn told(asked: &clap::Error) -> ExitCode {
    let heard = asked.print().and_then(|()| std::io::stdout().flush());
    let code = if heard.is_ok() { asked.exit_code() } else { 2 };
    ExitCode::from(u8::try_from(code).unwrap_or(2))
}
