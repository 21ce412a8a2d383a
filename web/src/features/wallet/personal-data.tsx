import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { followSession } from "@/shared/favourites/favourites-store";
import { ConnectButton } from "@/shared/session/connect-button";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { QuestionDialog } from "@/shared/ui/question-dialog";
import { SettingsSection } from "@/shared/ui/settings-section";
import { removePersonalData, saveMyData } from "./personal-data-requests";
import { removedText } from "./removed-text";

/** Downloads what is stored about the user, and removes contacts and favourites. */
export function PersonalData() {
  const userId = useSession((state) => state.session?.userId);
  if (userId === undefined) {
    return (
      <EmptyState title="Connect a wallet to download or remove your data" action={<ConnectButton />}>
        Without an account nothing is stored about you but what this browser keeps.
      </EmptyState>
    );
  }
  return <OwnData key={userId} userId={userId} />;
}

function OwnData({ userId }: { userId: string }) {
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const save = useMutation({ mutationFn: saveMyData });
  const remove = useMutation({
    mutationFn: removePersonalData,
    onSuccess: async () => {
      setIsAsking(false);
      await Promise.all([client.invalidateQueries(), followSession(userId)]);
    },
  });
  return (
    <SettingsSection
      title="Your data"
      description="The file has your account, contacts, sessions, keys without their secrets, offers, loans and notices."
      className="max-w-2xl"
    >
      <div className="mt-4 flex flex-wrap gap-3">
        <Button disabled={save.isPending} onClick={() => save.mutate()}>
          {save.isPending ? "Collecting..." : "Download my data"}
        </Button>
        <Button variant="danger" disabled={remove.isPending} onClick={() => setIsAsking(true)}>
          Remove contacts and favourites
        </Button>
      </div>
      <div role="status" className="text-sm text-soft">
        {remove.data && <p className="mt-3">{removedText(remove.data)}</p>}
      </div>
      {save.error && (
        <p role="alert" className="mt-3 text-sm text-down">
          {errorText(save.error)}
        </p>
      )}
      {isAsking && (
        <QuestionDialog
          title="Remove contacts and favourites?"
          answer="Remove"
          isBusy={remove.isPending}
          error={remove.error}
          onYes={() => remove.mutate()}
          onClose={() => setIsAsking(false)}
        >
          Your mail address, Telegram chat, webhooks, browsers, choices of notices and favourites are removed.
          No reminder of a due date reaches you outside of the app any more. Offers, loans, sessions and keys
          stay.
        </QuestionDialog>
      )}
    </SettingsSection>
  );
}
