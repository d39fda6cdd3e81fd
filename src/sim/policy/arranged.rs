//! The windows in which promises were last kept.

use crate::model::{JobId, Window};

/// Windows by job. They are made anew at each decision, so that a list in the order of the jobs does.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArrangedWindows {
    windows: Vec<(JobId, Option<Window>)>,
}

impl ArrangedWindows {
    /// The windows of these jobs, none of which is there twice.
    pub(super) fn new(windows: impl Iterator<Item = (JobId, Window)>) -> Self {
        let mut windows: Vec<(JobId, Option<Window>)> = windows.map(|(job, window)| (job, Some(window))).collect();
        windows.sort_unstable_by_key(|&(job, _)| job);
        Self { windows }
    }

    /// The window of a job.
    pub(super) fn get(&self, job: JobId) -> Option<&Window> {
        let at = self.windows.binary_search_by_key(&job, |&(job, _)| job).ok()?;
        self.windows[at].1.as_ref()
    }

    /// The same, which is taken out if it will do.
    pub(super) fn take_if(&mut self, job: JobId, will_do: impl Fn(&Window) -> bool) -> Option<Window> {
        let at = self.windows.binary_search_by_key(&job, |&(job, _)| job).ok()?;
        self.windows[at].1.take_if(|window| will_do(window))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NodeId;
    use crate::units::{Span, Time};

    #[test]
    fn what_is_taken_is_gone() {
        let window = |start| Window::new(Time::from_units(start), vec![(NodeId(0), Span::from_units(1))]);
        let mut arranged =
            ArrangedWindows::new([(JobId(7), window(1)), (JobId(3), window(2)), (JobId(5), window(3))].into_iter());
        assert_eq!(arranged.get(JobId(3)), Some(&window(2)));
        assert_eq!(arranged.take_if(JobId(3), |_| false), None);
        assert_eq!(arranged.take_if(JobId(3), |window| window.start() == Time::from_units(2)), Some(window(2)));
        assert_eq!((arranged.get(JobId(3)), arranged.get(JobId(4))), (None, None));
    }
}
