import { defineConfig, devices } from "@playwright/test";
import { baseURL, launchOptions, screens, tablet } from "./playwright.config";

/** Takes a picture of every screen at every width. The tests do so at one of them: all four take half an hour. */
export default defineConfig({
  ...screens,
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: [["line"]],
  use: { baseURL, launchOptions, contextOptions: { reducedMotion: "reduce" } },
  projects: [
    { name: "375", use: { ...devices["Pixel 7"], viewport: { width: 375, height: 812 }, launchOptions } },
    tablet,
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
