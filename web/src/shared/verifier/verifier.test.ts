import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EXAMPLE_QUESTION } from "./question-example";
import { refusalOf } from "./verdict";
import { Verifier } from "./verifier";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const bytes = readFileSync(at("./verifier.wasm"));
/** Questions with the verdicts of the same code, compiled for this machine. */
const golden: Record<string, { question: unknown; verdict: unknown }> = JSON.parse(
  readFileSync(at("../../../../engine/verifier/tests/verdicts/verdicts.golden.json"), "utf8"),
);

interface Exports {
  memory: WebAssembly.Memory;
  question: (length: number) => number;
  check: () => number;
  answer: () => number;
}

async function start(): Promise<(text: string) => unknown> {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const module = instance.exports as unknown as Exports;
  return (text) => {
    const question = new TextEncoder().encode(text);
    const address = module.question(question.length);
    new Uint8Array(module.memory.buffer, address, question.length).set(question);
    const length = module.check();
    return JSON.parse(
      new TextDecoder().decode(new Uint8Array(module.memory.buffer, module.answer(), length)),
    );
  };
}

describe("the check of a vault's address", () => {
  const key = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
  const other = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";
  const policy = "Lienbook vault policy: 1\nNetwork: regtest\nSigner: 00";
  const policyHash = createHash("sha256").update(policy).digest("hex");
  const vault = {
    network: "regtest",
    lenderId: 4,
    ordinalsKey: key,
    policyHash,
    policy,
    signers: [{ key: other, signer: null, attestation: null }],
    address: "",
  };

  it("agrees with the address that it derives, and with no other", async () => {
    const verifier = new Verifier(await WebAssembly.compile(bytes));
    const refused = await verifier.checkVault(vault);
    const derived = refused.result === "disagrees" ? (refused.reason.split(" is at ")[1] ?? "") : "";
    expect(derived).toMatch(/^bcrt1p/);
    const agrees = { result: "agrees", required: 1, count: 1, isAttested: false };
    expect(await verifier.checkVault({ ...vault, address: derived })).toEqual(agrees);
    const elsewhere = {
      ...vault,
      address: derived,
      ordinalsKey: other,
      signers: [{ ...vault.signers[0], key }],
    };
    expect((await verifier.checkVault(elsewhere as typeof vault)).result).toBe("disagrees");
  });

  it("refuses a policy that the message does not name", async () => {
    const verifier = new Verifier(await WebAssembly.compile(bytes));
    expect(await verifier.checkVault({ ...vault, policyHash: "00".repeat(32) })).toEqual({
      result: "disagrees",
      reason: "the policy is not the one that the message names",
    });
  });
});

describe("the verifier's module", () => {
  it("is closed: it imports nothing", async () => {
    expect(WebAssembly.Module.imports(await WebAssembly.compile(bytes))).toEqual([]);
  });

  it.each(Object.keys(golden))("gives the verdict of the native code: %s", async (name) => {
    const ask = await start();
    expect(ask(JSON.stringify(golden[name]?.question))).toEqual(golden[name]?.verdict);
  });

  it("answers in less than 50 ms, once it is warm", async () => {
    const ask = await start();
    const texts = Object.values(golden).map(({ question }) => JSON.stringify(question));
    for (const text of texts) ask(text);
    const times = texts.map((text) => {
      const startMs = performance.now();
      ask(text);
      return performance.now() - startMs;
    });
    expect(times.sort((one, other) => one - other)[Math.floor(times.length / 2)]).toBeLessThan(50);
  });
});

describe("a verifier", () => {
  it("refuses what it cannot read", async () => {
    const verifier = new Verifier(await WebAssembly.compile(bytes));
    expect(refusalOf(await verifier.check(EXAMPLE_QUESTION, 0))).not.toBeNull();
  });

  it("refuses when the module traps, and again afterwards", async () => {
    // A module whose functions are missing fails at every call, as one does that has trapped.
    const empty = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    const verifier = new Verifier(empty);
    for (const _ of [1, 2]) {
      const verdict = await verifier.check(EXAMPLE_QUESTION, 0);
      expect(refusalOf(verdict)).toBe("the transaction could not be checked in this browser");
    }
  });
});
