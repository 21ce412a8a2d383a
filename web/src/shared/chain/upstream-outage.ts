import { RequestProblem } from "@/shared/api/problem";
import type { ChainStatus } from "./chain-status";

/** Number of blocks that an indexer may be behind the node. */
const BEHIND_MAX = 2;

const PAUSED = "Borrowing, counter-signing, repaying, claiming and vault transfers are paused until";
const OFFERS = "Offers can still be made and cancelled.";

/** An upstream that does not respond, and its consequence. */
export interface UpstreamOutage {
  title: string;
  text: string;
}

/** Reads an outage of the node or the indexer from the chain status; null when both respond. */
export function upstreamOutage(chain: ChainStatus | undefined, error: Error | null): UpstreamOutage | null {
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
