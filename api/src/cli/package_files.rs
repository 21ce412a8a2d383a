//! `lienbook package-files`: the files of a package that follow from the command line, which are manual pages and the
//! completions of shells.

use std::fs;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::arguments::Arguments;
use crate::failure::Failure;

/// The shells whose completions are written.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Writes a manual page of each command into `man`, and a file of each shell into `completions`, below the folder.
pub(super) fn run(folder: &Path) -> Result<(), Failure> {
    let cannot = |error| Failure::new(error).while_doing(format!("cannot write to {}", folder.display()));
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages).map_err(cannot)?;
    fs::create_dir_all(&completions).map_err(cannot)?;
    clap_mangen::generate_to(Arguments::command(), &pages).map_err(cannot)?;
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut Arguments::command(), "lienbook", &completions).map_err(cannot)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_flags_and_is_completed_by_every_shell() {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path()).unwrap();
        let completions = ["lienbook.bash", "_lienbook", "lienbook.fish"]
            .map(|name| fs::read_to_string(folder.path().join("completions").join(name)).unwrap());
        let mut command = Arguments::command();
        command.build();
        let mut pages = 0;
        let mut waiting = vec![command];
        while let Some(command) = waiting.pop() {
            let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
            let page = fs::read_to_string(folder.path().join(format!("man/{name}.1"))).unwrap();
            for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                let shown = format!("--{flag}").replace('-', "\\-");
                assert!(page.contains(&shown), "--{flag} is not in {name}.1");
            }
            for text in &completions {
                assert!(text.contains(command.get_name()), "{name} is not completed");
            }
            waiting.extend(command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned());
            pages += 1;
        }
        assert_eq!(fs::read_dir(folder.path().join("man")).unwrap().count(), pages);
        assert!(pages > 20, "{pages} pages");
    }
}
