// Checks the server's crates against deny.toml without cargo-deny: licences, sources and bans. It needs only cargo and the crates
// that a build has fetched.
import { spawnSync } from "node:child_process";
import { banned, denyStrings, isAllowed } from "./licence-rules.mjs";

const registries = new Set(denyStrings(/^allow-registry = \[([^\]]*)\]/m).map((url) => `registry+${url}`));
const [target] = denyStrings(/^targets = \[([^\]]*)\]/m);

const asked = spawnSync(
  "cargo",
  ["metadata", "--format-version", "1", "--locked", "--filter-platform", target],
  { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
);
if (asked.status !== 0) {
  console.error(asked.stderr);
  process.exit(1);
}
const { packages, resolve } = JSON.parse(asked.stdout);
const built = new Set(resolve.nodes.map(({ id }) => id));
const faults = [];
const others = packages.filter(({ id, source }) => source !== null && built.has(id));
for (const { name, version, license, source } of others) {
  if (!registries.has(source)) faults.push(`${name} ${version} comes from ${source}`);
  if (banned.has(name)) faults.push(`${name} ${version} is banned`);
  if (!license || !isAllowed(license)) faults.push(`${name} ${version} has the licence ${license ?? "(none)"}`);
}
if (faults.length > 0 || others.length === 0) {
  console.error(faults.join("\n") || "cargo lists no crates");
  process.exit(1);
}
console.log(`crates: ${others.length}, all from crates.io and under licences that deny.toml allows.`);
