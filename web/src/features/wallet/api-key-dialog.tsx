import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { KEY_SCOPES } from "@/shared/bitcoin/action-message";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import { MAX_MONEY_SATS } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { BtcField } from "@/shared/ui/amount-fields";
import { CheckBox } from "@/shared/ui/check-box";
import { FormDialog } from "@/shared/ui/form-dialog";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { SecretDialog } from "@/shared/ui/secret-dialog";
import { TextField } from "@/shared/ui/text-field";
import {
  type ApiKeyDraft,
  type DraftErrors,
  draftErrors,
  EMPTY_DRAFT,
  newApiKey,
  SCOPE_TEXT,
  VALID_DAYS,
} from "./api-key-draft";
import { apiKeysQuery, createApiKey } from "./api-key-requests";

/** Creates an API key, and shows its secret once. */
export function ApiKeyDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [isChecked, setIsChecked] = useState(false);
  const creation = useMutation({
    mutationFn: () => createApiKey(newApiKey(draft, Date.now()), session),
    onSuccess: () => queries.invalidateQueries(apiKeysQuery(session.userId)),
    // The secret stays in this dialog, and in no cache of the page.
    gcTime: 0,
  });
  if (creation.data !== undefined) {
    return (
      <SecretDialog title="Your API key" secret={creation.data} what="API key" onClose={onClose}>
        Store it where your program reads it. Anyone who has it can do what you signed. If it is lost or seen
        by others, revoke the key and create another one.
      </SecretDialog>
    );
  }
  const errors = draftErrors(draft);
  const submit = () => {
    setIsChecked(true);
    if (Object.keys(errors).length === 0) creation.mutate();
  };
  return (
    <FormDialog
      title="Create an API key"
      description="Your wallet signs what the key may do. Loans are still signed by your wallet."
      submitLabel={creation.isPending ? "Sign in your wallet..." : "Sign and create"}
      isBusy={creation.isPending}
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

function DraftFields({
  draft,
  errors,
  disabled,
  onChange,
}: {
  draft: ApiKeyDraft;
  errors: DraftErrors;
  disabled: boolean;
  onChange: (change: Partial<ApiKeyDraft>) => void;
}) {
  const amount = { maxSats: MAX_MONEY_SATS, disabled };
  return (
    <>
      <TextField
        label="Name"
        hint="To recognize it by, without spaces."
        error={errors.name}
        text={draft.name}
        maxLength={32}
        disabled={disabled}
        onText={(name) => onChange({ name })}
      />
      <fieldset className="flex flex-col gap-2" disabled={disabled}>
        <legend className="mb-1 text-xs text-soft">The key may</legend>
        {KEY_SCOPES.map((scope) => (
          <CheckBox
            key={scope}
            checked={draft.scopes.includes(scope)}
            disabled={disabled}
            onChange={(isChosen) =>
              onChange({
                scopes: isChosen ? [...draft.scopes, scope] : draft.scopes.filter((other) => other !== scope),
              })
            }
          >
            {SCOPE_TEXT[scope]}
          </CheckBox>
        ))}
        {errors.scopes && (
          <p role="alert" className="text-xs text-down">
            {errors.scopes}
          </p>
        )}
      </fieldset>
      <BtcField
        label="Largest offer"
        hint="The largest principal of one offer."
        error={errors.principalMax}
        text={draft.principalMax}
        onText={(principalMax) => onChange({ principalMax })}
        {...amount}
      />
      <BtcField
        label="Open at a time"
        hint="All your open offers and running loans together, also those made without the key."
        error={errors.outstandingMax}
        text={draft.outstandingMax}
        onText={(outstandingMax) => onChange({ outstandingMax })}
        {...amount}
      />
      <BtcField
        label="Quoted in a day"
        hint="Edits count, and cancelled offers too. A day begins at 00:00 UTC."
        error={errors.dailyMax}
        text={draft.dailyMax}
        onText={(dailyMax) => onChange({ dailyMax })}
        {...amount}
      />
      <TextField
        label="Collections"
        hint="Their names as in the address bar, separated by spaces. Empty for all."
        error={errors.collections}
        text={draft.collections}
        placeholder="All"
        disabled={disabled}
        onText={(collections) => onChange({ collections })}
      />
      <TextField
        label="IP addresses"
        hint="Addresses or networks like 203.0.113.0/24. Empty for any."
        error={errors.addresses}
        text={draft.addresses}
        placeholder="Any"
        disabled={disabled}
        onText={(addresses) => onChange({ addresses })}
      />
      <LabelledChoice
        label="Valid for"
        value={draft.validDays}
        choices={VALID_DAYS.map((days) => ({
          value: days,
          label: days === "365" ? "1 year" : `${days} days`,
        }))}
        disabled={disabled}
        onChange={(validDays) => onChange({ validDays })}
      />
    </>
  );
}
