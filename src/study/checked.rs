//! Windows that have passed the check.

use super::RunError;
use crate::check::check_alternatives;
use crate::model::{Request, Window};
use crate::search::{Offers, WindowSearch, find_alternatives};

/// Judges windows by request that were all cut out of what was offered.
pub(super) fn judge(
    offers: &Offers<'_>,
    requests: &[Request],
    windows: &[Vec<Window>],
    search: &dyn WindowSearch,
) -> Result<(), RunError> {
    let of_requests = (requests, windows, search.limit());
    Ok(check_alternatives(offers.nodes, offers.slots.as_slice(), offers.rule, of_requests)?)
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
