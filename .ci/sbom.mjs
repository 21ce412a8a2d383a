// Writes the bills of materials of a release into a folder: sbom.mjs FOLDER. See .ci/sbom.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { denyStrings, spdx } from "./licence-rules.mjs";

const [, , folder] = process.argv;
const timestamp = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString();
const [target] = denyStrings(/^targets = \[([^\]]*)\]/m);
const WASM = "wasm32-unknown-unknown";

mkdirSync(folder, { recursive: true });
write("lienbook.cdx.json", crates());
write("lienbook-web.cdx.json", packages());

/** The crates that are linked into the server or into the second verifier, and those that run while the server is built. */
function crates() {
  const linked = new Set([...tree("lienbook", target, "normal,no-proc-macro"), ...tree("verifier", WASM, "normal,no-proc-macro")]);
  const building = new Set([...tree("lienbook", target, "normal,build"), ...tree("verifier", WASM, "normal,build")]);
  const checksums = new Map(
    [...readFileSync("Cargo.lock", "utf8").matchAll(/^name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"$/gm)].map(
      ([, name, version, checksum]) => [`${name}@${version}`, checksum],
    ),
  );
  const metadata = JSON.parse(run("cargo", ["metadata", "--format-version", "1", "--locked"]));
  const refs = new Map(metadata.packages.map((crate) => [crate.id, `${crate.name}@${crate.version}`]));
  const members = new Set(metadata.workspace_members);
  const components = [];
  let server;
  for (const crate of metadata.packages) {
    const ref = refs.get(crate.id);
    if (!building.has(ref)) continue;
    const checksum = checksums.get(ref);
    const component = {
      "bom-ref": purl(crate),
      type: "library",
      name: crate.name,
      version: crate.version,
      scope: linked.has(ref) ? "required" : "excluded",
      licenses: [{ expression: spdx(crate.license ?? "NOASSERTION") }],
      purl: purl(crate),
      ...(checksum && { hashes: [{ alg: "SHA-256", content: checksum }] }),
      ...(crate.repository && { externalReferences: [{ type: "vcs", url: crate.repository }] }),
      properties: [{ name: "lienbook:source", value: members.has(crate.id) ? "this repository" : "crates.io" }],
    };
    if (crate.name === "lienbook" && members.has(crate.id)) server = { ...component, type: "application" };
    else components.push(component);
  }
  const chosen = new Map(metadata.packages.filter((crate) => building.has(refs.get(crate.id))).map((crate) => [crate.id, purl(crate)]));
  const dependencies = metadata.resolve.nodes
    .filter(({ id }) => chosen.has(id))
    .map(({ id, deps }) => ({
      ref: chosen.get(id),
      dependsOn: deps
        .filter(({ pkg, dep_kinds }) => chosen.has(pkg) && dep_kinds.some(({ kind }) => kind !== "dev"))
        .map(({ pkg }) => chosen.get(pkg)),
    }));
  return bom(server, components, dependencies);
}

/**
 * The npm packages that the web app needs; what only builds or tests it is not in it. `npm sbom --omit dev` also leaves out what both
 * need, so the lock file is read here.
 */
function packages() {
  const { packages: locked } = JSON.parse(readFileSync("web/package-lock.json", "utf8"));
  const places = Object.keys(locked).filter((place) => place !== "" && !locked[place].dev && !locked[place].link);
  const components = new Map();
  const dependencies = new Map();
  for (const place of places) {
    const { version, integrity, license, optional, devOptional } = locked[place];
    const name = nameAt(place);
    const ref = npmPurl(name, version);
    components.set(ref, {
      "bom-ref": ref,
      type: "library",
      name,
      version,
      scope: optional || devOptional ? "optional" : "required",
      licenses: [{ expression: spdx(license ?? "NOASSERTION") }],
      purl: ref,
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex") }],
    });
    dependencies.set(ref, { ref, dependsOn: neededAt(place) });
  }
  const app = locked[""];
  const ref = npmPurl(app.name, app.version);
  const component = {
    "bom-ref": ref,
    type: "application",
    name: app.name,
    version: app.version,
    licenses: [{ expression: app.license }],
    purl: ref,
  };
  return bom(component, [...components.values()], [...dependencies.values(), { ref, dependsOn: neededAt("") }]);

  function neededAt(place) {
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = locked[place];
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    return names.flatMap((name) => {
      const found = resolved(place, name);
      return found && places.includes(found) ? [npmPurl(nameAt(found), locked[found].version)] : [];
    });
  }

  /** The place that Node.js takes a package from, for one at `place`. */
  function resolved(place, name) {
    for (let from = place; ; from = from.slice(0, Math.max(from.lastIndexOf("/node_modules/"), 0))) {
      const candidate = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
      if (locked[candidate]) return candidate;
      if (from === "") return undefined;
    }
  }
}

function nameAt(place) {
  return place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
}

function npmPurl(name, version) {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

/** `name@version` of the crates that a build of a workspace member resolves to. */
function tree(member, platform, edges) {
  const asked = ["tree", "-p", member, "--locked", "--target", platform, "--edges", edges, "--prefix", "none", "--format", "{p}"];
  if (member === "lienbook") asked.push("--no-default-features");
  return run("cargo", asked)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "))
    .map(([name, version]) => `${name}@${version.slice(1)}`);
}

function purl({ name, version }) {
  return `pkg:cargo/${name}@${version}`;
}

/** A document without a random serial number, in an order that depends on its content only. */
function bom(component, components, dependencies) {
  const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { timestamp, component },
    components: components.toSorted((one, other) => order(one["bom-ref"], other["bom-ref"])),
    dependencies: dependencies
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: [...new Set(dependsOn)].sort() }))
      .sort((one, other) => order(one.ref, other.ref)),
  };
}

function write(name, document) {
  writeFileSync(join(folder, name), `${JSON.stringify(document, null, 2)}\n`);
}

function run(program, words, cwd = ".") {
  const ran = spawnSync(program, words, { cwd, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  if (ran.status === 0) return ran.stdout;
  console.error(ran.stderr || `${program}: ${ran.error}`);
  process.exit(1);
}
