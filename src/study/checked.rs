//! Windows that have passed the check.

use super::RunError;
use crate::check::{Grant, check_windows};
use crate::model::{Request, Window};
use crate::search::{Offers, WindowSearch, find_alternatives};

/// Judges windows by request that were all cut out of what was offered.
pub(super) fn judge(
    offers: &Offers<'_>,
    requests: &[Request],
    windows: &[Vec<Window>],
    search: &dyn WindowSearch,
) -> Result<(), RunError> {
    let limit = search.limit();
    let grants: Vec<Grant<'_>> = requests
        .iter()
        .zip(windows)
        .flat_map(|(request, windows)| windows.iter().map(move |window| Grant { request, window, limit }))
        .collect();
    Ok(check_windows(offers.nodes, offers.slots.as_slice(), offers.rule, &grants)?)
}

/// The windows of every request by a search that collects them, in as many passes as given or needed, checked; none by
/// one that does not.
pub(super) fn windows(
    offers: &Offers<'_>,
    requests: &[Request],
    search: &dyn WindowSearch,
    passes: Option<usize>,
) -> Result<Vec<Vec<Window>>, RunError> {
    let Some(finder) = search.finder() else { return Ok(vec![Vec::new(); requests.len()]) };
    let queue: Vec<&Request> = requests.iter().collect();
    let windows = find_alternatives(offers, &queue, finder, passes);
    judge(offers, requests, &windows, search)?;
    Ok(windows)
}
