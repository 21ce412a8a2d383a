import { RequestProblem } from "@/shared/api/problem";
import type { ChainStatus } from "./chain-status";

/** So many blocks behind the node an indexer may be (SPEC section 9). */
const BEHIND_MAX = 2;

const PAUSED = "Borrowing, counter-signing, repaying, claiming and vault transfers are paused until";
const OFFERS = "Offers can still be made and cancelled.";

/** What the market is without just now, and what follows from that. */
export interface UpstreamTrouble {
  title: string;
  text: string;
}

/** What the answer to where the chain stands says of the node and the indexer; null when both are there. */
export function upstreamTrouble(chain: ChainStatus | undefined, error: Error | null): UpstreamTrouble | null {
  if (error instanceof RequestProblem && error.code === "node_unavailable") {
    return {
      title: "The Bitcoin node is not responding",
      text: `${PAUSED} it is back. ${OFFERS} Due dates still apply: with a loan kit you can repay through any other node.`,
    };
  }
  if (!chain || error) return null;
  const { height, indexerHeight } = chain;
  if (indexerHeight !== null && height - indexerHeight <= BEHIND_MAX) return null;
  if (indexerHeight === null) {
    return { title: "The indexer is not responding", text: `${PAUSED} it is back. ${OFFERS}` };
  }
  const behind = (height - indexerHeight).toLocaleString("en");
  return { title: `The indexer is ${behind} blocks behind`, text: `${PAUSED} it has caught up. ${OFFERS}` };
}
