import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { signTransaction } from "@/shared/bitcoin/transaction-signer";
import { useMe } from "@/shared/feed/use-feed";
import type { Session } from "@/shared/session/session-store";
import { isLoanGone, offerRefusal } from "@/shared/signing/offer-refusal";
import { pendingReleasesDone, usePreparedHold } from "@/shared/signing/prepared-hold";
import { notify } from "@/shared/ui/notify";
import { useVerification } from "@/shared/verification/use-verification";
import { requireAgreement } from "@/shared/verifier/check-transactions";
import { cancelLoan, prepareLoan, submitLoan } from "./borrow-requests";
import {
  acceptAll,
  type BorrowPorts,
  cancelPrepared,
  isRepriced,
  prepareAll,
  type RunPosition,
} from "./borrow-run";
import { endedLoans, LOAN_END_TEXT } from "./ended-loans";
import type { BorrowRoute, LoanRequest, PreparedLoan } from "./prepared-loan";

/** The phases from a draft to a loan. */
export type BorrowPhase =
  | { name: "form" }
  | { name: "preparing" }
  /** The transactions to sign, for review. */
  | { name: "review"; loans: PreparedLoan[]; failed: number }
  | { name: "signing"; step: "signature" | "sending"; at: RunPosition }
  /** Instant: the loan's transaction is broadcast. */
  | { name: "started"; transactionId: string }
  /** Manual: `accepted` loans wait for their lenders. */
  | { name: "accepted"; accepted: number; failed: number }
  | { name: "unsuccessful"; of: number };

interface BorrowRun {
  phase: BorrowPhase;
  /**
   * The reason why the one requested or reviewed offer cannot be taken though another may be; null otherwise.
   */
  refusal: string | null;
  /** The reviewed loan cannot be signed any more, for the reason in `refusal`. */
  isEnded: boolean;
  /** Offers refused while the dialog is open. */
  refusedIds: ReadonlySet<string>;
  /** The verification that the server may demand; rendered next to the dialog. */
  verification: ReactNode;
  /** A request or signature is under way, so the dialog cannot be closed. */
  isBusy: boolean;
  prepare: (loanRequests: LoanRequest[], feeRate: number) => Promise<void>;
  sign: () => Promise<void>;
  /** Returns to the form; prepared loans are cancelled. */
  reset: () => Promise<void>;
}

/** Takes loans from a draft to the chain, or back to the form. */
export function useBorrowRun(
  route: BorrowRoute,
  session: Session | null,
  network: BitcoinNetwork | undefined,
  refreshOffers: () => void,
  isStillOffered: (offerId: string) => boolean = () => false,
): BorrowRun {
  const [phase, setPhase] = useState<BorrowPhase>({ name: "form" });
  const client = useQueryClient();
  const hold = usePreparedHold();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [refusedIds, setRefusedIds] = useState<ReadonlySet<string>>(new Set());
  const { verify, dialog: verification } = useVerification();

  function portsOf(signedIn: Session) {
    return {
      check: requireAgreement,
      sign: signTransaction,
      submit: (loan, signed) => submitLoan(route, loan, signed, signedIn),
      cancel: cancelLoan,
      notify,
      refreshOffers,
      isStillOffered,
    } satisfies Partial<BorrowPorts>;
  }

  /** Records an offer that cannot be taken, so that the alternative is shown. */
  function recordRefusal(error: unknown, { offerId }: LoanRequest, isOnly: boolean) {
    const reason =
      offerRefusal(error) ?? (isLoanGone(error) && error instanceof Error ? error.message : null);
    if (reason === null) return;
    setRefusedIds((known) => new Set([...known, offerId]));
    if (isOnly) setRefusal(reason);
  }

  const ownLoans = useMe().data?.loans;
  const isEnded = phase.name === "review" && refusal !== null;
  // The reviewed loan may end before it is signed; the feed reports it.
  useEffect(() => {
    if (phase.name !== "review" || isEnded || !ownLoans) return;
    const ended = endedLoans(phase.loans, ownLoans);
    const [first] = ended;
    if (!first) return;
    const taken = ended.flatMap(({ loan, end }) => (end === "taken" ? [loan.loanRequest.offerId] : []));
    setRefusedIds((known) => new Set([...known, ...taken]));
    const left = phase.loans.filter((loan) => ended.every((each) => each.loan !== loan));
    const failed = phase.failed + ended.length;
    hold.set(left.length > 0 ? () => cancelPrepared(left, { cancel: cancelLoan, refreshOffers }) : null);
    if (left.length > 0) setPhase({ name: "review", loans: left, failed });
    else if (failed > 1) setPhase({ name: "unsuccessful", of: failed });
    else setRefusal(LOAN_END_TEXT[first.end]);
  }, [phase, isEnded, ownLoans, hold, refreshOffers]);

  async function prepare(loanRequests: LoanRequest[], feeRate: number) {
    if (!session || !network) {
      notify.error("Please connect your wallet");
      return;
    }
    setPhase({ name: "preparing" });
    setRefusal(null);
    await pendingReleasesDone();
    const { loans, failed } = await prepareAll(route, loanRequests, {
      ...portsOf(session),
      prepare: (loanRequest) =>
        prepareLoan(route, loanRequest, feeRate, session, network, verify).catch((error: unknown) => {
          recordRefusal(error, loanRequest, loanRequests.length === 1);
          throw error;
        }),
    });
    hold.set(loans.length > 0 ? () => cancelPrepared(loans, portsOf(session)) : null);
    if (loans.length > 0) setPhase({ name: "review", loans, failed });
    else if (loanRequests.length > 1) {
      notify.error("Error accepting offers");
      setPhase({ name: "unsuccessful", of: loanRequests.length });
    } else setPhase({ name: "form" });
  }

  async function sign() {
    if (phase.name !== "review" || isEnded) return;
    if (!session) {
      // Prepared loans lapse by themselves: only their borrower could cancel them.
      notify.error("User not signed in", "Nothing was signed. Connect again, and choose once more.");
      setPhase({ name: "form" });
      return;
    }
    const { loans, failed } = phase;
    // From here on each loan is submitted or cancelled on its own.
    hold.set(null);
    const ports = portsOf(session);
    const submit: BorrowPorts["submit"] = (loan, signed) =>
      ports.submit(loan, signed).catch((error: unknown) => {
        if (!isRepriced(error, loan.loanRequest, ports))
          recordRefusal(error, loan.loanRequest, loans.length + failed === 1);
        throw error;
      });
    const result = await acceptAll(route, loans, { ...ports, submit }, (step, at) =>
      setPhase({ name: "signing", step, at }),
    );
    await client.invalidateQueries();
    const [transactionId] = result.accepted;
    const of = loans.length + failed;
    if (transactionId === undefined) {
      setPhase(of > 1 && !result.isCancelled ? { name: "unsuccessful", of } : { name: "form" });
    } else if (route.process === "instant") setPhase({ name: "started", transactionId });
    else setPhase({ name: "accepted", accepted: result.accepted.length, failed: failed + result.failed });
  }

  async function reset() {
    if (phase.name === "review" && !isEnded) setPhase({ name: "preparing" });
    await hold.release();
    setPhase({ name: "form" });
  }

  const isBusy = phase.name === "preparing" || phase.name === "signing";
  return { phase, refusal, isEnded, refusedIds, verification, isBusy, prepare, sign, reset };
}
