// Shows that the simulation of loans (engine/lending/tests/everything) finds bugs: plants one at a time in a copy of the sources,
// builds the test there, and runs one seed after another until a run fails, which is then shrunk. `node .ci/planted-bugs.mjs
// [NAME]` plants only the bugs with NAME in their name.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The bugs. `from` occurs once in `file`. */
const BUGS = [
  {
    name: "ledger-answers-before-the-disk",
    file: "engine/src/commit_waiter.rs",
    from: "on_durable(append_outcome(durable.await.ok(), &fail_stop));",
    to: "let _ = (durable, &fail_stop); on_durable(Ok(()));",
  },
  {
    name: "book-answers-before-the-disk",
    file: "engine/src/book_actor/turn.rs",
    from: "self.wait_in_burst(PendingBatch { durable, ticket, commands: batch.turns, spans });",
    to: "let _ = (durable, spans); if let Some(ticket) = ticket { self.shared.ledger.mark_durable(ticket); }",
  },
  {
    name: "loan-broadcast-before-the-journal",
    file: "engine/lending/src/origination/originate.rs",
    from: `self.market.begin_loan(contract.loan, signed, None).instrument(debug_span!("journal")).await?;
        self.broadcast_or_log(&running.transactions).await;`,
    to: `self.broadcast_or_log(&running.transactions).await;
        self.market.begin_loan(contract.loan, signed, None).instrument(debug_span!("journal")).await?;`,
  },
  {
    name: "replay-without-locks",
    file: "engine/src/market/replay.rs",
    from: "Stream::Listings => {}",
    to: "Stream::Listings | Stream::Assets => {}",
  },
  {
    name: "replay-keeps-dropped-loans",
    file: "engine/src/market/replay.rs",
    from: "ledger.loans_mut().drop_unaccepted(id);",
    to: "let _ = id;",
  },
  {
    name: "journal-holds-principal-as-payout",
    file: "engine/lending/src/records/contract_record.rs",
    from: "payout_sats: self.payout.to_sat(),",
    to: "payout_sats: self.principal.to_sat(),",
  },
  {
    name: "withdrawal-planned-anew",
    file: "engine/lending/src/vaults/withdrawal.rs",
    from: `let plan = Plan::from_outputs(vault, spent, sats, order.fee_rate, back_outputs)?;
        if plan.txid != txid {
            return Err(WithdrawalError::OtherWithdrawal(txid));
        }`,
    to: `let _ = (spent, back_outputs);
        let plan = Plan::choose(vault, sats, order.fee_rate)?;
        let txid = plan.txid;`,
  },
  {
    name: "offer-not-held-for-a-reservation",
    file: "engine/domain/src/book/apply_reservations.rs",
    from: "offer.held = offer.held.saturating_add(reservation.principal);",
    to: "",
  },
  {
    name: "extended-reservation-never-lapses",
    file: "engine/domain/src/book/apply_reservations.rs",
    from: "self.reservation_expiries.insert((expires_at, id));",
    to: "",
  },
  {
    name: "prepared-loan-never-lapses",
    file: "engine/src/ledger/loan_index.rs",
    from: "let waits = matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender);",
    to: "let waits = matches!(loan.stage, LoanStage::AwaitingLender);",
  },
  {
    name: "first-coin-not-locked",
    file: "engine/src/ledger/state/ledger_effects.rs",
    from: "for outpoint in outpoints {",
    to: "for outpoint in outpoints.iter().skip(1) {",
  },
  {
    name: "locks-kept-after-a-release",
    file: "engine/src/ledger/state/ledger_effects.rs",
    from: "self.unlock_all(LoanId(reservation.0), &mut decided)?;",
    to: "",
  },
  {
    name: "platform-fee-held-twice",
    file: "engine/src/ledger/state/ledger_effects.rs",
    from: "reservation.principal.saturating_add(fee)",
    to: "reservation.principal.saturating_add(fee).saturating_add(fee)",
  },
  {
    name: "platform-fee-of-manual-loans-unpaid",
    file: "engine/lending/src/service/platform_fee.rs",
    from: "filter(|_| deal.platform_fee > Sats::ZERO)?;",
    to: "filter(|_| deal.process == domain::ProcessType::Instant && deal.platform_fee > Sats::ZERO)?;",
  },
  {
    name: "escrow-opens-a-second-late",
    file: "engine/lending/src/origination/loan_request.rs",
    from: "u32::try_from(self.deal.claim_after.seconds()).map_err",
    to: "u32::try_from(self.deal.claim_after.seconds()).map(|seconds| seconds + 1).map_err",
  },
  {
    name: "repayment-pays-the-borrower",
    file: "engine/escrow/src/contract/loan/origination.rs",
    from: `            pledge,
            payout,
        })`,
    to: `            pledge,
            payout: TxOut { script_pubkey: self.borrower_payment.clone(), ..payout },
        })`,
  },
  {
    name: "mempool-counts-as-a-block",
    file: "engine/lending/src/chain_watch/loan_watch/observation.rs",
    from: "let ChainPosition::Confirmed { block, height } = seen.position else { return Ok(TxStatus::InMempool) };",
    to: `let (block, height) = match seen.position {
            ChainPosition::Confirmed { block, height } => (block, height),
            ChainPosition::InMempool => {
                let tip = chain.tip().await?;
                (tip.hash, tip.height)
            }
        };`,
  },
  {
    name: "unconfirmed-deposit-counts",
    file: "engine/lending/src/vaults/vault_watch/observation.rs",
    from: "Some((_, None)) => OutputObservation::Unconfirmed,",
    to: `Some((unspent, None)) => OutputObservation::Mined {
                    amount: sats(unspent.output.value),
                    height: self.tip.height,
                    contents: Contents::Plain,
                },`,
  },
  {
    name: "reorg-of-an-origination-ignored",
    file: "engine/lending/src/chain_watch/loan_watch/decision.rs",
    from: "_ => return Some(Step::Event(LoanEvent::Unconfirmed)),",
    to: "_ => return None,",
  },
  {
    name: "reorg-of-an-ending-ignored",
    file: "engine/lending/src/chain_watch/loan_watch/decision.rs",
    from: "_ => Some(Step::Event(LoanEvent::EndUnconfirmed)),",
    to: "_ => None,",
  },
  {
    name: "vault-spend-settled-in-its-first-block",
    file: "engine/lending/src/vaults/vault_watch/decision.rs",
    from: "SpendStatus::Mined { height } if above(observation.tip, *height)? >= SETTLEMENT_CONFIRMATIONS => {",
    to: "SpendStatus::Mined { height } if above(observation.tip, *height)? >= 1 => {",
  },
  {
    name: "reserved-sats-stay-usable",
    file: "engine/domain/src/vault.rs",
    from: "self.balance().saturating_sub(self.held)",
    to: "self.balance()",
  },
  {
    name: "vault-output-spent-twice",
    file: "engine/domain/src/vault.rs",
    from: "let output = self.outputs.get(&outpoint).filter(|output| output.is_free());",
    to: "let output = self.outputs.get(&outpoint);",
  },
  {
    name: "released-sats-stay-reserved",
    file: "engine/domain/src/vault/apply.rs",
    from: `VaultEvent::Released { reservation } => {
                self.end_hold(*reservation);
            }`,
    to: "VaultEvent::Released { .. } => {}",
  },
];

