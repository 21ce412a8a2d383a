import { afterEach, describe, expect, test, vi } from "vitest";
import type { ServerConfig } from "@/shared/api/config";
import { SignatureCancelled, setMessageSigner } from "@/shared/bitcoin/message-signer";
import { EXAMPLE_SESSION as session } from "@/shared/session/session-example";
import { calculateSummary, type Deletion, deleteOffers } from "./deletion";
import { exampleOffer } from "./offer-example";

const config = { vaultSignerId: "9d1f" } as ServerConfig;
const instant = exampleOffer({ offerId: "of_i", loanProcessType: "Instant" });
const manual = exampleOffer({ offerId: "of_m" });
const other = exampleOffer({ offerId: "of_o" });

const data = { nonce: "n", issued: 1, expires: 2, domain: "lienbook.example", network: "regtest" };
const results = (answers: Record<string, boolean>) =>
  Response.json({
    results: Object.entries(answers).map(([offerId, ok]) => ({
      offerId,
      ok,
      error: ok ? null : { title: "Conflict", detail: "A borrower is taking it" },
    })),
  });

/** A server with a scripted response for each kind of cancellation. */
function server(answers: { instant?: () => Response; manual?: () => Response }) {
  const fetch = vi.fn(async (path: string) => {
    if (path.endsWith("/nonce")) return Response.json({ ok: true, data, errorMessage: null });
    const answer = path.includes("/instant/") ? answers.instant : answers.manual;
    return answer?.() ?? Response.error();
  });
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

async function run(offers: Parameters<typeof deleteOffers>[0], settings: ServerConfig | undefined = config) {
  const states: Deletion[] = [];
  const ended = await deleteOffers(offers, session, settings, (deletion) => states.push(deletion));
  return { ended, states, ...calculateSummary(ended) };
}

afterEach(() => {
  vi.unstubAllGlobals();
  setMessageSigner(null);
});

describe("deleting offers", () => {
  test("names its steps in order, signs once, and ends with every offer gone", async () => {
    server({ instant: () => results({ of_i: true }), manual: () => results({ of_m: true }) });
    const signer = vi.fn(async () => "c2ln");
    setMessageSigner(signer);
    const { ended, states, deleted, kept } = await run([instant, manual]);
    expect(states.map(({ step }) => step).filter((step, index, all) => step !== all[index - 1])).toEqual([
      "nonce",
      "signing",
      "instant",
      "manual",
    ]);
    expect(signer).toHaveBeenCalledTimes(1);
    expect(ended.phase).toBe("ended");
    expect(deleted).toEqual(["of_i", "of_m"]);
    expect(kept).toEqual([]);
  });

  test("reports for each offer whether it is gone, and why not", async () => {
    server({ manual: () => results({ of_m: true, of_o: false }) });
    const { ended, deleted, kept } = await run([manual, other]);
    expect(deleted).toEqual(["of_m"]);
    expect(kept).toEqual([other]);
    expect(ended.results.get("of_o")).toEqual({ state: "kept", reason: "A borrower is taking it" });
    expect(ended.failures).toEqual([]);
  });

  test("does nothing when the user cancels in the wallet", async () => {
    const fetch = server({});
    setMessageSigner(async () => {
      throw new SignatureCancelled();
    });
    const { ended, deleted } = await run([instant, manual]);
    expect(ended.isCancelled).toBe(true);
    expect(deleted).toEqual([]);
    expect(fetch.mock.calls.map(([path]) => path)).toEqual(["/api/v1/account/nonce"]);
  });

  test("continues with the manual ones when the instant ones fail", async () => {
    server({ manual: () => results({ of_m: true }) });
    const { ended, deleted, kept } = await run([instant, manual], { ...config, vaultSignerId: null });
    expect(deleted).toEqual(["of_m"]);
    expect(kept).toEqual([instant]);
    expect(ended.failures).toEqual([
      { title: "Batch operation failed", detail: "Vault canister hash not configured" },
    ]);
  });

  test("keeps manual offers in place when the server cannot be reached", async () => {
    server({ manual: () => Response.json({ title: "Down" }, { status: 503 }) });
    const { ended, kept } = await run([manual]);
    expect(kept).toEqual([manual]);
    expect(ended.failures[0]?.title).toBe("Error deleting manual offers");
  });
});
