import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Collection } from "@/shared/api/collection";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatBtcPaid } from "@/shared/format/sats";
import { BorrowWarning } from "@/shared/halts/borrow-warning";
import { useNewLoansHalted } from "@/shared/halts/use-new-loans-halted";
import { useSession } from "@/shared/session/session-store";
import { LoanStarted } from "@/shared/signing/loan-started";
import {
  INSTANT_ESTIMATE_S,
  MANUAL_ESTIMATE_S,
  SigningProgress,
  signStepLabel,
} from "@/shared/signing/signing-progress";
import { SigningSummary } from "@/shared/signing/signing-summary";
import { Button, buttonClass } from "@/shared/ui/button";
import { CollectionImage } from "@/shared/ui/collection-image";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { isRefused, useVerdicts } from "@/shared/verifier/use-verdicts";
import { borrowFacts } from "./borrow-facts";
import type { PreparedLoan } from "./prepared-loan";
import type { BorrowPhase, useBorrowRun } from "./use-borrow-run";

interface BorrowFrameProps {
  row: Collection;
  process: "manual" | "instant";
  run: ReturnType<typeof useBorrowRun>;
  description?: ReactNode;
  /**
   * The reason why the offer cannot be taken, and an alternative; shown in the review of a loan that ended
   * meanwhile.
   */
  instead: ReactNode;
  /** The sum now, where a principal has followed the floor since the review began; null otherwise. */
  repricedSats?: bigint | null;
  /** Prepares the reviewed loans again. */
  onRenew?: () => void;
  /** The inputs, and the buttons below them. */
  form: ReactNode;
  formFooter: ReactNode;
  onClose: () => void;
}

/** The dialog of a loan: inputs, review, signing, result. */
export function BorrowFrame({
  row,
  process,
  run,
  description,
  instead,
  repricedSats = null,
  onRenew,
  form,
  formFooter,
  onClose,
}: BorrowFrameProps) {
  const { phase } = run;
  const changed = repricedSats !== null && onRenew ? { sats: repricedSats, onRenew } : null;
  return (
    <Modal
      open
      onClose={onClose}
      busy={run.isBusy}
      title={
        <span className="flex items-center gap-3">
          <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
          <span className="truncate">{withoutBundleNumber(row.collectionName)}</span>
        </span>
      }
      description={DESCRIPTION[phase.name] ?? description}
      footer={<Footer phase={phase} formFooter={formFooter} run={run} changed={changed} onClose={onClose} />}
    >
      {BEFORE_SIGNATURE.has(phase.name) && (
        <div className="px-5 pt-4 empty:hidden">
          <BorrowWarning />
        </div>
      )}
      {phase.name === "form" || phase.name === "preparing" ? (
        form
      ) : run.isEnded ? (
        <div className="px-5 py-4">{instead}</div>
      ) : (
        <>
          {phase.name === "review" && changed && <Repriced sats={changed.sats} />}
          <Stage row={row} phase={phase} process={process} onClose={onClose} />
        </>
      )}
      {run.verification}
    </Modal>
  );
}

/** The phases in which a halt of new loans ends the attempt. */
const BEFORE_SIGNATURE: ReadonlySet<BorrowPhase["name"]> = new Set(["form", "preparing", "review"]);

/** Text under the title after the form. */
const DESCRIPTION: Partial<Record<BorrowPhase["name"], string>> = {
  review: "Read this before you sign",
  signing: "Your wallet asks you to sign",
  started: "Instant loan",
  accepted: "Manual loan",
  unsuccessful: "Manual loan",
};

function principalOf(loans: readonly PreparedLoan[]): bigint {
  return loans.reduce((total, { principalSats }) => total + principalSats, 0n);
}

/** The offers lend another sum than the reviewed one, so the server would refuse the signature. */
function Repriced({ sats }: { sats: bigint }) {
  return (
    <p role="alert" className="mx-5 mt-4 rounded-control bg-warn-tint px-3 py-2 text-sm text-warn">
      The price has moved: the principal is {formatBtcPaid(sats)} BTC now. Review it again before you sign.
    </p>
  );
}

