import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Session, useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { CheckBox } from "@/shared/ui/check-box";
import { useNow } from "@/shared/ui/use-now";
import { type Brc20PanelData, brc20PanelQuery, POLL_INTERVAL_S } from "./brc20-requests";
import { InscribeForm } from "./inscribe-form";
import { grouped } from "./transfer-tokens";

interface Brc20PanelProps {
  /** The bundle to pledge. */
  collectionSlug: string;
  disabled: boolean;
  /** The transfer inscription that the user has agreed to pledge; null while there is none. */
  onTransfer: (inscriptionId: string | null) => void;
}

/** Creates a transfer inscription of exactly one bundle, without which BRC-20 cannot be pledged. */
export function Brc20Panel({ collectionSlug, disabled, onTransfer }: Brc20PanelProps) {
  const session = useSession((state) => state.session);
  const query = useQuery({ ...brc20PanelQuery(collectionSlug), enabled: session !== null });
  if (!session) return <Framed>Connect a wallet to see your balance.</Framed>;
  if (query.isError && !query.data) {
    return (
      <Framed>
        <p role="alert" className="text-down">
          Failed to check transfer notes
        </p>
        <Button size="small" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </Framed>
    );
  }
  if (!query.data) return <Framed>Loading balance and checking notes</Framed>;
  return (
    <PanelBody
      panelData={query.data}
      updatedAt={query.dataUpdatedAt}
      session={session}
      disabled={disabled}
      onTransfer={onTransfer}
      onChanged={() => void query.refetch()}
    />
  );
}

function Framed({ children }: { children: React.ReactNode }) {
  return (
    <section
      aria-label="BRC-20 collateral"
      className="flex min-h-24 flex-col items-start justify-center gap-3 rounded-card border border-line bg-ground px-4 py-3 text-sm text-soft"
    >
      {children}
    </section>
  );
}

function PanelBody({
  panelData,
  updatedAt,
  session,
  disabled,
  onTransfer,
  onChanged,
}: {
  panelData: Brc20PanelData;
  updatedAt: number;
  session: Session;
  disabled: boolean;
  onTransfer: Brc20PanelProps["onTransfer"];
  onChanged: () => void;
}) {
  const { state, note, bundleSize, ticker, overallBalance, availableBalance } = panelData;
  const token = ticker.toUpperCase();
  const [agreedId, setAgreedId] = useState<string | null>(null);
  const noteId = state === "note_available" && note?.isValid ? note.inscriptionId : null;
  const agreed = noteId !== null && agreedId === noteId ? noteId : null;
  useEffect(() => onTransfer(agreed), [agreed, onTransfer]);
  return (
    <Framed>
      <dl className="grid w-full grid-cols-[1fr_auto] gap-x-3 gap-y-1">
        <dt>Balance</dt>
        <dd className="text-right text-text">
          {grouped(overallBalance)} {token}
        </dd>
        <dt>Needed as one transfer note</dt>
        <dd className="text-right text-text">
          {grouped(bundleSize)} {token}
        </dd>
      </dl>
      {state === "insufficient" && (
        <p role="alert" className="text-down">
          Insufficient {token}
        </p>
      )}
      {state === "note_pending" && <Pending updatedAt={updatedAt} />}
      {state === "needs_consolidation" && (
        <p>
          Only {grouped(availableBalance)} {token} are free; the rest is in notes of other amounts. Send those
          notes to yourself first.
        </p>
      )}
      {noteId !== null && (
        <CheckBox
          checked={agreed !== null}
          disabled={disabled}
          onChange={(isAgreed) => setAgreedId(isAgreed ? noteId : null)}
        >
          My transfer note of {grouped(bundleSize)} {token} will be used for this loan
        </CheckBox>
      )}
      {state === "no_note" && (
        <InscribeForm
          panelData={panelData}
          tokens={`${grouped(bundleSize)} ${token}`}
          session={session}
          disabled={disabled}
          onSent={onChanged}
        />
      )}
    </Framed>
  );
}

function Pending({ updatedAt }: { updatedAt: number }) {
  const now = useNow(1_000);
  const leftS = Math.max(
    0,
    Math.min(POLL_INTERVAL_S, POLL_INTERVAL_S - Math.floor((now - updatedAt) / 1_000)),
  );
  return (
    <p role="status">
      The transfer note is waiting for confirmation. <span aria-hidden>Checking again in {leftS} s.</span>
    </p>
  );
}
