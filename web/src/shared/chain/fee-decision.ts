import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { chainQuery } from "./chain-status";
import { FASTEST, type FeeChoice, feeRateOf, type RateBounds } from "./fee-rate";

interface FeeDecision {
  choice: FeeChoice;
  setChoice: (choice: FeeChoice) => void;
  /** Null without a valid choice. */
  feeRate: number | null;
}

/** The user's choice of a fee rate. */
export function useFeeDecision(bounds?: RateBounds): FeeDecision {
  const [choice, setChoice] = useState<FeeChoice>(FASTEST);
  const { data: chain } = useQuery(chainQuery);
  return { choice, setChoice, feeRate: feeRateOf(choice, chain, bounds) };
}
