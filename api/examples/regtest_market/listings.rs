//! The collections that the web app's tests expect, listed by the operator's commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use engine::asset_index::InscriptionId;
use ordinals::RuneId;

use crate::process::run;

/// The BRC-20 token, and its decimals.
pub const TICKER: &str = "lumn";
pub const TICKER_DECIMALS: u32 = 18;
/// The amount of one gift of the rune, in raw units.
pub const RUNE_GIFT_RAW: u128 = 20_000_000;

const MERIDIAN_MAPS: &str = r#"
slug = "meridian-maps"
name = "Meridian Maps"
symbol = "MRDN"
[collateral]
type = "inscription"
[[sub_collections]]
slug = "meridian-maps-7d"
term_days = 7
interest_basis_points = 120
manual = true
instant = true
[[sub_collections]]
slug = "meridian-maps-14d"
term_days = 14
interest_basis_points = 210
manual = true
instant = true
"#;

const QUIET_MOONS: &str = r#"
slug = "quiet-moons"
name = "Quiet Moons"
symbol = "QMOON"
[collateral]
type = "inscription"
[[sub_collections]]
slug = "quiet-moons-7d"
term_days = 7
interest_basis_points = 90
manual = true
instant = true
[[sub_collections]]
slug = "quiet-moons-30d"
term_days = 30
interest_basis_points = 380
manual = true
instant = true
"#;

const LUMENFALL: &str = r#"
slug = "lumenfall"
name = "Lumenfall"
symbol = "LUMN"
[collateral]
type = "brc20"
ticker = "lumn"
decimals = 18
[[sub_collections]]
slug = "lumenfall-200"
interest_basis_points = 325
bundle = "200"
manual = true
"#;

const WINDMILL_KEEPERS: &str = r#"
slug = "windmill-keepers"
name = "WINDMILL•KEEPERS"
symbol = "W"
[collateral]
type = "rune"
rune_id = "RUNE_ID"
rune_name = "WINDMILL•KEEPERS"
decimals = 2
[[sub_collections]]
slug = "windmill-keepers-open"
term_days = 14
interest_basis_points = 250
bundle = "open"
instant = true
"#;

/// The operator of the market, who uses the command line.
pub struct Operator {
    data: String,
    folder: PathBuf,
}

impl Operator {
    /// Builds the operator of the market in `data`, with a folder for files.
    pub fn new(data: &Path, folder: &Path) -> Self {
        Self { data: data.to_str().unwrap().to_owned(), folder: folder.to_owned() }
    }

    /// Lists every collection, with a price.
    pub fn list_all(&self, rune: RuneId) {
        let runes = WINDMILL_KEEPERS.replace("RUNE_ID", &rune.to_string());
        let listings = [
            (MERIDIAN_MAPS, "meridian-maps", "680000"),
            (QUIET_MOONS, "quiet-moons", "820000"),
            (LUMENFALL, "lumenfall", "5600"),
            (&runes, "windmill-keepers", "3"),
        ];
        for (listing, slug, price_sats) in listings {
            let file = self.folder.join(format!("{slug}.toml"));
            fs::write(&file, listing).unwrap();
            self.run_command(&["collection", "add", file.to_str().unwrap()]);
            self.run_command(&["price", "set", slug, price_sats]);
        }
    }

    /// Adds an inscription to a collection.
    pub fn add_inscription(&self, collection: &str, id: InscriptionId) {
        let file = self.folder.join(format!("{id}.txt"));
        fs::write(&file, id.to_string()).unwrap();
        self.run_command(&["collection", "inscriptions", collection, file.to_str().unwrap()]);
    }

    #[track_caller]
    fn run_command(&self, words: &[&str]) {
        let Output { status, stderr, .. } = run(&[words, &["--data", &self.data]].concat());
        assert!(status.success(), "{words:?}: {}", String::from_utf8_lossy(&stderr));
    }
}
