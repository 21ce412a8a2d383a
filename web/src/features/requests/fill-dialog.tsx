import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Collection, ProcessType, SubCollection } from "@/shared/api/collection";
import { configQuery, type Limits } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import { bpsOf, loanFigures } from "@/shared/api/loan-figures";
import { pledgeText } from "@/shared/collateral/pledge-text";
import { PledgedInscriptions } from "@/shared/collateral/pledged-inscriptions";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { useRequests } from "@/shared/feed/use-feed";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatApy, formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc, formatBtcExact } from "@/shared/format/sats";
import { CounterOfferEntry } from "@/shared/negotiations/counter-offer-entry";
import { fittingTerms, requestLtvBps } from "@/shared/requests/request-ladder";
import { ConnectButton } from "@/shared/session/connect-button";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { Field, Input } from "@/shared/ui/input";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { Modal } from "@/shared/ui/modal";
import { Notice } from "@/shared/ui/notice";
import { notify } from "@/shared/ui/notify";
import { Segmented } from "@/shared/ui/segmented";
import { Btc, FooterTotal, SumLine, SumLines } from "@/shared/ui/sum-lines";
import { useLenderConfig } from "@/shared/vault/use-lender-config";
import { useVault } from "@/shared/vault/use-vault";
import { VaultButton } from "@/shared/vault/vault-button";
import { useVerification } from "@/shared/verification/use-verification";
import { fillRequest } from "./fill-request";

/** The hours that a borrower can be given to sign. */
const HOURS = [1, 12, 24, 72];

