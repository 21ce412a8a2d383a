// Compares the bills of materials in a folder with the lock files, which it reads by itself: sbom-check.mjs FOLDER. Each package of
// the production part has to be there with its hash, and each component has to have a licence that deny.toml allows.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { denyStrings, isAllowed } from "./licence-rules.mjs";

const [, , folder] = process.argv;
const faults = [];
const crates = checkCrates();
const packages = checkPackages();
if (faults.length > 0 || crates < 100 || packages < 20) {
  console.error(faults.join("\n") || `only ${crates} crates and ${packages} packages`);
  process.exit(1);
}
console.log(`bills of materials: ${crates} crates and ${packages} npm packages of the lock files, with hashes and allowed licences.`);

function checkCrates() {
  const bom = read("lienbook.cdx.json");
  const listed = new Map(bom.components.map((component) => [`${component.name} ${component.version}`, component]));
  const locked = new Map(
    readFileSync("Cargo.lock", "utf8")
      .split("\n[[package]]\n")
      .map((text) => [field(text, "name"), field(text, "version"), field(text, "checksum"), deps(text)])
      .filter(([name]) => name !== undefined)
      .map(([name, version, checksum, needs]) => [`${name} ${version}`, { name, version, checksum, needs }]),
  );
  // The whole of the lock file that can be reached from the server by what each crate needs, whatever its features are, is more than
  // what is built; what is built has to be a part of it.
  const reached = new Set();
  const waiting = [`lienbook ${bom.metadata.component.version}`, `verifier ${bom.metadata.component.version}`];
  while (waiting.length > 0) {
    const key = waiting.pop();
    if (reached.has(key)) continue;
    reached.add(key);
    for (const need of locked.get(key)?.needs ?? []) {
      const [name, version] = need.split(" ");
      const found = version ? `${name} ${version}` : [...locked.keys()].find((other) => other.startsWith(`${name} `));
      if (found) waiting.push(found);
    }
  }
  for (const [key, { purl, hashes, licenses, scope }] of listed) {
    const lock = locked.get(key);
    if (!lock) faults.push(`${key} is in the bill and not in Cargo.lock`);
    else if (!reached.has(key)) faults.push(`${key} is in the bill, and nothing needs it`);
    else if (lock.checksum !== hashes?.[0]?.content) faults.push(`${key} has another hash than in Cargo.lock`);
    const licence = licenses?.[0]?.expression;
    if (!licence || !isAllowed(licence)) faults.push(`${key} has the licence ${licence ?? "(none)"}`);
    if (!purl?.startsWith("pkg:cargo/")) faults.push(`${key} has no package URL`);
    if (!["required", "excluded"].includes(scope)) faults.push(`${key} has the scope ${scope}`);
  }
  for (const key of resolved()) {
    if (!listed.has(key)) faults.push(`${key} is a dependency of the server and not in the bill`);
  }
  return listed.size;
}

/** The crates that the server's normal dependencies resolve to, from cargo's other command, less what a member needs only in tests. */
function resolved() {
  const [target] = denyStrings(/^targets = \[([^\]]*)\]/m);
  const words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target, "--no-default-features"];
  const asked = spawnSync("cargo", [...words, "--manifest-path", "api/Cargo.toml"], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (asked.status !== 0) throw new Error(asked.stderr);
  const { packages, resolve, workspace_members } = JSON.parse(asked.stdout);
  const members = new Set(workspace_members);
  const names = new Map(packages.map(({ id, name, version }) => [id, `${name} ${version}`]));
  const optional = new Map(
    packages.map(({ id, dependencies }) => [id, new Set(dependencies.filter((need) => need.optional).map((need) => need.name))]),
  );
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const reached = new Set();
  const waiting = [packages.find(({ id, name }) => name === "lienbook" && members.has(id)).id];
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (reached.has(id)) continue;
    reached.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      // Other members may turn on what is optional, so only what is always needed is required here.
      const name = names.get(pkg).split(" ")[0];
      if (dep_kinds.some(({ kind }) => kind === null) && !optional.get(id).has(name)) waiting.push(pkg);
    }
  }
  return [...reached].map((id) => names.get(id)).filter((name) => !name.startsWith("lienbook "));
}

function checkPackages() {
  const bom = read("lienbook-web.cdx.json");
  const listed = new Map(bom.components.map((component) => [`${component.name} ${component.version}`, component]));
  const { packages } = JSON.parse(readFileSync("web/package-lock.json", "utf8"));
  let count = 0;
  for (const [place, { version, integrity, dev, link }] of Object.entries(packages)) {
    if (place === "" || dev || link) continue;
    count += 1;
    const key = `${place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)} ${version}`;
    const component = listed.get(key);
    if (!component) {
      faults.push(`${key} is in package-lock.json and not in the bill`);
      continue;
    }
    const hash = Buffer.from(component.hashes?.[0]?.content ?? "", "hex").toString("base64");
    if (integrity !== `sha512-${hash}`) faults.push(`${key} has another hash than in package-lock.json`);
    const licences = (component.licenses ?? []).map((entry) => entry.expression ?? entry.license?.id);
    if (licences.length === 0 || !licences.every((licence) => licence && isAllowed(licence))) {
      faults.push(`${key} has the licence ${licences.join(", ") || "(none)"}`);
    }
  }
  const words = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--omit", "dev"];
  const asked = spawnSync("npm", words, { cwd: "web", encoding: "utf8" });
  if (asked.status !== 0) throw new Error(asked.stderr);
  for (const { name, version } of JSON.parse(asked.stdout).components) {
    if (!listed.has(`${name} ${version}`)) faults.push(`${name} ${version} is in the bill of npm and not in this one`);
  }
  if (listed.size > count) faults.push(`the bill has ${listed.size} packages, package-lock.json ${count}`);
  return count;
}

function read(name) {
  const bom = JSON.parse(readFileSync(join(folder, name), "utf8"));
  if (bom.bomFormat !== "CycloneDX" || bom.specVersion !== "1.5") faults.push(`${name} is no CycloneDX 1.5`);
  return bom;
}

function field(text, name) {
  return new RegExp(`^${name} = "(.*)"$`, "m").exec(text)?.[1];
}

function deps(text) {
  const list = /^dependencies = \[([^\]]*)\]/m.exec(text)?.[1] ?? "";
  return [...list.matchAll(/"([^"]*)"/g)].map(([, need]) => need);
}
