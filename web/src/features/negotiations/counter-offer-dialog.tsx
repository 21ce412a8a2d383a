import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { configQuery } from "@/shared/api/config";
import { type CounterOfferProps, type CounterOfferSubject, isExtension } from "@/shared/api/counter-offer";
import { errorText } from "@/shared/api/error-text";
import type { LoanRole } from "@/shared/api/loan";
import type { Pledge } from "@/shared/api/pledge";
import { pledgeRefusal } from "@/shared/collateral/pledge-refusal";
import { pledgeText } from "@/shared/collateral/pledge-text";
import { PledgedInscriptions } from "@/shared/collateral/pledged-inscriptions";
import { useMe } from "@/shared/feed/use-feed";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatBtcExact } from "@/shared/format/sats";
import { ConnectButton } from "@/shared/session/connect-button";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { FooterTotal } from "@/shared/ui/sum-lines";
import { useNow } from "@/shared/ui/use-now";
import { useVerification } from "@/shared/verification/use-verification";
import { ExtensionSums } from "./extension-sums";
import { sendCounterOffer } from "./negotiation-requests";
import { replacedText } from "./negotiation-view";
import { PledgeFields } from "./pledge-fields";
import {
  answeredTerms,
  choosesPledge,
  counterOfferOf,
  draftRaw,
  ltvOf,
  newTermsDraft,
  roleIn,
  type TermsDraft,
  termsError,
  termsOf,
} from "./terms-draft";
import { TermsFields } from "./terms-fields";
import { TermsSums } from "./terms-sums";

const TICK_MS = 10_000;

/** Proposes other terms than those of an offer, of a borrow request, or of the other side's latest proposal. */
export function CounterOfferDialog({ subject, row, onClose, onSent }: CounterOfferProps) {
  const session = useSession((state) => state.session);
  const { data: config, error } = useQuery(configQuery);
  const negotiations = useMe().data?.negotiations;
  const now = useNow(TICK_MS);
  const isExtended = isExtension(subject);
  const title = subject.kind === "loan" ? "Propose an extension" : "Make a counter-offer";
  const { verify, dialog } = useVerification();
  const formId = useId();
  const [draft, setDraft] = useState<TermsDraft>(() => newTermsDraft(subject, row));
  const [isBusy, setIsBusy] = useState(false);
  const change = (part: Partial<TermsDraft>) => setDraft((before) => ({ ...before, ...part }));
  if (!config) {
    return (
      <Modal open onClose={onClose} title={title}>
        {error ? (
          <EmptyState title="The limits of offers could not be loaded">{error.message}</EmptyState>
        ) : (
          <div className="px-5 py-4">
            <p className="sr-only">Loading the limits of offers</p>
            <div aria-hidden className="h-40 animate-shimmer rounded-card border border-line bg-raised" />
          </div>
        )}
      </Modal>
    );
  }

  const role = roleIn(subject);
  const raw = draftRaw(draft, subject, row);
  const terms = termsOf(draft);
  const isPledging = choosesPledge(subject, row);
  const problem = problemOf();

  function problemOf(): string | null {
    // The collateral of an extension is in escrow already.
    const refusal = role === "borrower" && !isExtended ? pledgeRefusal(session, row) : null;
    if (refusal !== null) return refusal.replace(/\.$/, "");
    const replaced =
      subject.kind === "proposal" ? replacedText(subject.negotiation, negotiations, now) : null;
    if (replaced !== null) return replaced;
    return config ? termsError(draft, subject, row, config.limits) : null;
  }

  async function submit() {
    const offered = counterOfferOf(draft, subject, row);
    if (!session || problem !== null || isBusy || offered === null) return;
    setIsBusy(true);
    try {
      await sendCounterOffer(subject, offered, verify);
      notify.success(
        "Counter-offer sent",
        `You get a notice when the ${role === "lender" ? "borrower" : "lender"} answers.`,
      );
      onClose();
      onSent?.();
    } catch (reason) {
      notify.error("The counter-offer could not be sent", errorText(reason));
      setIsBusy(false);
    }
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title={title}
      description={[withoutBundleNumber(row.collectionName), pledgeWords(subject)].filter(Boolean).join(", ")}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          {terms && !isExtended && (
            <FooterTotal label={role === "lender" ? "You lend" : "You receive"}>
              {formatBtcExact(terms.principalSats)} BTC
            </FooterTotal>
          )}
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          {session ? (
            <Button variant="primary" type="submit" form={formId} disabled={problem !== null || isBusy}>
              {isBusy ? "Sending" : "Send counter-offer"}
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
        // Events also reach the form of the dialog below, which is its parent in the tree of components.
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void submit();
        }}
        onKeyDown={(event) => event.key === "Enter" && event.stopPropagation()}
      >
        {session && isPledging && subject.kind === "offer" && (
          <PledgeFields
            offer={subject}
            row={row}
            draft={draft}
            session={session}
            disabled={isBusy}
            onChange={change}
          />
        )}
        <PledgedInscriptions row={row} inscriptionIds={pledgeOf(subject)?.inscriptionIds ?? []} />
        <TermsFields
          draft={draft}
          subject={subject}
          answered={answeredTerms(subject, raw)}
          limits={config.limits}
          disabled={isBusy}
          onChange={change}
        />
        {terms && isExtended && <ExtensionSums terms={terms} role={role} />}
        {terms && !isExtended && (
          <TermsSums terms={terms} role={role} ltvBps={ltvOf(terms.principalSats, raw, row)} />
        )}
        {session && problem !== null && (
          <p role="status" className="text-sm text-soft">
            {problem}.
          </p>
        )}
        <p className="text-xs text-muted">{consequences(subject)}</p>
        {dialog}
      </form>
    </Modal>
  );

  function pledgeWords(of: CounterOfferSubject): string | null {
    const known = pledgeOf(of);
    if (known) return pledgeText(known, row);
    if (of.kind !== "offer" || isPledging) return null;
    return pledgeText({ inscriptionIds: [], fungibleAmount: of.raw }, row);
  }
}

/** The collateral that a counter-offer is about; null about an offer, whose borrower chooses it. */
function pledgeOf(subject: CounterOfferSubject): Pledge | null {
  switch (subject.kind) {
    case "offer":
      return null;
    case "request":
      return subject.asked;
    case "proposal":
      return subject.negotiation;
    case "loan":
      return subject.loan;
  }
}

/** What a counter-offer leads to, and what it does not. */
function consequences(subject: CounterOfferSubject): string {
  if (isExtension(subject)) return extensionConsequences(roleIn(subject));
  const next =
    roleIn(subject) === "borrower"
      ? "If the lender accepts, you have 12 hours to sign the loan, and the lender counter-signs it."
      : "If the borrower accepts and signs, you have 12 hours to counter-sign the loan.";
  const meanwhile =
    subject.kind === "proposal"
      ? ""
      : ` Until then others can ${subject.kind === "offer" ? "take the offer" : "fill the request"}.`;
  return `Nothing is signed, pledged or lent now. ${next}${meanwhile}`;
}

function extensionConsequences(role: LoanRole): string {
  const next =
    role === "borrower"
      ? "If the lender accepts, you have 12 hours to sign the extension; with it you pay the interest of the running term, and the lender counter-signs."
      : "If the borrower accepts and signs, the interest of the running term is paid to you when you counter-sign.";
  return `Nothing is signed or paid now. ${next} Until then the loan continues unchanged, and its due date still applies.`;
}
