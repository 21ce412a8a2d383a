import { CircleHelp } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";

const LINES: ReadonlyArray<{ term: string; text: string; instantOnly?: true }> = [
  {
    term: "You lend",
    text: "The principal. It reaches the borrower when the loan starts, less the network fee.",
  },
  {
    term: "Interest",
    text: "The term's fixed rate of the principal, owed in full whenever the loan is repaid.",
  },
  {
    term: "Platform fee",
    text: "A fifth of the interest, paid together with the principal when a loan starts. An offer costs nothing.",
  },
  { term: "You are repaid", text: "The principal and all of the interest, in one output to your wallet." },
  {
    term: "APY",
    text: "The interest reinvested at the same terms for a year. It assumes that every loan is repaid.",
  },
  {
    term: "LTV",
    text: "The principal as a share of what the collateral is worth now. It moves with the price.",
  },
  {
    term: "Max LTV",
    text: "Above it the offer pauses automatically, and resumes once the price has recovered. Running loans are not affected.",
    instantOnly: true,
  },
];

/** A button that explains the figures of the breakdown. */
export function BreakdownExplanation({ isInstant }: { isInstant: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <IconButton size="small" label="How these figures are calculated" onClick={() => setIsOpen(true)}>
        <CircleHelp size={16} aria-hidden />
      </IconButton>
      <Modal
        open={isOpen}
        onClose={() => setIsOpen(false)}
        title="Loan breakdown"
        footer={
          <div className="flex justify-end">
            <Button onClick={() => setIsOpen(false)}>Close</Button>
          </div>
        }
      >
        <dl className="flex flex-col gap-3 px-5 py-4 text-sm">
          {LINES.filter(({ instantOnly }) => isInstant || !instantOnly).map(({ term, text }) => (
            <div key={term} className="grid gap-x-4 sm:grid-cols-[9rem_1fr]">
              <dt className="text-soft">{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </Modal>
    </>
  );
}
