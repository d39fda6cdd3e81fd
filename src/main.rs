//! The `gridloom` program; see `gridloom help`.

fn main() -> std::process::ExitCode {
    gridloom::cli::main()
}
