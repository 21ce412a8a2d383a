import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import { MAX_MONEY_SATS } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { BtcField, DaysField, PercentField } from "@/shared/ui/amount-fields";
import { FormDialog } from "@/shared/ui/form-dialog";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { TextField } from "@/shared/ui/text-field";
import { useLenderConfig } from "@/shared/vault/use-lender-config";
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
  const config = useLenderConfig();
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
    <FormDialog
      title="Permit a program"
      description="Your wallet signs what the program may lend from your vault. The program keeps its own secret key."
      submitLabel={creation.isPending ? "Sign in your wallet..." : "Sign and permit"}
      isBusy={creation.isPending}
      isReady={vault !== null}
      error={creation.error instanceof SignatureCancelled ? null : creation.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <DraftFields
        draft={draft}
        errors={isChecked ? errors : {}}
        disabled={creation.isPending}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
    </FormDialog>
  );
}

/** The fields that are copied from the program. */
const COPIED_FIELDS = [
  ["delegationId", "Delegation id", "32 digits, which the program shows."],
  ["programKey", "Public key of the program", "64 digits, which the program shows."],
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
    <>
      {COPIED_FIELDS.map(([field, label, hint]) => (
        <TextField
          key={field}
          label={label}
          hint={hint}
          error={errors[field]}
          text={draft[field]}
          disabled={disabled}
          onText={(text) => onChange({ [field]: text.trim() })}
        />
      ))}
      <BtcField
        label="Largest loan"
        hint="The largest principal of one loan."
        error={errors.principalMax}
        text={draft.principalMax}
        onText={(principalMax) => onChange({ principalMax })}
        {...amount}
      />
      <BtcField
        label="Lent within 24 hours"
        hint="All loans by this program together, within any 24 hours."
        error={errors.dailyMax}
        text={draft.dailyMax}
        onText={(dailyMax) => onChange({ dailyMax })}
        {...amount}
      />
      <PercentField
        label="Lowest interest"
        hint="Of the principal, for the whole term of a loan."
        error={errors.interestMin}
        text={draft.interestMin}
        disabled={disabled}
        onText={(interestMin) => onChange({ interestMin })}
      />
      <DaysField
        label="Longest term"
        hint="Offers of a longer term are refused."
        error={errors.termMaxDays}
        text={draft.termMaxDays}
        disabled={disabled}
        onText={(termMaxDays) => onChange({ termMaxDays })}
      />
      <TextField
        label="Collections"
        hint="With their terms, like pizza-ninjas-14d, separated by spaces. Empty for all."
        error={errors.collections}
        text={draft.collections}
        placeholder="All"
        disabled={disabled}
        onText={(collections) => onChange({ collections })}
      />
      <LabelledChoice
        label="Valid for"
        value={draft.validDays}
        choices={DELEGATED_DAYS.map((days) => ({ value: days, label: `${days} days` }))}
        disabled={disabled}
        onChange={(validDays) => onChange({ validDays })}
      />
    </>
  );
}
