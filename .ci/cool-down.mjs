// The cool-down of dependencies: an update is taken no earlier than some days after it was published, because a stolen release is
// usually found within days. Rules and exceptions are in .ci/cool-down.json.
//   cool-down.mjs          checks both lock files, without a network; part of .ci/audit
//   cool-down.mjs record   asks the npm registry when the packages were published that the file does not know yet
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const FILE = ".ci/cool-down.json";
const DAY_MS = 86_400_000;
/** The mark of a package that was locked when the rule began. */
const BEFORE = "before the rule";

const rules = JSON.parse(readFileSync(FILE, "utf8"));
const npmLocked = lockedPackages();
if (process.argv[2] === "record") record();
else check();

function check() {
  const faults = [];
  const crates = lockedCrates();
  const unknown = [];
  const young = [];
  const index = crateIndex();
  for (const { name, version } of crates) {
    const published = index(name, version);
    if (published === undefined) unknown.push(`${name} ${version}`);
    else if (isYoung(published)) young.push([`crate ${name} ${version}`, published]);
  }
  for (const key of npmLocked) {
    const published = rules.npm[key];
    if (published === undefined) faults.push(`npm ${key} has no date in ${FILE}: run node .ci/cool-down.mjs record`);
    else if (published !== BEFORE && isYoung(published)) young.push([`npm ${key}`, published]);
  }
  const locked = new Set([...crates.map(({ name, version }) => `crate ${name} ${version}`), ...npmLocked.map((key) => `npm ${key}`)]);
  for (const [name, reason] of Object.entries(rules.exceptions)) {
    if (!locked.has(name)) faults.push(`the exception of ${name} in ${FILE} is of no locked package`);
    if (!reason) faults.push(`the exception of ${name} in ${FILE} has no reason`);
  }
  for (const [name, published] of young) {
    if (!rules.exceptions[name]) {
      faults.push(`${name} was published on ${published.slice(0, 10)}, less than ${rules.days} days ago: wait, or name a reason in ${FILE}`);
    }
  }
  for (const key of Object.keys(rules.npm)) {
    if (!npmLocked.includes(key)) faults.push(`npm ${key} in ${FILE} is not locked: run node .ci/cool-down.mjs record`);
  }
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    process.exit(1);
  }
  if (unknown.length > 0) {
    console.log(`NOT CHECKED: the age of ${unknown.length} crates, of which cargo's copy of the index has no date (${unknown[0]}, ...).`);
  }
  const checked = crates.length - unknown.length;
  console.log(
    `cool-down: ${checked} crates and ${npmLocked.length} npm packages are ${rules.days} days old, or among ${Object.keys(rules.exceptions).length} exceptions.`,
  );
}

function record() {
  const dates = {};
  for (const key of npmLocked) {
    dates[key] = rules.npm[key] ?? publishedOnNpm(...key.split(" "));
  }
  writeFileSync(FILE, `${JSON.stringify({ ...rules, npm: dates }, null, 2)}\n`);
}

function publishedOnNpm(name, version) {
  const asked = spawnSync("npm", ["view", `${name}@${version}`, "time", "--json"], { encoding: "utf8" });
  const date = asked.status === 0 ? JSON.parse(asked.stdout)[version] : undefined;
  if (Number.isNaN(Date.parse(date))) {
    console.error(`the registry does not say when ${name} ${version} was published: ${asked.stderr}`);
    process.exit(1);
  }
  return date;
}

function isYoung(published) {
  const age = Date.now() - Date.parse(published);
  if (Number.isNaN(age)) throw new Error(`"${published}" is no date`);
  return age < rules.days * DAY_MS;
}

function lockedCrates() {
  const pattern = /^name = "(.*)"\nversion = "(.*)"\nsource = "registry/gm;
  return [...readFileSync("Cargo.lock", "utf8").matchAll(pattern)].map(([, name, version]) => ({ name, version }));
}

function lockedPackages() {
  const { packages } = JSON.parse(readFileSync("web/package-lock.json", "utf8"));
  const keys = Object.entries(packages)
    .filter(([place, { link }]) => place !== "" && !link)
    .map(([place, { version }]) => `${place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)} ${version}`);
  return [...new Set(keys)].sort();
}

/** When a crate was published, from the copy of the registry's index that cargo keeps of every crate that it has resolved. */
function crateIndex() {
  const folder = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/index");
  const copies = entries(folder).map((name) => join(folder, name, ".cache"));
  return (name, version) => {
    const lower = name.toLowerCase();
    const short = { 1: "1", 2: "2", 3: `3/${lower[0]}` }[lower.length];
    const place = `${short ?? `${lower.slice(0, 2)}/${lower.slice(2, 4)}`}/${lower}`;
    for (const copy of copies) {
      for (const line of text(join(copy, place)).split("\0")) {
        if (line.startsWith("{") && line.includes(`"${version}"`)) {
          const { vers, pubtime } = JSON.parse(line);
          if (vers === version) return pubtime;
        }
      }
    }
    return undefined;
  };
}

function entries(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function text(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
