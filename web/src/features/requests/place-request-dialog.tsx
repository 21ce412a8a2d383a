import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { type Collection, decimalsOf, unitOf } from "@/shared/api/collection";
import { configQuery, type ServerConfig } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import { ownCollateralQuery } from "@/shared/api/own-collateral";
import { InscriptionPicker } from "@/shared/collateral/inscription-picker";
import { useMarket } from "@/shared/feed/use-feed";
import { typedAmount } from "@/shared/format/btc-amount";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc, formatBtcExact } from "@/shared/format/sats";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { ConnectButton } from "@/shared/session/connect-button";
import { type Session, useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { EmptyState } from "@/shared/ui/empty-state";
import { GOOD_FOR_CHOICES } from "@/shared/ui/good-until";
import { Field, Input } from "@/shared/ui/input";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { Segmented } from "@/shared/ui/segmented";
import { Btc, FooterTotal, SumLine, SumLines } from "@/shared/ui/sum-lines";
import { useVerification } from "@/shared/verification/use-verification";
import { placeRequest } from "./place-request";
import {
  fillableTerms,
  newRequestDraft,
  pledgedRaw,
  type RequestDraft,
  requestError,
  requestFigures,
  requestOf,
  termsOf,
} from "./request-draft";

const DAY_S = 86_400;

/** Asks lenders for a loan against the user's own collateral. */
export function PlaceRequestDialog({ groupId, onClose }: { groupId: string | null; onClose: () => void }) {
  const session = useSession((state) => state.session);
  const market = useMarket().data;
  const config = useQuery(configQuery);
  const collateral = useQuery({ ...ownCollateralQuery(session?.userId ?? ""), enabled: session !== null });
  const [chosen, setChosen] = useState<string | null>(groupId);
  const rows = market === null ? [] : [...market.values()].filter(({ isLendingAllowed }) => isLendingAllowed);
  const held = new Set([
    ...(collateral.data?.inscriptions.map(({ collectionId }) => collectionId) ?? []),
    ...rows
      .filter(({ runeId }) => collateral.data?.runes.some((rune) => rune.runeId === runeId))
      .map(({ id }) => id),
  ]);
  const first = rows.find(({ id }) => held.has(id)) ?? rows[0];
  const row = rows.find(({ id }) => id === chosen) ?? first;
  const isLoading =
    market === null || config.isPending || (groupId === null && session !== null && collateral.isPending);
  if (!row || !config.data || isLoading) {
    return (
      <Modal open onClose={onClose} title="Request a loan">
        {isLoading ? (
          <div className="px-5 py-4">
            <p className="sr-only">Loading your collateral</p>
            <div aria-hidden className="h-40 animate-shimmer rounded-card border border-line bg-raised" />
          </div>
        ) : config.error ? (
          <EmptyState title="The limits of requests could not be loaded">{config.error.message}</EmptyState>
        ) : (
          <EmptyState title="No collection takes offers now" />
        )}
      </Modal>
    );
  }
  // Stays while the form is filled in, although the wallet may receive other collateral meanwhile.
  if (chosen === null) setChosen(row.id);
  const sorted = rows.toSorted(
    (one, other) =>
      Number(held.has(other.id)) - Number(held.has(one.id)) ||
      one.collectionName.localeCompare(other.collectionName),
  );
  return (
    <RequestForm
      key={row.id}
      row={row}
      session={session}
      limits={config.data.limits}
      collateral={collateral.data ?? null}
      error={collateral.error?.message ?? null}
      selector={
        groupId === null && (
          <ChoiceMenu
            label="Collection"
            value={row.id}
            choices={sorted.map(({ id, collectionName }) => ({
              value: id,
              label: withoutBundleNumber(collectionName),
            }))}
            onChange={setChosen}
            className="max-md:h-10!"
          />
        )
      }
      onClose={onClose}
    />
  );
}

interface RequestFormProps {
  row: Collection;
  session: Session | null;
  limits: ServerConfig["limits"];
  collateral: Parameters<typeof InscriptionPicker>[0]["collateral"];
  error: string | null;
  selector: React.ReactNode;
  onClose: () => void;
}

function RequestForm({ row, session, limits, collateral, error, selector, onClose }: RequestFormProps) {
  const [draft, setDraft] = useState<RequestDraft>(() => newRequestDraft(row));
  const [isBusy, setIsBusy] = useState(false);
  const { verify, dialog } = useVerification();
  const formId = useId();
  const current = { ...draft, row };
  const change = (part: Partial<RequestDraft>) => setDraft((before) => ({ ...before, ...part }));
  const figures = requestFigures(current);
  const problem = requestError(current, minSatsOf(row, limits));
  const terms = termsOf(row);
  const pledged = pledgedRaw(current);
  const isInscription = row.collateralType === "inscription";

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
        {isInscription ? (
          session && (
            <InscriptionPicker
              row={row}
              collateral={collateral}
              error={error}
              chosen={draft.inscriptionId === null ? [] : [draft.inscriptionId]}
              taken={null}
              max={1}
              disabled={isBusy}
              onToggle={(inscriptionId) => change({ inscriptionId })}
              problem={null}
            />
          )
        ) : (
          <TokenField draft={current} disabled={isBusy} onChange={(tokenText) => change({ tokenText })} />
        )}
        <div className="grid gap-x-4 gap-y-1 md:grid-cols-2">
          <Field
            label="Principal"
            hint={
              figures.ltvBps === null ? bestText(row) : `LTV ${formatPercentFixed(figures.ltvBps / 100, 2)}`
            }
          >
            {(ids) => (
              <Input
                {...ids}
                numeric
                placeholder="0.00000"
                value={draft.principalText}
                disabled={isBusy}
                onChange={(event) =>
                  change({
                    principalText: typedAmount(draft.principalText, event.target.value, limits.maxOfferSats),
                  })
                }
                trailing="BTC"
              />
            )}
          </Field>
          <Field label="Interest at most, for the whole term" hint={interestText(row)}>
            {(ids) => (
              <Input
                {...ids}
                numeric
                value={draft.interestText}
                disabled={isBusy}
                onChange={(event) => change({ interestText: event.target.value.replace(",", ".") })}
                trailing="%"
              />
            )}
          </Field>
        </div>
        <div className="flex flex-wrap gap-2">
          <ChoiceMenu
            label="At least"
            value={String(draft.termMinDays)}
            choices={terms.map((days) => ({ value: String(days), label: `${days} days` }))}
            onChange={(days) =>
              change({ termMinDays: Number(days), termMaxDays: Math.max(Number(days), draft.termMaxDays) })
            }
            className="max-md:h-10!"
          />
          <ChoiceMenu
            label="At most"
            value={String(draft.termMaxDays)}
            choices={terms.map((days) => ({ value: String(days), label: `${days} days` }))}
            onChange={(days) =>
              change({ termMaxDays: Number(days), termMinDays: Math.min(Number(days), draft.termMinDays) })
            }
            className="max-md:h-10!"
          />
        </div>
        <div className="flex flex-col gap-1">
          <span aria-hidden className="text-xs text-soft">
            Good for
          </span>
          <Segmented
            label="Good for"
            value={String(draft.goodForDays)}
            choices={GOOD_FOR_CHOICES.map((days) => ({
              value: String(days),
              label: days === 1 ? "1 day" : `${days} days`,
              disabled: isBusy,
            }))}
            onChange={(days) => change({ goodForDays: Number(days) })}
            className="w-full"
          />
        </div>
        <SumLines>
          {!isInscription && (
            <SumLine label="You pledge">
              {pledged === null ? "–" : `${formatTokenAmount(pledged, decimalsOf(row))} ${unitOf(row)}`}
            </SumLine>
          )}
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
            {problem}.
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

function TokenField({
  draft,
  disabled,
  onChange,
}: {
  draft: RequestDraft;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const { row } = draft;
  const bundles = row.subCollections
    .map(({ bundleSize }) => bundleSize)
    .filter((size) => size !== null)
    .map((size) => formatTokenAmount(size, decimalsOf(row)));
  const isOpen = row.subCollections.some(({ bundleSize }) => bundleSize === null);
  return (
    <Field
      label={`${unitOf(row)} to pledge`}
      hint={
        bundles.length === 0
          ? "Any amount."
          : `${[...new Set(bundles)].join(", ")}${isOpen ? ", or any other amount for instant loans" : ""}.`
      }
    >
      {(ids) => (
        <Input
          {...ids}
          numeric
          placeholder="0"
          value={draft.tokenText}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** The smallest principal that any offer of the collection may have. */
function minSatsOf({ collateralType }: Collection, limits: ServerConfig["limits"]): bigint {
  const { minOfferSats } = limits;
  const manual = minOfferSats[collateralType];
  return collateralType === "rune" && minOfferSats.instantRune < manual ? minOfferSats.instantRune : manual;
}

function priceText({ floor }: Collection): string {
  return floor === null ? "" : `, floor ${formatBtc(floor)} BTC`;
}

/** The best offer now, for comparison. */
function bestText({ manual, instant }: Collection): string {
  const best = [manual?.bestOffer, instant?.bestOffer].filter((sats) => sats != null);
  const most = best.reduce<bigint>((one, other) => (other > one ? other : one), 0n);
  return most === 0n ? "No offers now" : `Best offer now ${formatBtc(most)} BTC`;
}

function interestText({ subCollections }: Collection): string {
  const interests = subCollections.map(({ interest }) => interest);
  const [low, high] = [Math.min(...interests), Math.max(...interests)];
  return low === high
    ? `Now ${formatPercent(low)}`
    : `Now ${formatPercent(low)} to ${formatPercent(high)}, by term`;
}

function fitText(draft: RequestDraft): string {
  const fitting = fillableTerms(draft);
  if (fitting.length === 0) return "none";
  const texts = fitting.map(({ term, interest }) => `${term} days at ${formatPercent(interest)}`);
  return [...new Set(texts)].join(", ");
}
