//! The free time of a grid, listed when it is first looked at.

use crate::model::{NodeId, NotFree, SlotList};
use crate::units::Time;
use std::cell::OnceCell;
use std::fmt;
use std::ops::{Deref, Range};

/// Free time that is known in another form than a list.
pub trait SlotSource {
    /// All free slots.
    fn list(&self) -> Result<SlotList, NotFree>;

    /// The nodes of the domains at these positions that are idle at this moment, the cheapest per unit of work first and
    /// the lowest number first among equals, each with the end of its first slot. Nothing if that is not known without a
    /// list.
    fn idle(&self, domains: Range<usize>) -> Option<Box<dyn Iterator<Item = (NodeId, Time)> + '_>>;
}

/// The free slots of a view. It is a [`SlotList`] for all who look at it; a list of ten thousand nodes takes longer to
/// make than many decisions, so that it is made for those alone who do.
pub struct FreeSlots<'a> {
    source: Option<&'a dyn SlotSource>,
    listed: OnceCell<SlotList>,
    fault: OnceCell<NotFree>,
}

impl<'a> FreeSlots<'a> {
    /// The slots of a source.
    pub fn of(source: &'a dyn SlotSource) -> Self {
        Self { source: Some(source), listed: OnceCell::new(), fault: OnceCell::new() }
    }

    /// The list.
    pub fn list(&self) -> &SlotList {
        self.listed.get_or_init(|| {
            let listed = self.source.map_or_else(|| Ok(SlotList::default()), SlotSource::list);
            listed.unwrap_or_else(|fault| {
                // Whoever asked the policy looks for it afterwards.
                let _ = self.fault.set(fault);
                SlotList::default()
            })
        })
    }

    /// The nodes of the domains at these positions that are idle at this moment, if they are known without a list.
    pub(super) fn idle(&self, domains: Range<usize>) -> Option<Box<dyn Iterator<Item = (NodeId, Time)> + '_>> {
        self.source?.idle(domains)
    }

    /// Why the slots could not be listed, if they could not.
    pub(crate) fn into_fault(self) -> Option<NotFree> {
        self.fault.into_inner()
    }
}

impl From<SlotList> for FreeSlots<'_> {
    fn from(slots: SlotList) -> Self {
        Self { source: None, listed: OnceCell::from(slots), fault: OnceCell::new() }
    }
}

impl Deref for FreeSlots<'_> {
    type Target = SlotList;

    fn deref(&self) -> &SlotList {
        self.list()
    }
}

impl fmt::Debug for FreeSlots<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FreeSlots").field(&self.listed).finish()
    }
}
