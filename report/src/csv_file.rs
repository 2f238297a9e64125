//! A table as CSV, every digit kept.

use std::io;

use crate::table::{Cell, Table};

/// The table as CSV; a column that holds a deviation is followed by one for it.
pub(crate) fn bytes(table: &Table) -> io::Result<Vec<u8>> {
    let deviates = |column: &usize| {
        (0..table.rows.len())
            .any(|row| matches!(table.cell(row, *column), Cell::MeanDeviation { .. }))
    };
    let split: Vec<bool> = (0..table.columns.len()).map(|c| deviates(&c)).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (column, split) in table.columns.iter().zip(&split) {
        writer.write_field(&column.name)?;
        if *split {
            writer.write_field(format!("{} deviation", column.name))?;
        }
    }
    writer.write_record(None::<&[u8]>)?;
    for row in 0..table.rows.len() {
        for (column, split) in split.iter().enumerate() {
            let cell = table.cell(row, column);
            writer.write_field(cell.exact())?;
            if *split {
                let spread = match *cell {
                    Cell::MeanDeviation { deviation, .. } => deviation,
                    _ => f64::NAN,
                };
                writer.write_field(Cell::Number { value: spread, decimals: 0 }.exact())?;
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}
