import { ArrowDownLeft, ArrowUpRight, ChevronRight, RotateCcw } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { shortenAddress } from "@/shared/format/name";
import { useSession } from "@/shared/session/session-store";
import { ShortList } from "@/shared/ui/short-list";
import type { Question } from "@/shared/verifier/question";
import { VerdictPanel } from "@/shared/verifier/verdict-panel";
import type { Movement, SigningFacts } from "./signing-facts";
import { TransactionDetails } from "./transaction-details";
import { YearlyFigures } from "./yearly-figures";

/** Shows the effect of a signature before it is requested. The transaction itself is one click away. */
export function SigningSummary({
  facts,
  transactions = [],
  questions = [],
}: {
  facts: SigningFacts;
  transactions?: readonly TransactionToSign[];
  /** The checks of these transactions in this browser; none where there is no loan. */
  questions?: readonly Question[];
}) {
  const session = useSession((state) => state.session);
  const [isOpen, setIsOpen] = useState(false);
  const own = session ? [session.addresses.payment.address, session.addresses.ordinals.address] : [];
  const summary = (
    <section aria-label="What you sign" className="rounded-card border border-line bg-ground text-sm">
      <Movements
        title={`Leaves your ${facts.outgoingFrom ?? "wallet"}`}
        icon={<ArrowUpRight size={16} aria-hidden className="text-down" />}
        movements={facts.outgoing}
        preposition="from"
      />
      <Movements
        title={`Arrives in your ${facts.incomingTo ?? "wallet"}`}
        icon={<ArrowDownLeft size={16} aria-hidden className="text-up" />}
        movements={facts.incoming}
        preposition="to"
      />
      {facts.returns && facts.returns.length > 0 && (
        <Movements
          title="Goes back to your vault"
          icon={<RotateCcw size={16} aria-hidden className="text-muted" />}
          movements={facts.returns}
          preposition="to"
        />
      )}
      {facts.yearly && <YearlyFigures facts={facts.yearly} />}
      <dl className="flex flex-col gap-3 px-4 py-3">
        <Fact term="Fees">{facts.fees.length === 0 ? "None" : <Lines lines={facts.fees} />}</Fact>
        {facts.calculation && (
          <Fact term="Calculation">
            <Lines lines={facts.calculation} />
          </Fact>
        )}
        {facts.collateral && (
          <Fact term="Collateral">
            <Collateral {...facts.collateral} />
          </Fact>
        )}
        {facts.counterparty && <Fact term={facts.counterparty.name}>{facts.counterparty.record}</Fact>}
        {transactions.length > 1 && (
          <Fact term="Signatures">
            You sign {transactions.length} transactions, one after the other
            {facts.secondTransaction && `: the loan's own, and ${facts.secondTransaction}`}.
          </Fact>
        )}
        <Fact term="Deadline">{facts.deadline}</Fact>
        {facts.atDefault !== null && <Fact term="If it is not repaid">{facts.atDefault}</Fact>}
        <Fact term="If Lienbook is unavailable">{facts.exit}</Fact>
      </dl>
      {transactions.length > 0 && (
        <details
          className="border-t border-line px-4 py-3"
          onToggle={(event) => setIsOpen(event.currentTarget.open)}
        >
          <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-control text-xs text-soft [&::-webkit-details-marker]:hidden">
            <ChevronRight size={14} aria-hidden className={isOpen ? "rotate-90" : undefined} />
            The transaction, input by input
          </summary>
          <div className="pt-3">
            {isOpen && <TransactionDetails transactions={transactions} ownAddresses={own} />}
          </div>
        </details>
      )}
    </section>
  );
  if (questions.length === 0) return summary;
  return (
    <div className="flex flex-col gap-3">
      <VerdictPanel questions={questions} />
      {summary}
    </div>
  );
}

function Movements({
  title,
  icon,
  movements,
  preposition,
}: {
  title: string;
  icon: ReactNode;
  movements: Movement[];
  preposition: "from" | "to";
}) {
  return (
    <div className="border-b border-line px-4 py-3">
      <h3 className="mb-1.5 flex items-center gap-1.5 text-xs font-normal text-soft">
        {icon}
        {title}
      </h3>
      <ul className="flex flex-col gap-1.5">
        {movements.length === 0 && <li className="text-muted">Nothing</li>}
        {movements.map(({ what, address, note }) => (
          <li
            key={`${what}${address}${note}`}
            className="flex flex-wrap items-baseline justify-between gap-x-3"
          >
            <span className="font-strong">{what}</span>
            <span className="text-xs text-muted">
              {note}
              {note && address && ", "}
              {address && (
                <>
                  {preposition}{" "}
                  <span className="font-mono" title={address}>
                    {shortenAddress(address, 6)}
                  </span>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Collateral({ text, ids }: NonNullable<SigningFacts["collateral"]>) {
  return (
    <>
      <p className="mb-1.5">{text}</p>
      <ShortList label="Inscriptions" ids={ids} className="gap-0.5">
        {(id) => (
          <span className="block truncate font-mono text-xs text-muted" title={id}>
            {shortenAddress(id, 10)}
          </span>
        )}
      </ShortList>
    </>
  );
}

function Lines({ lines }: { lines: Movement[] }) {
  return lines.map(({ what, note }) => (
    <span key={what + note} className="flex justify-between gap-3">
      <span>{note}</span>
      <span className="shrink-0">{what}</span>
    </span>
  ));
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-3 gap-y-0.5 sm:grid-cols-[9.5rem_1fr]">
      <dt className="text-xs leading-5 text-soft">{term}</dt>
      <dd className="text-sm">{children}</dd>
    </div>
  );
}
