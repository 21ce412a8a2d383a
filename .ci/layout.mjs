// Checks the layout of the Rust code by its imports: dependencies between crates run one way, from the top of the list
// below to its end, and sibling modules of a folder form no circle. `--edges` prints the imports that close each circle.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The crates, each above everything it may depend on, in tests too; these may use the testkit in their crate's folder. */
const CRATES = [
  "benches",
  "api/client",
  "api",
  "api/simulator",
  "api/testkit",
  "api/providers",
  "persistence/testkit",
  "persistence",
  "engine/lending/testkit",
  "engine/lending",
  "engine/signer",
  "engine/devchain",
  "engine",
  "engine/backtest",
  "engine/public-log",
  "engine/verifier",
  "engine/escrow",
  "engine/model",
  "engine/domain",
  "engine/fuzz-testkit",
  "engine/tampering",
];

const showsEdges = process.argv.includes("--edges");
const faults = [...missingCrates(), ...crateFaults(), ...CRATES.flatMap(circlesOf)];
for (const fault of faults) {
  console.error(fault);
}
if (faults.length > 0) {
  console.error("^ dependencies run one way: move what both sides need below them");
  process.exit(1);
}
console.log("layout: no circles");

/** The crates of the workspace that are not in the list above. */
function missingCrates() {
  const [, members] = manifestOf(".").match(/^members = \[(.+)\]$/m);
  return [...members.matchAll(/"([^"]+)"/g)]
    .map(([, folder]) => folder)
    .filter((folder) => !CRATES.includes(folder))
    .map((folder) => `${folder} is not in the list of crates in .ci/layout.mjs`);
}

/** The dependencies that point up the list of crates. */
function crateFaults() {
  const folderOf = new Map(CRATES.map((folder) => [manifestOf(folder).match(/^name = "(.+)"$/m)[1], folder]));
  return CRATES.flatMap((folder, rank) =>
    [...manifestOf(folder).matchAll(/^(\w[\w-]*)(?:\.workspace|\s*=)/gm)]
      .map(([, name]) => folderOf.get(name))
      .filter((other) => other !== undefined && CRATES.indexOf(other) < rank && other !== `${folder}/testkit`)
      .map((other) => `${folder}/Cargo.toml: depends on ${other}, which stands above it`),
  );
}

function manifestOf(folder) {
  return readFileSync(join(root, folder, "Cargo.toml"), "utf8");
}

/** The circles among the modules of every folder of a crate. */
function circlesOf(folder) {
  const source = join(root, folder, "src");
  const modules = new Map(sourcesIn(source).map((file) => [modulePath(relative(source, file)), readFileSync(file, "utf8")]));
  const shipped = [...modules].filter(([path]) => !path.split("::").some(isTest));
  const imports = shipped.flatMap(([path, text]) =>
    importsOf(text).map((name) => ({ from: path, to: resolve(path, name, modules) })),
  );
  const parents = new Set([...modules.keys()].filter((path) => path !== "").map(parentOf));
  return [...parents].flatMap((parent) => {
    const edges = new Map();
    for (const { from, to } of imports) {
      const [left, right] = [childOf(parent, from), childOf(parent, to)];
      if (left !== null && right !== null && left !== right && !isTest(right)) {
        edges.set(left, edges.get(left) ?? new Map());
        edges.get(left).set(right, [...(edges.get(left).get(right) ?? []), from]);
      }
    }
    return circles(edges).map((circle) => {
      const place = [folder, "src", ...(parent === "" ? [] : parent.split("::"))].join("/");
      const line = `${place}: ${circle.sort().join(", ")} form a circle`;
      return showsEdges ? [line, ...edgesWithin(circle, edges)].join("\n") : line;
    });
  });
}

function edgesWithin(circle, edges) {
  return circle.flatMap((left) =>
    [...(edges.get(left) ?? [])]
      .filter(([right]) => circle.includes(right))
      .map(([right, from]) => `    ${left} -> ${right} in ${[...new Set(from)].join(", ")}`),
  );
}

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return sourcesIn(path);
    }
    return entry.name.endsWith(".rs") && entry.name !== "main.rs" ? [path] : [];
  });
}

/** `chain/index.rs` is `chain::index`; `lib.rs` is the empty path. */
function modulePath(file) {
  const path = file.replace(/\.rs$/, "").split("/").join("::");
  return path === "lib" ? "" : path;
}

function parentOf(path) {
  return path.split("::").slice(0, -1).join("::");
}

/** The module directly below `parent` that holds `path`, or null. */
function childOf(parent, path) {
  const prefix = parent === "" ? "" : `${parent}::`;
  return path !== "" && path.startsWith(prefix) && path !== parent ? path.slice(prefix.length).split("::")[0] : null;
}

function isTest(name) {
  return name === "tests" || name.endsWith("_tests");
}

/** Every path within the crate that a file names, from `use` declarations and from code, without its unit tests. */
function importsOf(text) {
  const code = text.replace(/\/\/.*$/gm, "").replace(/#\[cfg\(test\)\]\s*mod tests \{[^]*$/, "");
  const used = [...code.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, tree]) => pathsOf(tree.replace(/\s+/g, " ").trim()));
  const named = [...code.matchAll(/\b(?:crate|super)(?:::\w+)+/g)].map(([path]) => path);
  return [...used, ...named].filter((path) => /^(crate|super|self)\b/.test(path));
}

/** The single paths of a use tree: `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`. */
function pathsOf(tree) {
  const open = tree.indexOf("{");
  if (open < 0) {
    return [tree.replace(/ as .*/, "").replaceAll(" ", "")];
  }
  const items = [""];
  let depth = 0;
  for (const letter of tree.slice(open + 1, tree.lastIndexOf("}"))) {
    depth += letter === "{" ? 1 : letter === "}" ? -1 : 0;
    if (letter === "," && depth === 0) {
      items.push("");
    } else {
      items[items.length - 1] += letter;
    }
  }
  return items.filter((item) => item.trim() !== "").flatMap((item) => pathsOf(tree.slice(0, open) + item.trim()));
}

/** The deepest module that a path names, seen from `module`. */
function resolve(module, path, modules) {
  const parts = path.split("::");
  let place = parts[0] === "crate" ? [] : module === "" ? [] : module.split("::");
  if (parts[0] !== "super") {
    parts.shift();
  }
  while (parts[0] === "super") {
    parts.shift();
    place = place.slice(0, -1);
  }
  while (parts.length > 0 && modules.has([...place, parts[0]].join("::"))) {
    place = [...place, parts.shift()];
  }
  return place.join("::");
}

/** The strongly connected components of more than one module (Tarjan). */
function circles(edges) {
  const [index, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (name) => {
    index.set(name, index.size);
    low.set(name, index.get(name));
    stack.push(name);
    for (const next of edges.get(name)?.keys() ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(name, Math.min(low.get(name), low.get(next)));
      } else if (stack.includes(next)) {
        low.set(name, Math.min(low.get(name), index.get(next)));
      }
    }
    if (low.get(name) === index.get(name)) {
      const circle = stack.splice(stack.indexOf(name));
      if (circle.length > 1) {
        found.push(circle);
      }
    }
  };
  for (const name of edges.keys()) {
    if (!index.has(name)) {
      visit(name);
    }
  }
  return found;
}