function Footer({
  phase,
  formFooter,
  run,
  changed,
  onClose,
}: {
  phase: BorrowPhase;
  formFooter: ReactNode;
  run: BorrowFrameProps["run"];
  changed: { sats: bigint; onRenew: () => void } | null;
  onClose: () => void;
}) {
  const isHalted = useNewLoansHalted();
  const verdicts = useVerdicts(phase.name === "review" ? phase.loans.map(({ question }) => question) : []);
  if (phase.name === "form" || phase.name === "preparing") return formFooter;
  if (phase.name === "review") {
    return (
      <div className="flex justify-end gap-2">
        <Button onClick={() => void run.reset()}>Back</Button>
        {!run.isEnded &&
          (changed ? (
            <Button variant="primary" onClick={changed.onRenew}>
              Review {formatBtcPaid(changed.sats)} BTC
            </Button>
          ) : (
            <Button
              variant="primary"
              disabled={isHalted || isRefused(verdicts)}
              onClick={() => void run.sign()}
            >
              Sign and borrow {formatBtcPaid(principalOf(phase.loans))} BTC
            </Button>
          ))}
      </div>
    );
  }
  if (phase.name === "signing") {
    return (
      <div className="flex justify-end gap-2">
        <Button disabled>Cancel</Button>
        <Button variant="primary" disabled>
          {phase.step === "signature" ? "Please sign with wallet..." : "Loading..."}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex justify-end gap-2">
      {phase.name === "unsuccessful" && <Button onClick={() => void run.reset()}>Try again</Button>}
      <Button onClick={onClose}>Close</Button>
    </div>
  );
}

function Stage({
  row,
  phase,
  process,
  onClose,
}: {
  row: Collection;
  phase: Exclude<BorrowPhase, { name: "form" | "preparing" }>;
  process: "manual" | "instant";
  onClose: () => void;
}) {
  switch (phase.name) {
    case "review":
      return (
        <Review
          loans={phase.loans}
          failed={phase.failed}
          process={process}
          collateralType={row.collateralType}
        />
      );
    case "signing":
      return <Signing phase={phase} process={process} />;
    case "started":
      return (
        <LoanStarted transactionId={phase.transactionId} onClose={onClose}>
          The bitcoin arrives, and the term begins, with the transaction's first confirmation. Your loan kit
          is in the portfolio. Keep it: with it you can repay without this site.
        </LoanStarted>
      );
    case "accepted":
      return <Accepted accepted={phase.accepted} failed={phase.failed} onClose={onClose} />;
    case "unsuccessful":
      return (
        <EmptyState title="Unsuccessful">
          None of {phase.of} offers could be accepted. Nothing left your wallet, and nothing is reserved any
          more. Choose again from the updated offers.
        </EmptyState>
      );
  }
}

function Review({
  loans,
  failed,
  process,
  collateralType,
}: {
  loans: PreparedLoan[];
  failed: number;
  process: "manual" | "instant";
  collateralType: Collection["collateralType"];
}) {
  const session = useSession((state) => state.session);
  if (!session) return <EmptyState title="Not signed in">Please sign in: your session has ended.</EmptyState>;
  return (
    <div className="flex flex-col gap-3 px-5 py-4">
      {failed > 0 && (
        <p className="rounded-control bg-warn-tint px-3 py-2 text-sm text-warn">
          {failed} of {failed + loans.length} offers could not be taken and are left out.
        </p>
      )}
      <SigningSummary
        facts={borrowFacts(process, loans, session, collateralType)}
        transactions={loans.flatMap(({ transactions }) => transactions)}
        questions={loans.map(({ question }) => question)}
      />
    </div>
  );
}

function Signing({
  phase,
  process,
}: {
  phase: Extract<BorrowPhase, { name: "signing" }>;
  process: "manual" | "instant";
}) {
  const { position, of, signature, signatures } = phase.at;
  const steps = [
    { id: "prepare", label: "Prepare the loan" },
    { id: "signature", label: signStepLabel(signature, signatures) },
    { id: "sending", label: "Submit the signature" },
  ] as const;
  return (
    <div className="px-5 py-4">
      {of > 1 && (
        <p className="mb-2 text-sm text-soft">
          Offer {position} of {of}
        </p>
      )}
      <SigningProgress
        steps={steps}
        current={phase.step}
        estimateS={process === "manual" ? MANUAL_ESTIMATE_S : INSTANT_ESTIMATE_S}
      />
    </div>
  );
}

function Accepted({ accepted, failed, onClose }: { accepted: number; failed: number; onClose: () => void }) {
  const isOne = accepted === 1;
  return (
    <EmptyState
      title={failed === 0 ? "Success" : `${accepted} of ${accepted + failed} offers accepted`}
      action={
        <Link to="/portfolio" onClick={onClose} className={buttonClass({ variant: "primary" })}>
          View portfolio
        </Link>
      }
    >
      {isOne ? "The lender must counter-sign" : "The lenders must counter-sign"} within 12 hours. Until then
      nothing leaves your wallet, and you can cancel in the portfolio. You will be notified when the loan
      starts.
    </EmptyState>
  );
}
