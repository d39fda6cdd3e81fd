//! Where memory comes from. Whoever allocates waits for it, so that it stands where code is optimised.

use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout, System};

/// Simulations make and drop many short lists, for which mimalloc takes less time than the system. Long lists are left to
/// the system, which lets them grow without a copy: otherwise a log of a million jobs would need a fifth more memory.
pub struct BySize;

/// From so many bytes on a list is long.
const LONG: usize = 1 << 16;

// SAFETY: the layout alone tells which of the two allocators a block is of, and it is the same when the block is given back.
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller answers for the layout.
        unsafe { if layout.size() < LONG { MiMalloc.alloc(layout) } else { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller answers for the layout.
        unsafe { if layout.size() < LONG { MiMalloc.alloc_zeroed(layout) } else { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: a block of this layout is of this allocator.
        unsafe { if layout.size() < LONG { MiMalloc.dealloc(block, layout) } else { System.dealloc(block, layout) } }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: a block of this layout is of this allocator; one that changes allocators is copied as far as both reach.
        unsafe {
            match (layout.size() < LONG, size < LONG) {
                (true, true) => MiMalloc.realloc(block, layout, size),
                (false, false) => System.realloc(block, layout, size),
                _ => {
                    let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                    if !new.is_null() {
                        block.copy_to_nonoverlapping(new, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                    new
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BySize, LONG};

    /// The tests run on it.
    #[global_allocator]
    static ALLOCATOR: BySize = BySize;

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
