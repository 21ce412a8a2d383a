import { RequestProblem } from "@/shared/api/problem";
import type { ChainStatus } from "./chain-status";

/** So many blocks behind the node an indexer may be (SPEC section 9). */
const BEHIND_MAX = 2;

/** What the market is without just now, and what follows from that. */
export interface UpstreamTrouble {
  title: string;
  text: string;
}

/** What the answer to where the chain stands says of the node and the indexer; null when both are there. */
export function upstreamTrouble(chain: ChainStatus | undefined, error: Error | null): UpstreamTrouble | null {
  if (error instanceof RequestProblem && error.code === "node_unavailable") {
    return {
      title: "The Bitcoin node gives no answer",
      text: "Nothing can be borrowed, repaid or claimed here until it is back. Offers can be made and cancelled as ever. Due dates do not wait: a loan kit repays by any other node.",
    };
  }
  if (!chain || error) return null;
  const { height, indexerHeight } = chain;
  if (indexerHeight !== null && height - indexerHeight <= BEHIND_MAX) return null;
  return {
    title:
      indexerHeight === null
        ? "The indexer gives no answer"
        : `The indexer is ${(height - indexerHeight).toLocaleString("en")} blocks behind`,
    text: "What wallets hold cannot be looked up, so nothing can be pledged, repaid or claimed here until it is back. Offers can be made and cancelled as ever.",
  };
}
