import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { singleFile } from "./single-file.ts";

/** The build of the offline page for kits: one file beside those of the app. */
export default defineConfig({
  plugins: [singleFile()],
  publicDir: false,
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    emptyOutDir: false,
    // All of it: the page can load nothing.
    assetsInlineLimit: Number.POSITIVE_INFINITY,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { input: "lienbook-kit.html" },
  },
});
