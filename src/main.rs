//! The `gridloom` program; see `gridloom help`.

use gridloom_files::BySize;

#[global_allocator]
static ALLOCATOR: BySize = BySize;

fn main() -> std::process::ExitCode {
    gridloom::cli::main()
}
