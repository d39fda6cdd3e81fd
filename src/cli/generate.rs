//! `gridloom generate`: a synthetic log.

use super::{BAD_INPUT, FAILED, choice, print};
use crate::report::output;
use crate::units::counted;
use crate::workload::Lublin;
use crate::workload::swf::write;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::path::PathBuf;

/// Later submissions would be refused when the log is read again.
const LATEST: i64 = 10_000_000_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The number of jobs
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(1, 20_000_000))]
    jobs: u64,
    /// The machine's processors
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(1, 1_000_000))]
    nodes: u64,
    /// Work over capacity: 1 keeps the machine busy just as long as jobs arrive
    #[arg(long, value_name = "L", allow_negative_numbers = true, value_parser = load)]
    load: f64,
    /// Decides every byte of the log
    #[arg(long, value_name = "S", default_value = "1", allow_negative_numbers = true, value_parser = choice::whole(0, u64::MAX))]
    seed: u64,
    /// Write to this file instead of standard output; compressed if its name ends in .gz
    #[arg(short, long, value_name = "FILE.swf")]
    out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(short, long)]
    force: bool,
    /// Do not say what was written
    #[arg(short, long)]
    quiet: bool,
}

fn load(text: &str) -> Result<f64, String> {
    let load = text.parse().ok().filter(|load| (0.001..=100.0).contains(load));
    load.ok_or_else(|| "give a number from 0.001 to 100".into())
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let &Args { jobs, nodes, load, seed, .. } = args;
    let refuse = |status: u8| {
        move |error: output::OutputError| {
            print::error(&error.to_string());
            status
        }
    };
    if let Some(path) = &args.out {
        output::preflight_file(path, args.force).map_err(refuse(BAD_INPUT))?;
    }
    let lublin = Lublin { jobs: jobs as u32, nodes: nodes as u32, load, seed };
    let records = lublin.draw();
    if records.last().is_some_and(|last| last.submit > LATEST) {
        print::error("the log would last for more than three centuries: raise --load or --nodes, or take fewer jobs");
        return Err(BAD_INPUT);
    }
    let days = records.last().map_or(0.0, |last| last.submit as f64 / 86_400.0);
    let mut text = Vec::new();
    write(&mut text, &lublin.header(), records).expect("memory takes what is written to it");
    match &args.out {
        None => print::result(&String::from_utf8_lossy(&text)),
        Some(path) => {
            let bytes =
                if path.extension().is_some_and(|extension| extension == "gz") { compressed(&text) } else { text };
            output::save_file(path, &bytes, args.force).map_err(refuse(FAILED))?;
            if !args.quiet {
                let (path, jobs, nodes) = (path.display(), counted(jobs, "job"), counted(nodes, "processor"));
                print::message(&format!("wrote {path}: {jobs} for {nodes}, submitted in {days:.1} days"));
            }
            Ok(())
        }
    }
}

/// The same bytes as a gzip file, without a time in it.
fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes what is written to it")
}
