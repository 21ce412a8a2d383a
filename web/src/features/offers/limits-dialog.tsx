import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { MyOffer } from "@/shared/api/my-offer";
import { MAX_MONEY_SATS } from "@/shared/format/sats";
import { BtcField } from "@/shared/ui/amount-fields";
import { Button } from "@/shared/ui/button";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import {
  budgetCollections,
  draftOf,
  durationText,
  type LendingLimits,
  lendingLimitsQuery,
  limitsRequest,
  saveLendingLimits,
} from "./lending-limits";

/** The choices of the minutes without the app. */
const ABSENCE_MINUTES = [15, 60, 720];

/** Sets the lender's limits: budgets, a day's limit, and the pause of all offers while away. */
export function LimitsDialog({
  limits,
  offers,
  names,
  userId,
  onClose,
}: {
  limits: LendingLimits;
  offers: ReadonlyMap<string, MyOffer>;
  /** The names of collections by id. */
  names: ReadonlyMap<string, string>;
  userId: string;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(limits));
  const [isBusy, setIsBusy] = useState(false);
  const collections = budgetCollections(offers.values(), limits, names);
  const own = limits.absenceMinutes;
  const minutes = own === null || ABSENCE_MINUTES.includes(own) ? ABSENCE_MINUTES : [own, ...ABSENCE_MINUTES];

  async function save() {
    setIsBusy(true);
    try {
      const saved = await saveLendingLimits(limitsRequest(draft));
      queries.setQueryData(lendingLimitsQuery(userId).queryKey, saved);
      notify.success("Limits saved");
      onClose();
    } catch (error) {
      notify.error("The limits could not be saved", errorText(error));
      setIsBusy(false);
    }
  }

  const field = { placeholder: "No limit", maxSats: MAX_MONEY_SATS, disabled: isBusy };

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Lending limits"
      description="Manual offers that no longer fit pause, and resume by themselves."
      footer={
        <div className="flex items-center justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button variant="primary" disabled={isBusy} onClick={() => void save()}>
            {isBusy ? "Saving..." : "Save limits"}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <BtcField
          label="Budget for all collections"
          hint="The most that is lent at a time, in loans that are running or being signed. A repayment frees it."
          text={draft.budget}
          onText={(budget) => setDraft({ ...draft, budget })}
          {...field}
        />
        <BtcField
          label="Daily limit"
          hint="The most that borrowers can accept in a day, which begins at 00:00 UTC."
          text={draft.daily}
          onText={(daily) => setDraft({ ...draft, daily })}
          {...field}
        />
        {collections.map(({ groupId, name }) => (
          <BtcField
            key={groupId}
            label={`Budget for ${name}`}
            hint="Within the budget for all collections."
            text={draft.collections[groupId] ?? ""}
            onText={(typed) =>
              setDraft({ ...draft, collections: { ...draft.collections, [groupId]: typed } })
            }
            {...field}
          />
        ))}
        <LabelledChoice
          label="Pause all offers, also instant ones, when the app was closed for"
          value={draft.absence}
          choices={[
            { value: "", label: "Never" },
            ...minutes.map((each) => ({ value: String(each), label: durationText(each) })),
          ]}
          disabled={isBusy}
          onChange={(absence) => setDraft({ ...draft, absence })}
        />
        <p className="text-xs text-muted">
          Budgets and the daily limit are for manual offers. What instant offers lend is limited by your
          vault.
        </p>
      </div>
    </Modal>
  );
}
