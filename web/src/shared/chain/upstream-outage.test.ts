import { describe, expect, it } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import type { ChainStatus } from "./chain-status";
import { upstreamOutage } from "./upstream-outage";

const chain = (indexerHeight: number | null): ChainStatus => ({
  network: "regtest",
  height: 5_000,
  blockHash: "00",
  indexerHeight,
  medianTime: 0,
  feeRates: { fast: 12, halfHour: 8.5, hour: 4 },
  loanRatesMin: { instant: 6.8, manual: 2 },
});

const problem = (code: string, status: number) => new RequestProblem({ code, status, message: "no" });

describe("an upstream outage", () => {
  it("is none while node and indexer respond, or nothing is known", () => {
    expect(upstreamOutage(chain(5_000), null)).toBeNull();
    expect(upstreamOutage(chain(4_998), null)).toBeNull();
    expect(upstreamOutage(chain(5_001), null)).toBeNull();
    expect(upstreamOutage(undefined, null)).toBeNull();
    expect(upstreamOutage(chain(null), problem("network", 0))).toBeNull();
  });

  it("is of the node, the indexer, or the blocks that the indexer has not read", () => {
    const title = (...args: Parameters<typeof upstreamOutage>) => upstreamOutage(...args)?.title;
    expect(title(chain(5_000), problem("node_unavailable", 503))).toBe("The Bitcoin node is not responding");
    expect(title(undefined, problem("node_unavailable", 503))).toBe("The Bitcoin node is not responding");
    expect(title(chain(null), null)).toBe("The indexer is not responding");
    expect(title(chain(4_997), null)).toBe("The indexer is 3 blocks behind");
    expect(title(chain(0), null)).toBe("The indexer is 5,000 blocks behind");
  });
});