const ACTS = 3_000;
const HONEST_SEEDS = 3;
const PROCESSES = 2;
const BUG_S_MAX = 600;
/** The longest run; on a busy machine a multiple of the slowest run without a bug. */
const RUN_S_MAX = 120;
const SLOWDOWN_MAX = 4;
/** The time for shrinking a run. */
const SHRINK_S = 60;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const copy = join(root, "target", "planted");
const env = { ...process.env, CARGO_TARGET_DIR: resolve(process.env.CARGO_TARGET_DIR ?? join(root, "target")) };
const [wanted = ""] = process.argv.slice(2);

const bugs = BUGS.filter(({ name }) => name.includes(wanted));
if (bugs.length === 0) {
  fail(`no bug has ${wanted} in its name`);
}
copySources();
for (const { name, file, from } of bugs) {
  const count = readFileSync(join(copy, file), "utf8").split(from).length - 1;
  if (count !== 1) {
    fail(`${name}: its text occurs ${count} times in ${file}, and once is required:\n${from}`);
  }
}

console.log("without a bug: building ...");
const honest = build();
if (honest.executable === null) {
  fail(`${honest.output}\nThe test does not build without a bug.`);
}
const runs = await runSeeds(honest.executable, { seeds: HONEST_SEEDS, runSeconds: BUG_S_MAX });
if (runs.failed !== null) {
  fail(`${runs.failed.output}\nSeed ${runs.failed.seed} fails without a bug.`);
}
if (runs.passed < HONEST_SEEDS) {
  fail(`Without a bug ${runs.passed} of ${HONEST_SEEDS} seeds are over after ${BUG_S_MAX} s.`);
}
const runSeconds = Math.max(RUN_S_MAX, Math.ceil(runs.slowest * SLOWDOWN_MAX));
console.log(`without a bug: ${HONEST_SEEDS} seeds passed, the slowest in ${runs.slowest.toFixed(0)} s`);

