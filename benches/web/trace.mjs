/** Durations of the main thread's tasks, and of the script in its frames, from a trace of the page. */

export const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "disabled-by-default-v8.gc"];

const SCRIPT = new Set([
  "FunctionCall",
  "EvaluateScript",
  "RunMicrotasks",
  "FireAnimationFrame",
  "TimerFire",
  "EventDispatch",
  "MinorGC",
  "MajorGC",
  "V8.GCScavenger",
]);
const FRAME = "FireAnimationFrame";

export function readTrace(buffer) {
  const events = JSON.parse(buffer.toString()).traceEvents.filter((event) => event.ph === "X");
  // The page's thread is the one that runs the most script.
  const threads = new Map();
  for (const { name, pid, tid, dur } of events) {
    if (name === "FunctionCall") threads.set(`${pid}/${tid}`, (threads.get(`${pid}/${tid}`) ?? 0) + dur);
  }
  const [main] = [...threads].sort((a, b) => b[1] - a[1])[0] ?? [""];
  const own = events.filter(({ pid, tid }) => `${pid}/${tid}` === main).sort((a, b) => a.ts - b.ts);

  const tasks = own.filter(({ name }) => name === "RunTask" || name === "ThreadControllerImpl::RunTask");
  const frames = [];
  let scriptMs = 0;
  let coveredUntil = 0;
  for (const { name, ts, dur = 0, tdur } of own) {
    if (name === FRAME) {
      frames.push(scriptMs);
      scriptMs = 0;
    }
    // A nested event is counted with its parent.
    if (!SCRIPT.has(name) || ts < coveredUntil) continue;
    coveredUntil = ts + dur;
    scriptMs += (tdur ?? dur) / 1_000;
  }
  return {
    frames: frames.slice(1),
    taskWallMs: tasks.map(({ dur }) => dur / 1_000),
    taskCpuMs: tasks.map(({ dur, tdur }) => (tdur ?? dur) / 1_000),
  };
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
