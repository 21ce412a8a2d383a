import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/**
 * Fails the build when the compressed JavaScript of the first page exceeds its budget: the entry and
 * everything it imports before it runs. Lazily loaded code does not count.
 */
export function firstLoadBudget(bytesMax: number): Plugin {
  return {
    name: "first-load-budget",
    apply: "build",
    writeBundle(_options, bundle) {
      const needed = new Set<string>();
      const add = (fileName: string) => {
        const chunk = bundle[fileName];
        if (needed.has(fileName) || chunk?.type !== "chunk") return;
        needed.add(fileName);
        chunk.imports.forEach(add);
      };
      for (const chunk of Object.values(bundle))
        if (chunk.type === "chunk" && chunk.isEntry) add(chunk.fileName);

      const sizes = [...needed].map((name) => {
        const chunk = bundle[name];
        return { name, bytes: chunk?.type === "chunk" ? gzipSync(chunk.code).length : 0 };
      });
      const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
      const report = `first load: ${kilobytes(total)} of JavaScript, compressed; at most ${kilobytes(bytesMax)}`;
      if (total <= bytesMax) return this.info(report);
      const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 8);
      this.error([report, ...largest.map(({ name, bytes }) => `  ${kilobytes(bytes)} ${name}`)].join("\n"));
    },
  };
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
