// Audits the npm packages of the web app: sources and licences from the lock file, and known vulnerabilities from the registry. If
// the registry does not answer, that is printed and is no failure.
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
  // "(MIT OR CC0-1.0)" and "MIT OR Apache-2.0": one allowed licence is enough.
  const choices = (license ?? "").replaceAll(/[()]/g, "").split(" OR ");
  if (!choices.some((choice) => LICENCES.has(choice))) faults.push(`${place} has the licence ${license ?? "(none)"}`);
  // Where the lock file omits the address, npm uses the registry's.
  if (resolved !== undefined && !resolved.startsWith("https://registry.npmjs.org/")) {
    faults.push(`${place} comes from ${resolved}`);
  }
}

const asked = spawnSync("npm", ["audit", "--json"], { cwd: "web", encoding: "utf8", timeout: 60_000 });
const found = counted(asked.stdout);
if (found === null) {
  console.log("NOT CHECKED: advisories of npm packages; the registry did not answer.");
} else {
  const failing = FAILING.filter((level) => (found[level] ?? 0) > 0);
  for (const level of failing) faults.push(`${found[level]} advisories of npm packages are ${level}: see npm audit in web/`);
  if (failing.length === 0) console.log(`npm audit: nothing high or critical (${JSON.stringify(found)}).`);
}

if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
console.log(`npm: ${Object.keys(packages).length - 1} packages, all from the registry and under allowed licences.`);

/** The number of vulnerabilities of each level; null when the answer has none of these numbers. */
function counted(text) {
  try {
    const levels = JSON.parse(text).metadata?.vulnerabilities;
    return typeof levels === "object" && levels !== null ? levels : null;
  } catch {
    return null;
  }
}
