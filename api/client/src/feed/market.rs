//! The local copy of the market: a row for each collection.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::types::Row;

use super::copy::ChannelData;

/// The largest number of collections that a copy holds.
const ROWS_MAX: usize = 100_000;

/// The rows of all collections, by id.
#[derive(Clone, Debug)]
pub struct Market {
    rows: BTreeMap<String, Row>,
}

impl Market {
    /// The rows, by id.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    /// The row of a collection, by its id or slug.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.get(name).or_else(|| self.rows().find(|row| row.group_slug == name))
    }

    fn insert(&mut self, row: Row) -> Result<(), String> {
        self.rows.insert(row.id.clone(), row);
        if self.rows.len() > ROWS_MAX { Err(format!("more than {ROWS_MAX} collections")) } else { Ok(()) }
    }
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Operation {
    Row {
        row: Box<Row>,
    },
    RowGone {
        #[serde(rename = "groupId")]
        group_id: String,
    },
    #[serde(other)]
    Other,
}

impl ChannelData for Market {
    fn read(data: Value) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Snapshot {
            rows: Vec<Row>,
        }
        let Snapshot { rows } = serde_json::from_value(data).map_err(|error| error.to_string())?;
        let mut market = Self { rows: BTreeMap::new() };
        rows.into_iter().try_for_each(|row| market.insert(row))?;
        Ok(market)
    }

    fn apply(&mut self, operation: Value) -> Result<(), String> {
        match serde_json::from_value(operation).map_err(|error| error.to_string())? {
            Operation::Row { row } => return self.insert(*row),
            Operation::RowGone { group_id } => drop(self.rows.remove(&group_id)),
            Operation::Other => {}
        }
        Ok(())
    }

    fn checksum(&self) -> Option<u32> {
        None
    }
}
