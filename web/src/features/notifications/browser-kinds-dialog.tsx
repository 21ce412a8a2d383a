import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NoticeKind } from "@/shared/api/notice";
import { FormDialog } from "@/shared/ui/form-dialog";
import { KindPicker } from "./kind-picker";
import { pushQuery, type Subscription, setBrowserKinds } from "./push-requests";

/** Chooses the events that are sent to a browser. */
export function BrowserKindsDialog({
  userId,
  kinds,
  subscription,
  onClose,
}: {
  userId: string;
  /** The kinds to choose from. */
  kinds: readonly NoticeKind[];
  subscription: Subscription;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<readonly NoticeKind[]>(subscription.kinds);
  const saving = useMutation({
    mutationFn: () => setBrowserKinds(subscription.pushId, chosen),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries(pushQuery(userId)),
  });
  return (
    <FormDialog
      title="Events of the browser"
      description="It shows a notification when one happens."
      submitLabel="Save"
      isBusy={saving.isPending}
      error={saving.error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <KindPicker kinds={kinds} chosen={chosen} disabled={saving.isPending} onChange={setChosen} />
    </FormDialog>
  );
}
