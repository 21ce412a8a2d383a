import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import { MAX_MONEY_SATS } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { BtcField } from "@/shared/ui/amount-fields";
import { Button } from "@/shared/ui/button";
import { Field, Input } from "@/shared/ui/input";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { Modal } from "@/shared/ui/modal";
import {
  DELEGATED_DAYS,
  type DelegationDraft,
  type DelegationErrors,
  delegationErrors,
  EMPTY_DELEGATION,
  newDelegation,
} from "./delegation-draft";
import { createDelegation, delegationsQuery } from "./delegation-requests";

/** Permits a program to quote from the user's vault, within limits that the wallet signs. */
export function DelegationDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const queries = useQueryClient();
  const { data: config } = useQuery(configQuery);
  const [draft, setDraft] = useState(EMPTY_DELEGATION);
  const [isChecked, setIsChecked] = useState(false);
  const vault = config?.vaultSignerId ?? null;
  const creation = useMutation({
    mutationFn: (policy: string) => createDelegation(newDelegation(draft, policy, Date.now()), session),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries(delegationsQuery(session.userId)),
  });
  const errors = delegationErrors(draft);
  const submit = () => {
    setIsChecked(true);
    if (vault !== null && Object.keys(errors).length === 0) creation.mutate(vault);
  };
  return (
    <Modal
      open
      onClose={onClose}
      busy={creation.isPending}
      title="Permit a program"
      description="Your wallet signs what the program may lend from your vault. It keeps its own secret key."
      footer={
        <div className="flex items-center justify-end gap-2">
          <Button onClick={onClose} disabled={creation.isPending}>
            Cancel
          </Button>
          <Button variant="primary" disabled={creation.isPending || vault === null} onClick={submit}>
            {creation.isPending ? "Sign in your wallet..." : "Sign and permit"}
          </Button>
        </div>
      }
    >
      <DraftFields
        draft={draft}
        errors={isChecked ? errors : {}}
        disabled={creation.isPending}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
      {creation.error && !(creation.error instanceof SignatureCancelled) && (
        <p role="alert" className="px-5 pb-4 text-xs text-down">
          {errorText(creation.error)}
        </p>
      )}
    </Modal>
  );
}

/** The fields that are typed as text, in their order. */
const TEXT_FIELDS = [
  ["delegationId", "Id", "32 digits, which the program shows."],
  ["programKey", "Public key of the program", "64 digits, which the program shows."],
  ["interestMin", "Least interest", "Percent for the whole term of a loan."],
  ["termMaxDays", "Longest term", "Days."],
  [
    "collections",
    "Collections",
    "With their terms, like pizza-ninjas-14d, separated by spaces. Empty for all.",
  ],
] as const;

function DraftFields({
  draft,
  errors,
  disabled,
  onChange,
}: {
  draft: DelegationDraft;
  errors: DelegationErrors;
  disabled: boolean;
  onChange: (change: Partial<DelegationDraft>) => void;
}) {
  const amount = { maxSats: MAX_MONEY_SATS, disabled };
  return (
    <div className="flex flex-col gap-4 px-5 py-4">
      {TEXT_FIELDS.map(([field, label, hint]) => (
        <Field key={field} label={label} hint={hint} error={errors[field]}>
          {(ids) => (
            <Input
              {...ids}
              value={draft[field]}
              disabled={disabled}
              invalid={errors[field] !== undefined}
              onChange={(event) => onChange({ [field]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <BtcField
        label="Largest loan"
        hint={errors.principalMax ?? "The largest principal of one loan."}
        text={draft.principalMax}
        onText={(principalMax) => onChange({ principalMax })}
        {...amount}
      />
      <BtcField
        label="Lent within 24 hours"
        hint={errors.dailyMax ?? "All loans by this program together, within any 24 hours."}
        text={draft.dailyMax}
        onText={(dailyMax) => onChange({ dailyMax })}
        {...amount}
      />
      <LabelledChoice
        label="Valid for"
        value={draft.validDays}
        choices={DELEGATED_DAYS.map((days) => ({ value: days, label: `${days} days` }))}
        disabled={disabled}
        onChange={(validDays) => onChange({ validDays })}
      />
    </div>
  );
}
