/**
 * Measures the check of transactions before a wallet is asked, in Chromium, with the app's own module and code:
 *   node benches/web/check-time.mjs [--rounds 200] [--write]
 * The questions are the fuzzer's seeds, which all agree.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import { parseArgs } from "node:util";
import { disturbanceText, machineText, openBrowser } from "./browser.mjs";
import { writeResult } from "./result.mjs";
import { quantile } from "./trace.mjs";

const ROOT = new URL("../../", import.meta.url);
const QUESTIONS = new URL("engine/verifier/fuzz/corpus/verifier_question/", ROOT);
const VERIFIER = new URL("web/src/shared/verifier/", ROOT);
const GOAL_MS = 50;

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "200" }, write: { type: "boolean", default: false } },
});
const rounds = Number(options.rounds);
const loadBefore = os.loadavg()[0];
const ts = createRequire(new URL("web/package.json", ROOT))("typescript");
const source = readFileSync(new URL("verifier-module.ts", VERIFIER), "utf8");
const script = ts.transpile(source, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 });
const wasm = readFileSync(new URL("verifier.wasm", VERIFIER)).toString("base64");
const seeds = readdirSync(QUESTIONS).filter((name) => name.startsWith("seed-"));
const questions = seeds.map((name) => readFileSync(new URL(name, QUESTIONS), "utf8"));

const browser = await openBrowser();
const page = await browser.newPage();
const found = await page.evaluate(measure, { script, wasm, questions, rounds });
const lines = [
  "**The check before a wallet is asked**",
  "",
  "| prompt | transactions | the first check of a page | p50 | p99 | max | goal |",
  "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
];
for (const { prompt, transactions, firstMs, times } of found.checks) {
  const [p50, p99, max] = [0.5, 0.99, 1].map((part) => `${quantile(times, part).toFixed(1)} ms`);
  lines.push(`| ${prompt} | ${transactions} | ${firstMs.toFixed(1)} ms | ${p50} | ${p99} | ${max} | ${GOAL_MS} ms |`);
}
lines.push(
  "",
  `- ${rounds} checks of each, one after the other, in one page; the first one is in an instance of its own, as after a load of the page. The module is compiled once, in ${found.compileMs.toFixed(0)} ms, while the page has nothing else to do.`,
  machineText(`node benches/web/check-time.mjs${rounds === 200 ? "" : ` --rounds ${rounds}`}`, browser),
  disturbanceText(loadBefore),
);
await browser.close();
console.log(lines.join("\n"));
if (options.write) writeResult("web-check-time", lines);

/** Runs in the page. */
async function measure({ script, wasm, questions, rounds }) {
  const { VerifierModule } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const bytes = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
  const began = performance.now();
  const module = await WebAssembly.compile(bytes);
  const compileMs = performance.now() - began;
  const timed = async (verifier, text) => {
    const from = performance.now();
    const answer = await verifier.ask(text);
    return { ms: performance.now() - from, answer: JSON.parse(answer) };
  };
  const checks = [];
  for (const text of questions) {
    const question = JSON.parse(text);
    const { ms: firstMs, answer } = await timed(new VerifierModule(module), text);
    if (!answer.agrees) throw new Error(`a seed is refused: ${answer.faults}`);
    const warm = new VerifierModule(module);
    const times = [];
    for (let round = 0; round < rounds; round += 1) times.push((await timed(warm, text)).ms);
    const { kind, agreed } = question.task;
    const prompt = agreed === undefined ? kind : `${kind}, against ${agreed.collateral.kind}`;
    checks.push({ prompt, transactions: question.transactions.length, firstMs, times });
  }
  return { compileMs, checks };
}
