//! Tables as CSV.

use super::Table;
use csv::{Error, Writer};

impl Table {
    /// The names of the columns, and all lines.
    pub fn csv(&self) -> Result<Vec<u8>, Error> {
        let mut writer = Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|column| &column.name))?;
        self.lines.iter().try_for_each(|line| writer.write_record(line))?;
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}
