import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { isSeveral } from "@/shared/api/pledge";
import { useFeeDecision } from "@/shared/chain/fee-decision";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { useMarket, useMe } from "@/shared/feed/use-feed";
import { formatMoment } from "@/shared/format/age";
import { formatPercent } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { CounterOfferEntry } from "@/shared/negotiations/counter-offer-entry";
import { ActionDialog } from "@/shared/signing/action-dialog";
import { MANUAL_ESTIMATE_S } from "@/shared/signing/signing-progress";
import { Segmented } from "@/shared/ui/segmented";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";
import type { LoanActionProps } from "./loan-action-props";
import { allCollateral, collateralText } from "./loan-collateral";
import { type ExtensionTerm, extensionTerms } from "./loan-extension";
import { prepareExtension } from "./loan-signing";

/** Requests an extension from the lender of a manual loan. */
export function ExtendDialog({ loan, session, onClose }: LoanActionProps) {
  const row = useMarket().data?.get(loan.groupId);
  const negotiations = useMe().data?.negotiations;
  const terms = extensionTerms(loan, row, negotiations?.values() ?? []);
  const { data: config } = useQuery(configQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const { choice, setChoice, feeRate } = useFeeDecision();
  const term = terms.find((each) => keyOf(each) === chosen) ?? preferred(terms, loan.term);
  return (
    <ActionDialog
      title={`Extend ${loan.collectionName}`}
      description={collateralText(loan)}
      prepare={
        feeRate === null || !term || !config
          ? null
          : () =>
              prepareExtension(
                loan,
                session,
                { termDays: term.days, negotiationId: term.negotiationId, feeRate },
                config.network,
              )
      }
      estimateS={MANUAL_ESTIMATE_S}
      sent={{
        title: "Extension requested",
        next: "The lender has 12 hours to agree. Until then this loan continues unchanged, and its due date still applies.",
      }}
      onClose={onClose}
    >
      {terms.length > 1 && (
        <Segmented
          label="New term"
          value={term ? keyOf(term) : ""}
          choices={terms.map((each) => ({ value: keyOf(each), label: labelOf(each) }))}
          onChange={setChosen}
          className="w-full flex-wrap"
        />
      )}
      {term && (
        <SumLines>
          <SumLine label="You pay when the lender agrees">
            <Btc>{formatBtc(loan.interestSats, 8)}</Btc>
          </SumLine>
          <SumLine label={`Interest of the next term, ${formatPercent(term.interest)}`}>
            <Btc>{formatBtc(term.interestSats, 8)}</Btc>
          </SumLine>
          <SumLine label="You repay at the end" strong>
            <Btc>{formatBtc(loan.principal + term.interestSats, 8)}</Btc>
          </SumLine>
          <SumLine label="Due">
            {formatMoment(loan.dueAt ?? loan.claimAfter)}, then {formatMoment(term.dueAt)}
          </SumLine>
        </SumLines>
      )}
      {row && (
        <CounterOfferEntry subject={{ kind: "loan", loan }} row={row} disabled={false} onSent={onClose} />
      )}
      <FeeRatePicker choice={choice} onChange={setChoice} />
      <p className="text-xs text-muted">
        The principal stays lent, and {allCollateral(loan)} {isSeveral(loan) ? "move" : "moves"} to an escrow
        with the later date. The lender has to sign too.
      </p>
    </ActionDialog>
  );
}

function keyOf({ days, negotiationId }: ExtensionTerm): string {
  return negotiationId ?? String(days);
}

function labelOf({ days, interest, negotiationId }: ExtensionTerm): string {
  return negotiationId === null ? `${days} days` : `${days} days at ${formatPercent(interest)}, agreed`;
}

/** What is chosen at first: agreed terms, else the loan's own term. */
function preferred(terms: readonly ExtensionTerm[], ownDays: number): ExtensionTerm | undefined {
  const agreed = terms.find(({ negotiationId }) => negotiationId !== null);
  return agreed ?? terms.find(({ days }) => days === ownDays) ?? terms[0];
}
