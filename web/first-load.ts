import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/**
 * Fails the build when the compressed JavaScript of a page exceeds its budget: the entry and everything it
 * imports before it runs. Lazily loaded code does not count. `bytesMax` names every entry.
 */
export function firstLoadBudget(bytesMax: Record<string, number>): Plugin {
  return {
    name: "first-load-budget",
    apply: "build",
    writeBundle(_options, bundle) {
      const entries = Object.values(bundle).filter((file) => file.type === "chunk" && file.isEntry);
      const names = entries.map(({ name }) => name ?? "").sort();
      if (names.join() !== Object.keys(bytesMax).sort().join()) {
        this.error(`the entries are ${names}, and there are budgets for ${Object.keys(bytesMax)}`);
      }
      for (const { fileName, name = "" } of entries) {
        const sizes = [...needed(fileName)].map((needed) => {
          const chunk = bundle[needed];
          return { name: needed, bytes: chunk?.type === "chunk" ? gzipSync(chunk.code).length : 0 };
        });
        const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
        const max = bytesMax[name] ?? 0;
        const report = `first load of ${name}: ${kilobytes(total)} of JavaScript, compressed; at most ${kilobytes(max)}`;
        if (total <= max) {
          this.info(report);
          continue;
        }
        const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 8);
        this.error([report, ...largest.map((one) => `  ${kilobytes(one.bytes)} ${one.name}`)].join("\n"));
      }

      function needed(entry: string): Set<string> {
        const found = new Set<string>();
        const add = (fileName: string) => {
          const chunk = bundle[fileName];
          if (found.has(fileName) || chunk?.type !== "chunk") return;
          found.add(fileName);
          chunk.imports.forEach(add);
        };
        add(entry);
        return found;
      }
    },
  };
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
