/**
 * Measures the app in Chromium under a continuously changing market:
 *
 * `node benches/web/feed-load.mjs [--seconds 300] [--rows 2000] [--deltas 3000] [--write]`
 *
 * It serves the output of `npm run build` in `web/dist`, and speaks the feed's protocol to it.
 */
import os from "node:os";
import { parseArgs } from "node:util";
import { serveApp } from "./app-server.mjs";
import { disturbanceText, machineText, openBrowser } from "./browser.mjs";
import { Market } from "./market.mjs";
import { feedMarket } from "./market-feed.mjs";
import { writeResult } from "./result.mjs";
import { CATEGORIES, quantile, readTrace } from "./trace.mjs";

const WINDOW_SECONDS = 15;
const WINDOWS_MAX = 3;
const HEAP_EVERY_MS = 20_000;
/** The first render and the compiler's warm-up are not part of the steady state. */
const WARM_UP_MS = 5_000;
const SEED = 21;
/** The browser's threshold of a long task. */
const LONG_MS = 50;

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "300" },
    rows: { type: "string", default: "2000" },
    deltas: { type: "string", default: "3000" },
    write: { type: "boolean", default: false },
  },
});
const [seconds, rows, deltas] = [options.seconds, options.rows, options.deltas].map(Number);
const windows = Math.max(1, Math.min(WINDOWS_MAX, Math.floor(seconds / (2 * WINDOW_SECONDS))));
const windowSeconds = Math.min(WINDOW_SECONDS, seconds);

const loadBefore = os.loadavg()[0];
const { server, url } = await serveApp();
const feed = feedMarket(server, new Market(rows, SEED), deltas);
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.addInitScript(() => {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.longTasks.push({ at: startTime, ms: duration });
  }).observe({ type: "longtask" });
});
await page.goto(`${url}/borrow/ordinals`);
await page.locator("[data-row-index]").first().waitFor();
await page.waitForTimeout(WARM_UP_MS);

/** Times of the garbage collections that the bench forced, by the page's own clock. */
const collections = [];
const cdp = await page.context().newCDPSession(page);
await cdp.send("Performance.enable");
const measured = await measure();
if ((await page.getByTestId("connection").getAttribute("data-status")) !== "live") {
  throw new Error("the page is not live, so it did not follow");
}
const lines = report(measured);
await browser.close();
server.close();
console.log(lines.join("\n"));
if (options.write) writeResult("web-feed", lines);

/** Samples the page for the whole time, and traces it in a few windows spread over it. */
async function measure() {
  const began = await page.evaluate(() => performance.now());
  const [first, sentBefore, startedAt] = [await metrics(), feed.sent, Date.now()];
  const [heapsMb, traces] = [[], []];
  for (let window = 1; window <= windows; window += 1) {
    heapsMb.push(await heapMb());
    await browser.startTracing(page, { categories: CATEGORIES });
    await page.waitForTimeout(windowSeconds * 1_000);
    traces.push(readTrace(await browser.stopTracing()));
    const until = startedAt + (window * seconds * 1_000) / windows;
    while (Date.now() < until) {
      await page.waitForTimeout(Math.min(HEAP_EVERY_MS, Math.max(1, until - Date.now())));
      heapsMb.push(await heapMb());
    }
  }
  const longTasks = await page.evaluate((from) => window.longTasks.filter(({ at }) => at > from), began);
  const elapsed = (Date.now() - startedAt) / 1_000;
  return { first, last: await metrics(), elapsed, deltas: feed.sent - sentBefore, heapsMb, traces, longTasks };
}

async function metrics() {
  const { metrics: list } = await cdp.send("Performance.getMetrics");
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

async function heapMb() {
  const from = await page.evaluate(() => performance.now());
  await cdp.send("HeapProfiler.collectGarbage");
  collections.push({ from, to: await page.evaluate(() => performance.now()) });
  return (await metrics()).JSHeapUsedSize / 1e6;
}

/** A collection that the bench forces stops the page, which is not the app's own work. */
function isForced({ at, ms }) {
  return collections.some(({ from, to }) => at < to && at + ms > from);
}

function report({ first, last, elapsed, deltas: sent, heapsMb, traces, longTasks }) {
  const frames = traces.flatMap((trace) => trace.frames);
  const ms = (value) => `${value.toFixed(1)} ms`;
  const mb = (value) => `${value.toFixed(1)} MB`;
  const share = (name) => `${(((last[name] - first[name]) / elapsed) * 100).toFixed(0)} %`;
  const forced = longTasks.filter(isForced);
  const others = longTasks.filter((task) => !isForced(task));
  const countText = (tasks) => `${tasks.length}, longest ${Math.max(0, ...tasks.map((task) => task.ms)).toFixed(0)} ms`;
  const tasksCpuMs = traces.flatMap((trace) => trace.taskCpuMs);
  const cpuMs = Math.max(...tasksCpuMs);
  const wallMs = Math.max(...traces.flatMap((trace) => trace.taskWallMs));
  return [
    `**The market's table, ${rows.toLocaleString("en")} rows, ${deltas.toLocaleString("en")} deltas a second**`,
    "",
    "| figure | measured | goal |",
    "| --- | ---: | ---: |",
    `| script in a frame, median | ${ms(quantile(frames, 0.5))} | 10 ms |`,
    `| script in a frame, 95 % | ${ms(quantile(frames, 0.95))} | |`,
    `| script in a frame, 99 % | ${ms(quantile(frames, 0.99))} | |`,
    `| longest task while traced, processor time | ${ms(cpuMs)} | 50 ms |`,
    `| tasks over ${LONG_MS} ms while traced, processor time | ${tasksCpuMs.filter((task) => task > LONG_MS).length} of ${tasksCpuMs.length.toLocaleString("en")} | 0 |`,
    `| longest task while traced, wall clock | ${ms(wallMs)} | |`,
    `| tasks over ${LONG_MS} ms by the wall clock, the whole time | ${countText(others)} | 0 on a quiet machine |`,
    `| those that are this measurement's own collections of garbage | ${countText(forced)} | |`,
    `| frames a second while traced | ${(frames.length / (windows * windowSeconds)).toFixed(1)} | |`,
    `| main thread: script, all tasks | ${share("ScriptDuration")}, ${share("TaskDuration")} | |`,
    `| heap after collecting garbage: first, last | ${mb(heapsMb[0])}, ${mb(heapsMb.at(-1))} | flat |`,
    `| the same: least, most of ${heapsMb.length} | ${mb(Math.min(...heapsMb))}, ${mb(Math.max(...heapsMb))} | |`,
    "",
    `- ${sent.toLocaleString("en")} deltas in ${elapsed.toFixed(0)} s, one row each, seed ${SEED}. At the end the page was live, so it had applied all of them in order.`,
    `- Script in a frame is by processor time, garbage collection and the reading of frames from the socket included. Traces: ${windows} of ${windowSeconds} s, spread over the run, ${frames.length.toLocaleString("en")} frames.`,
    machineText(`node benches/web/feed-load.mjs${seconds === 300 ? "" : ` --seconds ${seconds}`}`, browser),
    disturbanceText(loadBefore),
  ];
}
