import type { Dispatch } from "react";
import type { Collection } from "@/shared/api/collection";
import type { OwnCollateral } from "@/shared/api/own-collateral";
import { InscriptionPicker } from "@/shared/collateral/inscription-picker";
import type { BorrowAction, BorrowDraft, BorrowSummary, DraftError } from "./borrow-draft";
import { DraftProblem } from "./draft-problem";
import type { PledgedTogether } from "./pledged-together";
import { TogetherPledge } from "./together-pledge";
import { TokenPledge } from "./token-pledge";

/** The collateral of offers that are taken whole: inscriptions, chosen or known, or bundles of a rune. */
export function OfferPledge({
  row,
  draft,
  summary,
  dispatch,
  collateral,
  error,
  balance,
  taken,
  together,
  togetherError,
  disabled,
  problem,
}: {
  row: Collection;
  draft: BorrowDraft;
  summary: BorrowSummary;
  dispatch: Dispatch<BorrowAction>;
  /** Null while the server looks it up. */
  collateral: OwnCollateral | null;
  error: string | null;
  /** Raw units of a rune in the wallet; null while unknown. */
  balance: bigint | null;
  /** The inscriptions that the offer takes; null if it takes any. */
  taken: ReadonlySet<string> | null;
  /** Those of an offer that takes several together; null while they are unknown. */
  together: PledgedTogether | null;
  togetherError: string | null;
  disabled: boolean;
  problem: DraftError | undefined;
}) {
  const collateralProblem = <DraftProblem error={problem} at="collateral" />;
  if (summary.inscriptionCount > 1) {
    return (
      <>
        <TogetherPledge
          row={row}
          count={summary.inscriptionCount}
          pledged={together}
          error={error ?? togetherError}
        />
        {collateralProblem}
      </>
    );
  }
  if (row.collateralType === "inscription") {
    return (
      <InscriptionPicker
        row={row}
        collateral={collateral}
        error={error}
        chosen={draft.inscriptionIds}
        taken={taken}
        max={Math.max(1, summary.countMax)}
        disabled={disabled}
        onToggle={(inscriptionId) => dispatch({ type: "inscriptionToggled", inscriptionId })}
        problem={collateralProblem}
      />
    );
  }
  return (
    <TokenPledge
      row={row}
      bundleRaw={summary.subCollection?.raw ?? null}
      balance={balance}
      count={draft.count}
      countMax={summary.countMax}
      disabled={disabled}
      onCount={(count) => dispatch({ type: "countSet", count })}
    />
  );
}
