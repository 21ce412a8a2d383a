import { defineConfig } from "@playwright/test";
import demo from "./playwright.config";

/** The tests that also run against a market on Bitcoin Core and ord, and those that only run there. */
export default defineConfig({
  ...demo,
  grep: /@regtest|@core-and-ord/,
  // They run in parallel with the others.
  outputDir: "test-results-regtest",
  projects: demo.projects
    ?.filter(({ name }) => name === "desktop")
    .map((project) => ({ ...project, grepInvert: [] })),
});
