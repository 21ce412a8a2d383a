import { CircleCheck } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { ExplorerLink } from "@/shared/chain/explorer-link";
import { useLoanRefresh } from "@/shared/loans/loan-refresh";
import { Button, buttonClass } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import type { Question } from "@/shared/verifier/question";
import { isRefused, useVerdicts } from "@/shared/verifier/use-verdicts";
import { pendingReleasesDone, usePreparedHold } from "./prepared-hold";
import {
  type ActionState,
  isBusy,
  isCancelled,
  type PreparedAction,
  prepareAction,
  releaseOf,
  signAndSend,
} from "./signing-action";
import { SigningProgress, signStepLabel } from "./signing-progress";
import { SigningSummary } from "./signing-summary";

/** The texts shown after success. */
export interface ResultText {
  title: string;
  next: string;
}

interface ActionDialogProps {
  title: ReactNode;
  description?: ReactNode;
  /** Asks the server for the transactions to sign; null while a decision is missing. */
  prepare: (() => Promise<PreparedAction>) | null;
  /** The inputs of the decision. Without them the server is asked at once. */
  children?: ReactNode;
  /** An alternative to the refused preparation. */
  next?: { text: string; prepare: () => Promise<PreparedAction> } | undefined;
  /**
   * URL of other offers, for when the one of a prepared loan is gone. Without it that is an error like any
   * other.
   */
  otherOffers?: string;
  /** The verification that the server may demand while it prepares. */
  verification?: ReactNode;
  estimateS: number;
  sent: ResultText;
  onClose: () => void;
}

