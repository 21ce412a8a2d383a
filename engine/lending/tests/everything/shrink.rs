//! The shrinking of a failed run: fewer and fewer of its elements, as long as it fails in the same place.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::plan::{Element, Plan};

/// The text before the place of the first panic in the output.
const FIRST_PANIC: &str = "first panic at ";
/// The variable that names the file of a plan.
pub(crate) const PLAN_VARIABLE: &str = "LIENBOOK_TEST_PLAN";

/// The place of the first panic of this process.
static PLACE: OnceLock<String> = OnceLock::new();

/// Prints the place of the first panic, and keeps it.
#[allow(clippy::print_stdout, reason = "what began a run reads it")]
pub(crate) fn watch_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or_else(|| "?".to_owned(), ToString::to_string);
        if PLACE.set(place.clone()).is_ok() {
            println!("{FIRST_PANIC}{place}");
        }
        before(panic);
    }));
}

/// Returns a part of these elements that still fails, and of which no single one can be left out, unless time runs out.
fn minimal<T: Clone>(elements: &[T], mut fails: impl FnMut(&[T]) -> bool, has_time: impl Fn() -> bool) -> Vec<T> {
    let mut kept = elements.to_vec();
    let mut size = kept.len().div_ceil(2);
    loop {
        let (mut start, mut is_smaller) = (0, false);
        while start < kept.len() {
            if !has_time() {
                return kept;
            }
            let end = (start + size).min(kept.len());
            let without = [&kept[..start], &kept[end..]].concat();
            if fails(&without) {
                (kept, is_smaller) = (without, true);
            } else {
                start = end;
            }
        }
        match size {
            0 | 1 if !is_smaller => return kept,
            0 | 1 => {}
            _ => size = size.div_ceil(2),
        }
    }
}

/// A run in a process of its own.
struct OwnProcess<'a> {
    test: &'a str,
    file: PathBuf,
}

impl OwnProcess<'_> {
    /// Runs a plan; returns its output, and the place of its first panic if it fails within this time.
    fn run(&self, plan: &Plan, at_most: Duration) -> (String, Option<String>) {
        std::fs::write(&self.file, plan.to_string()).unwrap();
        let log = self.file.with_extension("log");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([self.test, "--exact", "--nocapture"])
            .env(PLAN_VARIABLE, &self.file)
            .stdout(File::create(&log).unwrap())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let is_failed = loop {
            match child.try_wait().unwrap() {
                Some(status) => break !status.success(),
                None if began.elapsed() > at_most => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    break false;
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let mut output = String::new();
        File::open(&log).unwrap().read_to_string(&mut output).unwrap();
        let place = output.lines().find_map(|line| line.split_once(FIRST_PANIC)).map(|(_, place)| place.to_owned());
        (output, place.filter(|_| is_failed))
    }
}

/// Shrinks a run that failed after so many actions and this time, and prints what is left of it, and how to repeat it.
#[allow(clippy::print_stdout, reason = "the result is to be read and repeated")]
pub(crate) fn shrink(test: &str, plan: &Plan, acts: u64, took: Duration, at_most: Duration) {
    let elements = plan.happened();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("simulation-{}.plan", plan.seed));
    let process = OwnProcess { test, file };
    let place = PLACE.get();
    let (began, mut runs) = (Instant::now(), 0_u32);
    let limit = took * 2 + Duration::from_secs(5);
    let mut fails = |kept: &[Element]| {
        runs += 1;
        process.run(&plan.keep(kept, acts), limit).1.as_ref() == place
    };
    if !fails(&elements) {
        println!("The run did not fail in a process of its own, so it is not shrunk.");
        return;
    }
    let kept = minimal(&elements, &mut fails, || began.elapsed() < at_most);
    let (output, _) = process.run(&plan.keep(&kept, acts), limit);
    println!("{output}");
    println!("Shrunk from {} to {} elements by {runs} runs in {:?}.", elements.len(), kept.len(), began.elapsed());
    println!(
        "{PLAN_VARIABLE}={} cargo test --workspace --test everything -- {test} --nocapture",
        process.file.display()
    );
}

#[test]
fn what_is_left_fails_and_has_nothing_superfluous() {
    let elements: Vec<u32> = (0..1_000).collect();
    for wanted in [vec![0], vec![999], vec![3, 500, 501], (100..140).collect()] {
        let fails = |kept: &[u32]| wanted.iter().all(|element| kept.contains(element));
        assert_eq!(minimal(&elements, fails, || true), wanted);
    }
    assert_eq!(minimal(&elements, |_| true, || true), [0_u32; 0]);
    assert_eq!(minimal(&elements, |_| true, || false), elements);
}

#[test]
fn an_element_that_needs_another_is_left_out_with_it() {
    // 7 alone fails, and each odd number is only possible with the even one before it.
    let elements: Vec<u32> = (0..64).collect();
    let is_possible = |kept: &[u32]| kept.iter().all(|one| one % 2 == 0 || kept.contains(&(one - 1)));
    assert_eq!(minimal(&elements, |kept| is_possible(kept) && kept.contains(&7), || true), [6, 7]);
}
