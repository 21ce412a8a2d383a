/**
 * Measures the first load of the app in Chromium with an empty cache:
 *   node benches/web/first-load.mjs [--rounds 5] [--write]
 */
import os from "node:os";
import { parseArgs } from "node:util";
import { serveApp } from "./app-server.mjs";
import { disturbanceText, machineText, openBrowser } from "./browser.mjs";
import { Market } from "./market.mjs";
import { feedMarket } from "./market-feed.mjs";
import { writeResult } from "./result.mjs";
import { quantile } from "./trace.mjs";

const ROWS = 40;
const DELTAS_PER_SECOND = 10;
const SETTLED_MS = 4_000;
const BLOCKING_OVER_MS = 50;
const SEED = 21;
const SCREENS = [
  ["desktop, 1280 × 800", { width: 1280, height: 800 }],
  ["phone, 375 × 812", { width: 375, height: 812 }],
];

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, write: { type: "boolean", default: false } },
});
const rounds = Number(options.rounds);
const loadBefore = os.loadavg()[0];
const { server, url } = await serveApp();
feedMarket(server, new Market(ROWS, SEED), DELTAS_PER_SECOND);
const browser = await openBrowser();

const lines = [
  "**The first load, median of the rounds**",
  "",
  "| screen | first paint | largest paint | layout shift | blocking time | JavaScript, compressed | all files |",
  "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
];
for (const [name, viewport] of SCREENS) {
  const loads = [];
  for (let round = 0; round < rounds; round += 1) loads.push(await load(viewport));
  const median = (key) => quantile(loads.map((one) => one[key]), 0.5);
  lines.push(
    `| ${name} | ${median("firstPaintMs").toFixed(0)} ms | ${median("largestPaintMs").toFixed(0)} ms | ${median("shift").toFixed(3)} | ${median("blockingMs").toFixed(0)} ms | ${(median("scriptBytes") / 1_000).toFixed(0)} KB | ${(median("bytes") / 1_000).toFixed(0)} KB |`,
  );
}
lines.push(
  "",
  `- ${rounds} rounds, each in a fresh profile, over the loopback without a brake on network or processor; ${DELTAS_PER_SECOND} deltas a second arrive meanwhile. Blocking time is what tasks take beyond 50 ms by the wall clock within ${SETTLED_MS / 1_000} s after the rows are there; JavaScript is what was asked for before the rows were there, all files are those until then, gzip.`,
  machineText(`node benches/web/first-load.mjs${rounds === 5 ? "" : ` --rounds ${rounds}`}`, browser),
  disturbanceText(loadBefore),
);
await browser.close();
server.close();
console.log(lines.join("\n"));
if (options.write) writeResult("web-first-load", lines);

async function load(viewport) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.seen = { largest: 0, shift: 0, tasks: [] };
    const watch = (type, take) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    watch("largest-contentful-paint", (entry) => {
      window.seen.largest = entry.startTime;
    });
    watch("layout-shift", (entry) => {
      if (!entry.hadRecentInput) window.seen.shift += entry.value;
    });
    watch("longtask", (entry) => window.seen.tasks.push(entry.duration));
  });
  await page.goto(`${url}/borrow/ordinals`);
  await page.locator("[data-row-open]").first().waitFor();
  const rowsAt = await page.evaluate(() => performance.now());
  await page.waitForTimeout(SETTLED_MS);
  const found = await page.evaluate(() => ({
    ...window.seen,
    firstPaint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    files: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
      ({ name, encodedBodySize, startTime }) => [name, encodedBodySize, startTime],
    ),
  }));
  await context.close();
  const sum = (files) => files.reduce((total, [, bytes]) => total + bytes, 0);
  return {
    firstPaintMs: found.firstPaint,
    largestPaintMs: found.largest,
    shift: found.shift,
    blockingMs: found.tasks.reduce((total, ms) => total + Math.max(0, ms - BLOCKING_OVER_MS), 0),
    // Scripts that load after the first rows are prefetches of dialogs.
    scriptBytes: sum(found.files.filter(([name, , at]) => name.endsWith(".js") && at < rowsAt)),
    bytes: sum(found.files),
  };
}
