import { type ReactNode, useId, useState } from "react";
import type { Collection } from "@/shared/api/collection";
import type { Limits } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import type { OwnCollateral } from "@/shared/api/own-collateral";
import { isSeveral } from "@/shared/api/pledge";
import { stillFree } from "@/shared/collateral/holdings";
import { pledgeRefusal } from "@/shared/collateral/pledge-refusal";
import { togetherText } from "@/shared/collateral/pledge-text";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatPercent } from "@/shared/format/percent";
import { formatBtc, formatBtcExact } from "@/shared/format/sats";
import { ConnectButton } from "@/shared/session/connect-button";
import type { Session } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { Btc, FooterTotal, SumLine, SumLines } from "@/shared/ui/sum-lines";
import { useVerification } from "@/shared/verification/use-verification";
import { placeRequest } from "./place-request";
import { PledgeField } from "./pledge-field";
import {
  enteredText,
  fillableTerms,
  newRequestDraft,
  type RequestDraft,
  requestError,
  requestFigures,
  requestOf,
} from "./request-draft";
import { TermsFields } from "./terms-fields";

const DAY_S = 86_400;

interface RequestFormProps {
  row: Collection;
  session: Session | null;
  limits: Limits;
  /** Null while the server looks it up. */
  collateral: OwnCollateral | null;
  /** The reason why the collateral could not be looked up. */
  error: string | null;
  /** The choice of the collection. */
  selector: ReactNode;
  onClose: () => void;
}

/** A request of one collection, to fill in and sign. */
export function RequestForm({
  row,
  session,
  limits,
  collateral,
  error,
  selector,
  onClose,
}: RequestFormProps) {
  const [draft, setDraft] = useState<RequestDraft>(() => newRequestDraft(row));
  const [isBusy, setIsBusy] = useState(false);
  const { verify, dialog } = useVerification();
  const formId = useId();
  // One that has left the wallet meanwhile, or secures another loan, is not pledged.
  const current = { ...draft, row, inscriptionIds: stillFree(draft.inscriptionIds, row, collateral) };
  const change = (part: Partial<RequestDraft>) => setDraft((before) => ({ ...before, ...part }));
  const figures = requestFigures(current);
  const missing = requestError(current, limits);
  const problem = pledgeRefusal(session, row) ?? (missing === null ? null : `${missing}.`);

  async function submit() {
    if (!session || problem !== null || isBusy) return;
    const asked = requestOf(current, Math.floor(Date.now() / 1_000) + draft.goodForDays * DAY_S);
    if (asked === null) return;
    setIsBusy(true);
    try {
      await placeRequest(asked, session, verify);
      notify.success("Request placed", "You get a notice when a lender fills it.");
      onClose();
    } catch (reason) {
      notify.error("The request could not be placed", errorText(reason));
      setIsBusy(false);
    }
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Request a loan"
      description={`${withoutBundleNumber(row.collectionName)}${priceText(row)}`}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          {figures.principalSats > 0n && (
            <FooterTotal label="You ask for">{formatBtcExact(figures.principalSats)} BTC</FooterTotal>
          )}
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          {session ? (
            <Button variant="primary" type="submit" form={formId} disabled={problem !== null || isBusy}>
              {isBusy ? "Waiting for signature" : "Sign request"}
            </Button>
          ) : (
            <ConnectButton />
          )}
        </div>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4 px-5 py-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {selector}
        <PledgeField
          draft={current}
          session={session}
          collateral={collateral}
          error={error}
          disabled={isBusy}
          onChange={change}
        />
        <TermsFields draft={current} limits={limits} disabled={isBusy} onChange={change} />
        <SumLines>
          <SumLine label="You pledge">{enteredText(current) ?? "–"}</SumLine>
          <SumLine label="You ask for">
            <Btc>{formatBtc(figures.principalSats, 8)}</Btc>
          </SumLine>
          <SumLine label="You repay at most" strong>
            {figures.payoutMaxSats === null ? "–" : <Btc>{formatBtc(figures.payoutMaxSats, 8)}</Btc>}
          </SumLine>
          <SumLine label="Terms that fit">{fitText(current)}</SumLine>
        </SumLines>
        {session && problem !== null && (
          <p role="status" className="text-sm text-soft">
            {problem}
          </p>
        )}
        {isSeveral(current) && (
          <p className="text-xs text-soft">
            {togetherText(current.inscriptionIds.length)} No other loan can refinance it.
          </p>
        )}
        <p className="text-xs text-muted">
          Your collateral stays in your wallet and is not reserved. When a lender fills the request you get a
          notice, and sign the loan before the lender's offer expires; the network fee is paid then, out of
          the loan. You can withdraw the request until it is filled.
        </p>
        {dialog}
      </form>
    </Modal>
  );
}

function priceText({ floor }: Collection): string {
  return floor === null ? "" : `, floor ${formatBtc(floor)} BTC`;
}

function fitText(draft: RequestDraft): string {
  const fitting = fillableTerms(draft);
  if (fitting.length === 0) return "none";
  const texts = fitting.map(({ term, interest }) => `${term} days at ${formatPercent(interest)}`);
  return [...new Set(texts)].join(", ");
}
