import { defineConfig, devices } from "@playwright/test";
import { baseURL, launchOptions } from "./playwright.config";

/**
 * Takes a screenshot of every screen, see `screens/`. Not part of `make test`: it takes more than half an
 * hour.
 */
export default defineConfig({
  testDir: "./screens",
  testMatch: "take-screens.ts",
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: [["line"]],
  use: { baseURL, launchOptions, contextOptions: { reducedMotion: "reduce" } },
  projects: [
    { name: "375", use: { ...devices["Pixel 7"], viewport: { width: 375, height: 812 }, launchOptions } },
    {
      name: "768",
      use: { ...devices["Desktop Chrome"], viewport: { width: 768, height: 1024 }, launchOptions },
    },
    {
      name: "1024",
      use: { ...devices["Desktop Chrome"], viewport: { width: 1024, height: 768 }, launchOptions },
    },
    {
      name: "1280",
      use: { ...devices["Desktop Chrome"], viewport: { width: 1280, height: 800 }, launchOptions },
    },
  ],
});
