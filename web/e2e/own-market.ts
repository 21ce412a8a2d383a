import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "@playwright/test";
import { test as base } from "./market-test";

const LIENBOOK = resolve("../target/debug/lienbook");
const START_MS_MAX = 60_000;

/** A demo market for one test, so that the test can be its operator. */
export class OwnMarket {
  readonly url: string;
  private readonly port: number;
  private readonly folder = mkdtempSync(join(tmpdir(), "lienbook-own-"));
  private server: ChildProcess | null = null;
  private settings: readonly string[];

  private constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.settings = settings;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Opens a market with further settings, each as `name=value`. */
  static async open(settings: readonly string[] = []): Promise<OwnMarket> {
    const market = new OwnMarket(await freePort(), settings);
    try {
      await market.start();
    } catch (error) {
      await market.close();
      throw error;
    }
    return market;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs an operator command; `input` replaces a file on standard input. */
  operate(command: readonly string[], input = ""): void {
    execFileSync(LIENBOOK, [...command, "--data", this.data], { input });
  }

  /** Restarts the server on the same data with other settings. */
  async restartWith(settings: readonly string[]): Promise<void> {
    await this.stop();
    this.settings = settings;
    await this.start();
  }

  /** Creates a backup of all data. */
  async backUp(): Promise<void> {
    await this.stop();
    rmSync(this.backup, { recursive: true, force: true });
    cpSync(this.data, this.backup, { recursive: true });
    await this.start();
  }

  /** Restores the backup, without anything that happened since. */
  async restore(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true });
    cpSync(this.backup, this.data, { recursive: true });
    await this.start();
  }

  private get data(): string {
    return join(this.folder, "market");
  }

  private get log(): string {
    return join(this.folder, "server.log");
  }

  private get backup(): string {
    return join(this.folder, "backup");
  }

  private async start(): Promise<void> {
    const own = ["demo_lenders=3", "demo_static=true", "turnstile.unchecked_of_user=1"];
    const settings = [...own, ...this.settings].flatMap((setting) => ["--set", setting]);
    const place = ["--listen", `127.0.0.1:${this.port}`, "--data", this.data];
    const log = openSync(this.log, "w");
    const server = spawn(LIENBOOK, ["demo", "--seed", "7", ...place, ...settings], {
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    this.server = server;
    const isReady = () =>
      fetch(`${this.url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(async () => hasEnded(server) || isReady(), { timeout: START_MS_MAX }).toBe(true);
    if (hasEnded(server)) throw new Error(readFileSync(this.log, "utf8"));
  }

  private async stop(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null || hasEnded(server)) return;
    const ended = new Promise((resolved) => server.once("exit", resolved));
    server.kill("SIGTERM");
    await ended;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function freePort(): Promise<number> {
  return new Promise((resolved, rejected) => {
    const server = createServer();
    server.once("error", rejected);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolved(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** A test whose pages are at a market of their own. */
export const test = base.extend<object, { market: OwnMarket }>({
  market: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from its pattern.
    async ({}, use) => {
      const market = await OwnMarket.open();
      await use(market);
      await market.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ market }, use) => use(market.url),
});