const results = [];
for (const bug of bugs) {
  console.log(`${bug.name}: building ...`);
  const result = { bug: bug.name, ...(await plant(bug)) };
  const how = result.found ? `found by seed ${result.seed} in ${result.seconds} s, shrunk from ${result.shrunk}` : "NOT FOUND";
  console.log(`${bug.name}: ${how}: ${result.line}`);
  results.push(result);
}
printTable(results);
process.exit(results.every(({ found }) => found) ? 0 : 1);

/**
 * Brings the copy up to date. A file that is the same keeps its time, so cargo builds only what has changed. The crates have
 * another version there: with the same one cargo would take what it has built of the copy for its build of the top, bug included.
 */
function copySources() {
  const { status, stdout } = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) {
    fail("git lists no files");
  }
  for (const path of stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path)))) {
    const [source, place] = [readFileSync(join(root, path)), join(copy, path)];
    const text = path === "Cargo.toml" ? Buffer.from(withOwnVersion(source.toString())) : source;
    if (!existsSync(place) || !readFileSync(place).equals(text)) {
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
    }
  }
}

function withOwnVersion(manifest) {
  const changed = manifest.replace(/^version = "(.+)"$/m, 'version = "$1-planted"');
  if (changed === manifest) {
    fail("Cargo.toml has no version");
  }
  return changed;
}

/** Builds the test in the copy. Returns its executable, or null if it does not compile, and cargo's output. */
function build() {
  const args = ["test", "--workspace", "--test", "everything", "--no-run"];
  const { status, stderr } = spawnSync("cargo", args, { cwd: copy, env, encoding: "utf8", maxBuffer: 1 << 28 });
  const found = (stderr ?? "").match(/^\s*Executable tests\/everything\/main\.rs \((.+)\)$/m);
  const executable = status === 0 && found !== null ? resolve(copy, found[1]) : null;
  return { executable, output: stderr ?? "cargo was not started" };
}

/** Plants a bug, runs seeds until one fails, and restores the file. */
async function plant({ file, from, to }) {
  const place = join(copy, file);
  const text = readFileSync(place, "utf8");
  writeFileSync(place, text.replace(from, () => to));
  try {
    const { executable, output } = build();
    if (executable === null) {
      console.error(output);
      return { found: false, line: "it does not compile" };
    }
    const { failed, seconds, count } = await runSeeds(executable, { seeds: Infinity, runSeconds });
    const [found, line] = failed === null ? [false, ""] : [failed.isFound, failed.line];
    const shrunk = found ? await shrink(executable, failed.seed, runSeconds) : "";
    return { found, seconds: seconds.toFixed(0), count, seed: failed?.seed, shrunk, line };
  } finally {
    writeFileSync(place, text);
  }
}

