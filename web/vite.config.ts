import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { firstLoadBudget } from "./first-load.ts";
import { toastStylesAsSheet } from "./toast-styles.ts";

const server = process.env.LIENBOOK_SERVER ?? "http://127.0.0.1:8080";
const proxied = { target: server, changeOrigin: false, ws: true };

export default defineConfig({
  plugins: [react(), tailwindcss(), toastStylesAsSheet(), firstLoadBudget({ index: 165_000, embed: 10_000 })],
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
      // The feed's sequence, repair and book are those of the client for programs.
      "@client": fileURLToPath(new URL("./client/src", import.meta.url)),
    },
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: { "/api": proxied, "/collection-images": proxied },
  },
  build: {
    // Fonts and images stay files: the content policy of the server allows no data: sources for fonts.
    assetsInlineLimit: 0,
    target: "es2022",
    sourcemap: false,
    rolldownOptions: {
      // The app, and the page that other sites embed.
      input: { index: "index.html", embed: "embed.html" },
      output: {
        // Code that every page needs and that seldom changes is a file of its own, so that browsers cache it
        // across releases.
        codeSplitting: {
          groups: [{ name: "react", test: /node_modules\/(react|react-dom|react-router|scheduler)\// }],
        },
      },
    },
  },
  test: {
    include: ["src/**/*.test.{ts,tsx}", "client/src/**/*.test.ts"],
    environment: "node",
  },
});
