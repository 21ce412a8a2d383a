// Checks the server's crates against deny.toml without cargo-deny: licences, sources and bans. It needs only cargo and the crates
// that a build has fetched.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const deny = readFileSync("deny.toml", "utf8");
const allowed = new Set(strings(/^allow = \[([^\]]*)\]/m));
const registries = new Set(strings(/^allow-registry = \[([^\]]*)\]/m).map((url) => `registry+${url}`));
const banned = new Set([...deny.matchAll(/\{ crate = "([^"]+)"/g)].map(([, name]) => name));
const [target] = strings(/^targets = \[([^\]]*)\]/m);

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
  if (!license || !isTaken(license)) faults.push(`${name} ${version} has the licence ${license ?? "(none)"}`);
}
if (faults.length > 0 || others.length === 0) {
  console.error(faults.join("\n") || "cargo lists no crates");
  process.exit(1);
}
console.log(`crates: ${others.length}, all from crates.io and under licences that deny.toml allows.`);

function strings(pattern) {
  const found = pattern.exec(deny);
  if (!found) throw new Error(`deny.toml lacks ${pattern}`);
  return [...found[1].matchAll(/"([^"]*)"/g)].map(([, text]) => text);
}

/** Whether the allowed licences satisfy an SPDX expression; `/` is an older form of OR. */
function isTaken(expression) {
  const words = expression.replaceAll("/", " OR ").replaceAll(/([()])/g, " $1 ").trim().split(/\s+/);
  let at = 0;
  function any() {
    let met = all();
    while (words[at] === "OR") {
      at += 1;
      met = all() || met;
    }
    return met;
  }
  function all() {
    let met = one();
    while (words[at] === "AND") {
      at += 1;
      met = one() && met;
    }
    return met;
  }
  function one() {
    if (words[at] === "(") {
      at += 1;
      const met = any();
      at += 1;
      return met;
    }
    let name = words[at];
    at += 1;
    if (words[at] === "WITH") {
      name += ` WITH ${words[at + 1]}`;
      at += 2;
    }
    return allowed.has(name);
  }
  return any();
}
