import { Download } from "lucide-react";
import { errorText } from "@/shared/api/error-text";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { saveTerms } from "./loan-cost";
import type { YearlyFacts } from "./signing-facts";

/** The total of a loan and its yearly rate, and the terms as a file, before the signature. */
export function YearlyFigures({ facts }: { facts: YearlyFacts }) {
  const isOne = facts.loanIds.length === 1;
  return (
    <section aria-label={facts.totalName} className="border-b border-line px-4 py-3">
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        <Figure name={facts.totalName} value={facts.total} note={facts.totalNote} />
        <Figure name={facts.rateName} value={facts.rate} note={facts.rateNote} />
      </dl>
      <Button
        size="small"
        variant="quiet"
        className="mt-2 -ml-3"
        onClick={() => {
          saveTerms(facts.loanIds).catch((error: unknown) =>
            notify.error("The terms could not be downloaded", errorText(error)),
          );
        }}
      >
        <Download size={14} aria-hidden />
        {isOne ? "Save as a file" : `Save as ${facts.loanIds.length} files`}
      </Button>
    </section>
  );
}

function Figure({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div>
      <dt className="text-xs text-soft">{name}</dt>
      <dd>
        <span className="text-base font-strong">{value}</span>
        <span className="block text-xs text-pretty text-muted">{note}</span>
      </dd>
    </div>
  );
}
