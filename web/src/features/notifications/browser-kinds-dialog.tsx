import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { NoticeKind } from "@/shared/api/notice";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
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
    <Modal
      open
      onClose={onClose}
      busy={saving.isPending}
      title="Events of the browser"
      description="It shows a notification when one happens."
      footer={
        <div className="flex items-center justify-end gap-2">
          <Button onClick={onClose} disabled={saving.isPending}>
            Cancel
          </Button>
          <Button variant="primary" disabled={saving.isPending} onClick={() => saving.mutate()}>
            Save
          </Button>
        </div>
      }
    >
      <div className="px-5 py-4">
        <KindPicker kinds={kinds} chosen={chosen} disabled={saving.isPending} onChange={setChosen} />
      </div>
      {saving.error && (
        <p role="alert" className="px-5 pb-4 text-xs text-down">
          {errorText(saving.error)}
        </p>
      )}
    </Modal>
  );
}