/** Decide, review, sign, result: the same four steps for every action on a loan. */
export function ActionDialog({
  title,
  description,
  prepare,
  children,
  next,
  otherOffers,
  verification,
  estimateS,
  sent,
  onClose,
}: ActionDialogProps) {
  const [state, setState] = useState<ActionState>({ step: "deciding", error: null });
  const refreshLoans = useLoanRefresh();
  const hold = usePreparedHold();
  const isImmediate = children === undefined;

  const onState = useCallback(
    (next: ActionState) => {
      const release = releaseOf(next);
      hold.set(release ? () => release().finally(refreshLoans) : null);
      if (next.step === "ready" && next.error !== null && isCancelled(next.error)) {
        notify.warning(next.error);
        setState({ ...next, error: null });
      } else {
        setState(next);
      }
      if (next.step === "sent" || "isOfferGone" in next) refreshLoans();
    },
    [hold, refreshLoans],
  );

  const runPrepare = useCallback(
    async (prepareRequested: () => Promise<PreparedAction>) => {
      onState({ step: "preparing" });
      await pendingReleasesDone();
      await prepareAction(prepareRequested, onState);
    },
    [onState],
  );

  // Requested once, although a development build mounts everything twice.
  const isRequested = useRef(false);
  useEffect(() => {
    if (!isImmediate || isRequested.current || prepare === null) return;
    isRequested.current = true;
    void runPrepare(prepare);
  }, [isImmediate, prepare, runPrepare]);

  const busy = isBusy(state);
  const isGone = otherOffers !== undefined && "isOfferGone" in state;
  const error = "error" in state ? state.error : null;
  return (
    <Modal
      open
      onClose={onClose}
      busy={busy && state.step !== "preparing"}
      title={title}
      description={description}
      footer={
        <ActionFooter
          otherOffers={isGone ? otherOffers : null}
          state={state}
          isImmediate={isImmediate}
          canPrepare={prepare !== null}
          onPrepare={() => prepare && void runPrepare(prepare)}
          onBack={() => {
            void hold.release();
            setState({ step: "deciding", error: null });
          }}
          onSign={(prepared, signed) => void signAndSend(prepared, signed, onState)}
          onClose={onClose}
        />
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        {state.step === "deciding" && children}
        {state.step === "ready" && !isGone && (
          <SigningSummary
            facts={state.prepared.facts}
            transactions={state.prepared.transactions}
            questions={questionsOf(state)}
          />
        )}
        {busy && <ActionProgress state={state} estimateS={estimateS} />}
        {state.step === "sent" && <ActionResult transactionId={state.transactionId} {...sent} />}
        {error !== null && (
          <ActionError
            text={
              isGone
                ? "This offer is no longer available. Nothing was pledged."
                : next
                  ? `${error}. ${next.text}`
                  : error
            }
          >
            {next && state.step === "deciding" && (
              <Button size="small" className="self-start" onClick={() => void runPrepare(next.prepare)}>
                Take the next offer
              </Button>
            )}
          </ActionError>
        )}
        {verification}
      </div>
    </Modal>
  );
}

/** An error, scrolled into view as soon as it appears. */
function ActionError({ text, children }: { text: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed text is a new error.
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [text]);
  return (
    <div
      ref={box}
      role="alert"
      className="flex flex-col gap-2 rounded-control bg-down-tint px-3 py-2 text-sm text-down"
    >
      <p className="wrap-anywhere">{text}</p>
      {children}
    </div>
  );
}

interface ActionFooterProps {
  /** URL of other offers; null unless the one of this loan is gone. */
  otherOffers: string | null;
  state: ActionState;
  isImmediate: boolean;
  canPrepare: boolean;
  onPrepare: () => void;
  onBack: () => void;
  onSign: (prepared: PreparedAction, signed: string[] | null) => void;
  onClose: () => void;
}

function ActionFooter({
  otherOffers,
  state,
  isImmediate,
  canPrepare,
  onPrepare,
  onBack,
  onSign,
  onClose,
}: ActionFooterProps) {
  const verdicts = useVerdicts(questionsOf(state));
  if (otherOffers !== null) {
    return (
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Close</Button>
        <Link to={otherOffers} onClick={onClose} className={buttonClass({ variant: "primary" })}>
          Find another offer
        </Link>
      </div>
    );
  }
  if (state.step === "sent") {
    return (
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    );
  }
  const busy = isBusy(state);
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {state.step === "ready" && !isImmediate ? (
        <Button onClick={onBack}>Back</Button>
      ) : (
        <Button onClick={onClose} disabled={busy && state.step !== "preparing"}>
          Cancel
        </Button>
      )}
      {state.step === "ready" ? (
        <Button
          variant="primary"
          disabled={isRefused(verdicts)}
          onClick={() => onSign(state.prepared, state.signed)}
        >
          {state.signed ? "Send it again" : state.prepared.label}
        </Button>
      ) : (
        <Button variant="primary" disabled={busy || !canPrepare} onClick={onPrepare}>
          {busy ? busyLabel(state) : isImmediate ? "Try again" : "Continue"}
        </Button>
      )}
    </div>
  );
}

/** The checks of a review; none before it. */
function questionsOf(state: ActionState): readonly Question[] {
  return state.step === "ready" && state.prepared.question !== null ? [state.prepared.question] : [];
}

function busyLabel({ step }: ActionState): string {
  return step === "signing" ? "Please sign with wallet..." : "Loading...";
}

function ActionProgress({ state, estimateS }: { state: ActionState; estimateS: number }) {
  const count = state.step === "signing" ? state.prepared.transactions.length : 1;
  const number = state.step === "signing" ? state.index + 1 : 1;
  return (
    <SigningProgress
      steps={[
        { id: "preparing", label: "Selecting coins and building the transaction" },
        { id: "signing", label: signStepLabel(number, count) },
        { id: "sending", label: "Checking the signature and sending it" },
      ]}
      current={state.step as "preparing" | "signing" | "sending"}
      estimateS={estimateS}
    />
  );
}

function ActionResult({ transactionId, title, next }: ResultText & { transactionId: string }) {
  return (
    <div className="flex flex-col items-center gap-3 py-8 text-center" role="status">
      <CircleCheck size={40} strokeWidth={1.5} aria-hidden className="text-up" />
      <h3 className="text-lg">{title}</h3>
      <p className="max-w-sm text-sm text-pretty text-soft">{next}</p>
      <p className="flex flex-wrap items-center justify-center gap-2 text-sm text-muted">
        Transaction <ExplorerLink transactionId={transactionId} />
      </p>
    </div>
  );
}
