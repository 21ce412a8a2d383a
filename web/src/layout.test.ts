import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = dirname(fileURLToPath(import.meta.url));

/** Static and dynamic imports, exports from other files, and modules named in types. */
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']((?:@\/|\.{1,2}\/)[^"']+)["']/g;

interface Import {
  file: string;
  target: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".gen.ts") ? [path] : [];
  });
}

/** The imports of one file, as paths below `src`. */
function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(SPECIFIER)].map(([, specifier = ""]) => ({
    file,
    target: specifier.startsWith("@/")
      ? specifier.slice(2)
      : posix.normalize(posix.join(posix.dirname(file), specifier)),
  }));
}

/** `features/lend`, `shared/api` or `app`: the folder that the rules are about. Null for a file of `src`. */
function folderOf(path: string): string | null {
  const [top = "", second = "", third] = path.split("/");
  if (second === "") return null;
  return (top === "features" || top === "shared") && third !== undefined ? `${top}/${second}` : top;
}

const isBelow = (top: string) => (path: string) => path.startsWith(`${top}/`);
const isFeature = isBelow("features");
const isShared = isBelow("shared");

function featuresImportingOthers(imports: readonly Import[]): string[] {
  return imports
    .filter(({ file, target }) => isFeature(file) && isFeature(target) && folderOf(file) !== folderOf(target))
    .map(({ file, target }) => `${file} imports ${target}`);
}

/** The order is `app`, `features`, `shared`: a lower one does not import a higher one. */
function upwardImports(imports: readonly Import[]): string[] {
  return imports
    .filter(
      ({ file, target }) =>
        (isShared(file) && !isShared(target)) || (isFeature(file) && !isShared(target) && !isFeature(target)),
    )
    .map(({ file, target }) => `${file} imports ${target}`);
}

/** The folders of each circle with one import per step, or nothing. */
function circles(imports: readonly Import[]): string[] {
  const edges = new Map<string, Map<string, Import>>();
  for (const one of imports) {
    const [from, to] = [folderOf(one.file), folderOf(one.target)];
    if (from === null || to === null || from === to) continue;
    const targets = edges.get(from) ?? new Map<string, Import>();
    if (!targets.has(to)) targets.set(to, one);
    edges.set(from, targets);
  }
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (folder: string, path: readonly string[]) => {
    const start = path.indexOf(folder);
    if (start >= 0) {
      const circle = [...path.slice(start), folder];
      const steps = circle.slice(1).map((to, index) => {
        const step = edges.get(circle[index] ?? "")?.get(to);
        return `${step?.file} imports ${step?.target}`;
      });
      found.push(`${circle.join(" -> ")} (${steps.join("; ")})`);
      return;
    }
    if (done.has(folder)) return;
    for (const to of edges.get(folder)?.keys() ?? []) visit(to, [...path, folder]);
    done.add(folder);
  };
  for (const folder of edges.keys()) visit(folder, []);
  return found;
}

describe("the folders of the app", () => {
  const imports = sourceFiles(ROOT).flatMap((path) =>
    importsOf(relative(ROOT, path).split(sep).join("/"), readFileSync(path, "utf8")),
  );

  it("are read with their imports", () => expect(imports.length).toBeGreaterThan(1_000));

  it("features do not import each other: shared code is in `shared`, other dialogs come from the app", () => {
    expect(featuresImportingOthers(imports)).toEqual([]);
  });

  it("features import only `shared`, and `shared` imports neither features nor the app", () => {
    expect(upwardImports(imports)).toEqual([]);
  });

  it("form no circle", () => expect(circles(imports)).toEqual([]));
});

describe("the rules on imports", () => {
  const read = (file: string, text: string) => importsOf(file, text);

  it("find an import of another feature, static or dynamic", () => {
    const lend = "features/lend/form.tsx";
    expect(featuresImportingOthers(read(lend, `import { a } from "@/features/vault/a";`))).toHaveLength(1);
    expect(featuresImportingOthers(read(lend, `const a = import("../vault/a");`))).toHaveLength(1);
    expect(featuresImportingOthers(read(lend, `import { a } from "./a";`))).toEqual([]);
  });

  it("find an import from below", () => {
    expect(upwardImports(read("shared/ui/a.ts", `import "@/app/main";`))).toHaveLength(1);
    expect(upwardImports(read("shared/ui/a.ts", `export { a } from "@/features/lend/a";`))).toHaveLength(1);
    expect(upwardImports(read("features/lend/a.ts", `import { a } from "@/app/a";`))).toHaveLength(1);
    expect(upwardImports(read("app/a.ts", `import { a } from "@/features/lend/a";`))).toEqual([]);
  });

  it("find a circle of folders, with the imports that close it", () => {
    const all = [
      ...read("shared/api/a.ts", `import { b } from "@/shared/session/b";`),
      ...read("shared/session/b.ts", `import { c } from "@/shared/ui/c";`),
      ...read("shared/ui/c.ts", `import { a } from "../api/a";`),
    ];
    expect(circles(all)).toEqual([expect.stringContaining("shared/ui/c.ts imports shared/api/a")]);
    expect(circles(all.slice(0, 2))).toEqual([]);
  });
});
