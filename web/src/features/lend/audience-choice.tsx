import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { FileButton } from "@/shared/ui/file-button";
import { Input } from "@/shared/ui/input";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { type Audience, type AudienceKind, audienceError, chosenText, inscriptionIdsIn } from "./audience";

/** The largest file with a list of inscriptions: the metadata of a large collection. */
const FILE_BYTES_MAX = 5_000_000;

const KINDS: ReadonlyArray<{ value: AudienceKind; label: string }> = [
  { value: "anyone", label: "Anyone" },
  { value: "borrower", label: "One borrower" },
  { value: "link", label: "By link" },
  { value: "conditions", label: "Conditions" },
];

const MEANING: Record<AudienceKind, string | null> = {
  anyone: null,
  borrower: "Only this borrower sees it and can take it. It is not in the public order book and has no rank.",
  link: "Not in the public order book, and without a rank. You get a link to share once it is created.",
  conditions: "Shown in the order book with its conditions, without a rank. Others are refused.",
};

/** The choice of who can take an offer. */
export function AudienceChoice({
  audience,
  hasInscriptions,
  disabled,
  onChange,
}: {
  audience: Audience;
  /** Whether inscriptions can be chosen. */
  hasInscriptions: boolean;
  disabled: boolean;
  onChange: (audience: Audience) => void;
}) {
  const meaning = MEANING[audience.kind];
  const error = audienceError(audience);
  const change = (fields: Partial<Audience>) => onChange({ ...audience, ...fields });
  return (
    <div className="flex flex-col gap-2">
      <LabelledChoice
        label="Who can take it"
        value={audience.kind}
        choices={KINDS}
        disabled={disabled}
        onChange={(kind) => change({ kind })}
        className="max-sm:[&>button]:px-1.5 max-sm:[&>button]:text-xs"
      />
      {audience.kind === "borrower" && (
        <LabelledInput
          label="Payment address of the borrower"
          value={audience.borrowerAddress}
          disabled={disabled}
          placeholder="bc1q..."
          onText={(borrowerAddress) => change({ borrowerAddress })}
        />
      )}
      {audience.kind === "conditions" && (
        <>
          <div className="grid grid-cols-2 gap-3">
            <LabelledInput
              label="Repaid loans, at least"
              numeric
              placeholder="0"
              value={audience.repaidMin}
              disabled={disabled}
              onText={(repaidMin) => change({ repaidMin })}
            />
            <LabelledInput
              label="No default in the last"
              numeric
              placeholder="0"
              trailing={<span className="text-sm">days</span>}
              value={audience.defaultFreeDays}
              disabled={disabled}
              onText={(defaultFreeDays) => change({ defaultFreeDays })}
            />
          </div>
          {hasInscriptions && (
            <ChosenInscriptions
              audience={audience}
              disabled={disabled}
              onText={(inscriptions) => change({ inscriptions })}
            />
          )}
        </>
      )}
      {meaning && <p className="text-xs text-muted">{meaning}</p>}
      {error && (
        <p role="status" className="text-xs text-warn">
          {error}
        </p>
      )}
    </div>
  );
}

/** The inscriptions that can be pledged, typed or from a file. */
function ChosenInscriptions({
  audience,
  disabled,
  onText,
}: {
  audience: Audience;
  disabled: boolean;
  onText: (text: string) => void;
}) {
  const [fileProblem, setFileProblem] = useState<string | null>(null);
  const chosen = chosenText(audience);

  function change(text: string) {
    setFileProblem(null);
    onText(text);
  }

  async function read(file: File) {
    if (file.size > FILE_BYTES_MAX) return setFileProblem(`${file.name} is larger than 5 MB`);
    const text = await file.text().catch(() => null);
    if (text === null) return setFileProblem(`${file.name} could not be read`);
    const ids = inscriptionIdsIn(text);
    if (ids === "") return setFileProblem(`${file.name} names no inscription`);
    change([audience.inscriptions.trim(), ids].filter((part) => part !== "").join("\n"));
  }

  return (
    <div className="flex flex-col gap-1.5">
      <Labelled text="Only these inscriptions: ids, numbers or ranges such as 1-500; empty takes any">
        {(id) => (
          <textarea
            id={id}
            rows={3}
            spellCheck={false}
            disabled={disabled}
            value={audience.inscriptions}
            onChange={(event) => change(event.target.value)}
            className="w-full resize-y rounded-control border border-line bg-ground px-3 py-2 font-mono text-xs text-text outline-none transition-colors hover:border-line-strong focus:outline-2 focus:outline-focus disabled:opacity-50"
          />
        )}
      </Labelled>
      <div className="flex items-center justify-between gap-3 text-xs text-muted">
        <p role="status">{fileProblem ?? chosen}</p>
        <FileButton
          accept=".txt,.csv,.json,text/plain,text/csv,application/json"
          disabled={disabled}
          onFile={read}
        >
          Read from a file
        </FileButton>
      </div>
    </div>
  );
}

function LabelledInput({
  label,
  onText,
  ...input
}: Omit<ComponentProps<typeof Input>, "id" | "onChange"> & {
  label: string;
  onText: (text: string) => void;
}) {
  return (
    <Labelled text={label}>
      {(id) => <Input id={id} {...input} onChange={(event) => onText(event.target.value)} />}
    </Labelled>
  );
}

function Labelled({ text, children }: { text: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs text-soft">
        {text}
      </label>
      {children(id)}
    </div>
  );
}