/** Fills a borrower's request, from the lender's wallet or vault. */
export function FillDialog({
  asked,
  row,
  onClose,
}: {
  asked: BorrowRequest;
  row: Collection;
  onClose: () => void;
}) {
  const live = useRequests().data?.get(asked.requestId);
  const session = useSession((state) => state.session);
  const vault = useVault();
  const { data: config, error: configError } = useQuery(configQuery);
  const lenderConfig = useLenderConfig();
  const limits = config?.limits;
  const { VaultDialog } = useAppDialogs();
  const [isVaultOpen, setIsVaultOpen] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const { verify, dialog } = useVerification();

  const fitting = fittingTerms(asked, row);
  const processes = (["manual", "instant"] as const).filter((each) => fitting.some((term) => term[each]));
  const [process, setProcess] = useState<ProcessType>(processes[0] ?? "manual");
  const terms = fitting.filter((term) => term[process]);
  const [termId, setTermId] = useState<string | null>(null);
  const term = terms.find(({ id }) => id === termId) ?? best(terms);
  const [hours, setHours] = useState(12);
  const ltvBps = requestLtvBps(asked, row);
  const [ownLtvText, setOwnLtvText] = useState<string | null>(null);
  const ltvText = ownLtvText ?? (limits ? String(defaultMaxLtv(ltvBps, limits)) : "");
  const ltvMax = /^\d{1,2}$/.test(ltvText) ? Number(ltvText) * 100 : null;

  const isOpen = live?.state === "open";
  const isShort = process === "instant" && vault.status === "open" && vault.usableSats < asked.principalSats;
  const problem = problemOf();
  const figures = term
    ? loanFigures(
        asked.principalSats,
        { interestBps: bpsOf(term.interest), termDays: term.term },
        config?.platformFee ?? null,
      )
    : null;

  function problemOf(): string | null {
    if (!isOpen) return "The request is no longer open";
    if (session?.userId === asked.borrowerId) return "This is your own request";
    if (!term) return "No term of this collection fits the request now";
    if (ltvBps === null) return "The price of this collection is not known yet";
    if (process === "manual") return null;
    if (!limits) return configError?.message ?? "Loading the limits of offers";
    if (ltvMax === null || ltvMax === 0 || ltvMax > bpsOf(limits.maxLtv))
      return `Enter a max LTV of 1 to ${limits.maxLtv}%`;
    if (ltvMax < ltvBps) return `Below current LTV of ${formatPercent(ltvBps / 100)}`;
    const gapBps = term.bundleSize === null ? bpsOf(limits.minLtvGap) : 0;
    if (ltvMax < Math.min(ltvBps + gapBps, bpsOf(limits.maxLtv))) {
      return `The max LTV must be ${formatPercent(gapBps / 100)} above the current LTV`;
    }
    return isShort ? "Insufficient vault balance" : null;
  }

  async function submit() {
    if (!session || !term || problem !== null || isBusy) return;
    const signerId = lenderConfig?.vaultSignerId ?? null;
    if (process === "instant" && (signerId === null || ltvMax === null)) return;
    setIsBusy(true);
    try {
      const fromVault = process === "instant" ? { signerId: signerId ?? "", ltvMax: ltvMax ?? 0 } : null;
      await fillRequest({ asked, term, hours, vault: fromVault }, session, verify);
      notify.success("Request filled", "The borrower has been notified and is to sign.");
      onClose();
    } catch (reason) {
      notify.error("The request could not be filled", errorText(reason));
      setIsBusy(false);
    }
  }

  const needsVault = process === "instant" && vault.status !== "open" && vault.status !== "pending";
  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Fill a request"
      description={`${withoutBundleNumber(row.collectionName)}, ${pledgeText(asked, row)}`}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          {figures && <FooterTotal label="You lend">{formatBtcExact(figures.principalSats)} BTC</FooterTotal>}
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          {!session ? (
            <ConnectButton />
          ) : needsVault || isShort ? (
            <VaultButton variant="primary" onOpen={() => setIsVaultOpen(true)} />
          ) : (
            <Button variant="primary" disabled={problem !== null || isBusy} onClick={() => void submit()}>
              {isBusy ? "Processing" : process === "instant" ? "Sign and fill" : "Fill request"}
            </Button>
          )}
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        {live && live.state === "filled" && (
          <Notice title="Another lender has filled this request">
            It is open again if the borrower cannot take that offer.
          </Notice>
        )}
        <PledgedInscriptions row={row} inscriptionIds={asked.inscriptionIds} />
        <div className="flex flex-wrap gap-2">
          <Segmented
            label="Offer type"
            value={process}
            choices={(["manual", "instant"] as const).map((value) => ({
              value,
              label: value === "manual" ? "From your wallet" : "From your vault",
              disabled: isBusy || !processes.includes(value),
            }))}
            onChange={setProcess}
            className="max-md:w-full"
          />
          {term && (
            <ChoiceMenu
              label="Term"
              value={term.id}
              choices={terms.map(({ id, term: days, interest }) => ({
                value: id,
                label: `${days} days at ${formatPercent(interest)}`,
              }))}
              onChange={setTermId}
              className="max-md:h-10!"
            />
          )}
        </div>
        {session?.userId !== asked.borrowerId && (
          <CounterOfferEntry
            subject={{ kind: "request", asked }}
            row={row}
            disabled={isBusy || !isOpen}
            onSent={onClose}
          />
        )}
        <LabelledChoice
          label="The borrower can sign for"
          value={String(hours)}
          choices={HOURS.map((value) => ({
            value: String(value),
            label: value === 1 ? "1 hour" : `${value} hours`,
          }))}
          disabled={isBusy}
          onChange={(value) => setHours(Number(value))}
        />
        {process === "instant" && (
          <Field label="Max LTV" hint="The offer pauses above it, until the borrower has signed.">
            {(ids) => (
              <Input
                {...ids}
                numeric
                value={ltvText}
                disabled={isBusy || !limits}
                onChange={(event) => setOwnLtvText(event.target.value)}
                trailing="%"
              />
            )}
          </Field>
        )}
        {figures && (
          <SumLines>
            <SumLine label="You lend">
              <Btc>{formatBtc(figures.principalSats, 8)}</Btc>
            </SumLine>
            {figures.platformFeeSats > 0n && (
              <SumLine label="Platform fee, at the start">
                <Btc>{formatBtc(figures.platformFeeSats, 8)}</Btc>
              </SumLine>
            )}
            <SumLine label="You are repaid" strong>
              <Btc>{formatBtc(figures.payoutSats, 8)}</Btc>
            </SumLine>
            <SumLine label="APY">{formatApy(figures.apy)}</SumLine>
            <SumLine label="LTV">{ltvBps === null ? "–" : formatPercentFixed(ltvBps / 100, 2)}</SumLine>
          </SumLines>
        )}
        {session && problem !== null && (
          <p role="status" className="text-sm text-soft">
            {problem}.
          </p>
        )}
        <p className="text-xs text-muted">
          {process === "manual"
            ? "Nothing leaves your wallet now. When the borrower has signed, you have 12 hours to counter-sign."
            : "When the borrower signs, your vault pays at once. The message that you sign names this borrower and the time: the vault signer lends to no other, and not later."}{" "}
          Not repaid within the term: you receive {pledgeText(asked, row)}.
        </p>
        {dialog}
        <VaultDialog open={isVaultOpen} onClose={() => setIsVaultOpen(false)} />
      </div>
    </Modal>
  );
}

/** The term with the highest yield for the lender. */
function best(terms: readonly SubCollection[]): SubCollection | undefined {
  return terms.toSorted((one, other) => other.apy - one.apy)[0];
}

function defaultMaxLtv(ltvBps: number | null, { maxLtv, defaultMaxLtvOffset }: Limits): number {
  const current = ltvBps === null ? 50 : Math.ceil(ltvBps / 100);
  return Math.min(maxLtv, current + defaultMaxLtvOffset);
}
