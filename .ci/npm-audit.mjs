// The npm packages of the web app: where they come from and under which licence, by the lock file alone; and known
// vulnerabilities, by the registry's answer. A registry that gives none is said to, and fails nothing.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MPL-2.0",
  "OFL-1.1",
  "Python-2.0",
]);
const FAILING = ["high", "critical"];

const faults = [];
const { packages } = JSON.parse(readFileSync("web/package-lock.json", "utf8"));
for (const [place, { license, resolved, link }] of Object.entries(packages)) {
  if (place === "" || link) continue;
  // "(MIT OR CC0-1.0)" and "MIT OR Apache-2.0": one that is taken is enough.
  const choices = (license ?? "").replaceAll(/[()]/g, "").split(" OR ");
  if (!choices.some((choice) => LICENCES.has(choice))) faults.push(`${place} has the licence ${license ?? "of no name"}`);
  // Where the lock file leaves the address out, npm takes the registry's.
  if (resolved !== undefined && !resolved.startsWith("https://registry.npmjs.org/")) {
    faults.push(`${place} comes from ${resolved}`);
  }
}

const asked = spawnSync("npm", ["audit", "--json"], { cwd: "web", encoding: "utf8", timeout: 60_000 });
const found = counted(asked.stdout);
if (found === null) {
  console.log("NOT CHECKED: advisories of npm packages; the registry gave no answer about them.");
} else {
  const failing = FAILING.filter((level) => (found[level] ?? 0) > 0);
  for (const level of failing) faults.push(`${found[level]} advisories of npm packages are ${level}: see npm audit in web/`);
  if (failing.length === 0) console.log(`npm audit: nothing high or critical (${JSON.stringify(found)}).`);
}

if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
console.log(`npm: ${Object.keys(packages).length - 1} packages, all from the registry and under licences that are taken.`);

/** How many vulnerabilities of each level there are; null when the answer says nothing of them. */
function counted(text) {
  try {
    const levels = JSON.parse(text).metadata?.vulnerabilities;
    return typeof levels === "object" && levels !== null ? levels : null;
  } catch {
    return null;
  }
}
