//! The `gridloom` program; see `gridloom help`.

use gridloom_files::BySize;

#[global_allocator]
static ALLOCATOR: BySize = BySize;

fn main() -> std::process::ExitCode {
    gridloom::cli::main()
}

#[cfg(test)]
mod tests {
    use gridloom_files::LONG;

    /// The tests run on this allocator too.
    #[test]
    fn lists_keep_what_is_in_them_as_they_become_long_and_short() {
        let mut list: Vec<u32> = Vec::new();
        for length in [1, LONG / 4 - 1, LONG / 4, LONG / 4 + 1, LONG, 4 * LONG, LONG, LONG / 4, LONG / 4 - 1, 1] {
            list.truncate(length);
            list.extend(list.len() as u32..length as u32);
            list.shrink_to_fit();
            assert!(list.iter().copied().eq(0..length as u32));
            assert!(vec![0_u8; length].iter().all(|&byte| byte == 0));
        }
    }
}
