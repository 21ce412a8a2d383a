// Checks the dashboard in api/monitoring/grafana, and prints its queries as rules for promtool, which then parses them.

import { readFileSync } from "node:fs";

const path = "api/monitoring/grafana/lienbook.dashboard.json";
const text = readFileSync(path, "utf8");
const dashboard = JSON.parse(text);
const faults = [];
const panels = dashboard.panels.filter(({ type }) => type !== "row");

if (`${JSON.stringify(sorted(dashboard), null, 2)}\n` !== text) {
  faults.push("the file is not formatted: two spaces, keys in order");
}
const ids = dashboard.panels.map(({ id }) => id);
if (ids.some((id, place) => place > 0 && !(id > ids[place - 1]))) {
  faults.push("the ids of panels and rows must ascend");
}
for (const { id, title, description, fieldConfig, targets } of panels) {
  if (!title || !description || !fieldConfig?.defaults?.unit || !targets?.length) {
    faults.push(`panel ${id} needs a title, a description, a unit and a query`);
  }
}
for (const fault of faults) {
  console.error(`${path}: ${fault}`);
}
if (faults.length > 0) {
  process.exit(1);
}

console.log("groups:\n  - name: dashboard\n    rules:");
for (const { id, targets } of panels) {
  for (const { refId, expr } of targets) {
    // What Grafana replaces before it asks Prometheus.
    const query = expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*");
    console.log(`      - record: panel_${id}_${refId}\n        expr: ${JSON.stringify(query)}`);
  }
}

function sorted(value) {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (value === null || typeof value !== "object") {
    return value;
  }
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}