/** Runs the seeds from 1 on, some at a time, until one fails or the time is over. */
async function runSeeds(executable, { seeds, runSeconds }) {
  const [began, abort] = [Date.now(), new AbortController()];
  const seconds = () => (Date.now() - began) / 1_000;
  const over = afterSeconds(BUG_S_MAX, () => abort.abort());
  let [seed, passed, failed, slowest] = [0, 0, null, 0];
  const work = async () => {
    while (seed < seeds && !abort.signal.aborted) {
      seed += 1;
      const ended = await run(executable, seed, runSeconds, abort.signal);
      slowest = Math.max(slowest, ended.seconds);
      passed += ended.isPassed ? 1 : 0;
      if (!ended.isPassed && !ended.isAborted && failed === null) {
        failed = ended;
        abort.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  clearInterval(over);
  return { failed, passed, slowest, seconds: seconds(), count: seed };
}

/** Repeats a run that fails, and shrinks it. Returns what became of its elements. */
async function shrink(executable, seed, runSeconds) {
  const never = new AbortController().signal;
  const { output } = await run(executable, seed, 2 * (runSeconds + SHRINK_S), never, SHRINK_S);
  const [, whole, left] = output.match(/Shrunk from (\d+) to (\d+) elements/) ?? [];
  return left === undefined ? "not shrunk" : `${whole} to ${left}`;
}

/** Runs one seed. */
function run(executable, seed, runSeconds, signal, shrinkSeconds = 0) {
  return new Promise((done) => {
    const began = Date.now();
    const variables = {
      LIENBOOK_TEST_SEED: String(seed),
      LIENBOOK_TEST_ACTS: String(ACTS),
      LIENBOOK_TEST_SHRINK_SECONDS: String(shrinkSeconds),
      RUST_BACKTRACE: "0",
    };
    const child = spawn(executable, ["pledged_or_spent", "--nocapture"], {
      cwd: join(copy, "engine/lending"),
      env: { ...env, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [output, isLate] = ["", false];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    }
    const kill = () => child.kill("SIGKILL");
    const late = afterSeconds(runSeconds, () => {
      isLate = true;
      kill();
    });
    signal.addEventListener("abort", kill);
    child.on("error", (error) => (output += error.message));
    child.on("close", (status) => {
      clearInterval(late);
      signal.removeEventListener("abort", kill);
      const [seconds, isPassed] = [(Date.now() - began) / 1_000, status === 0];
      const isAborted = !isPassed && !isLate && signal.aborted && !output.includes("panicked");
      done({ seed, seconds, isPassed, isAborted, output, ...verdict(output, isLate, runSeconds) });
    });
  });
}

/** Counts the seconds one by one: those in which all processes were stopped, or the machine was asleep, are no time of a run. */
function afterSeconds(seconds, act) {
  let left = seconds;
  return setInterval(() => {
    left -= 1;
    if (left === 0) {
      act();
    }
  }, 1_000);
}

/** Whether a run that did not pass shows a bug, and its first line about that. */
function verdict(output, isLate, runSeconds) {
  const panic = output.match(/panicked at ([^\n]+):\n([^\n]*)/);
  if (panic !== null) {
    return { isFound: true, line: `${panic[2]} (${panic[1]})` };
  }
  // The test harness and the first line of the test say nothing about the progress of a run.
  const lines = output.split("\n").filter((line) => !/^$|^running \d|^test |^LIENBOOK_TEST_SEED=/.test(line));
  if (isLate && lines.length === 0) {
    return { isFound: true, line: `hangs: nothing was printed for ${runSeconds} s` };
  }
  return { isFound: false, line: isLate ? `not over after ${runSeconds} s` : `it ended without a panic: ${lines[0] ?? ""}` };
}

function printTable(results) {
  const head = { bug: "bug", seconds: "seconds", count: "runs", seed: "seed", shrunk: "shrunk", line: "first line of the panic" };
  const rows = [head, ...results].map(({ bug, seconds, count, seed, shrunk, line, found }) => {
    const rest = found === false ? `NOT FOUND ${line}` : line;
    return [bug, seconds, count, seed, shrunk, rest].map((cell) => String(cell ?? "-"));
  });
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column].length)));
  console.log(`\n${rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n")}`);
  console.log(`\n${results.filter(({ found }) => found).length} of ${results.length} planted bugs were found.`);
}

function fail(why) {
  console.error(why);
  process.exit(1);
}
