import { useState } from "react";
import { receiptsOf, removeReceipts, useReceipts } from "@/shared/receipts/receipts-store";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { QuestionDialog } from "@/shared/ui/question-dialog";
import { saveFile } from "@/shared/ui/save-file";
import { EmptySection, SettingsSection } from "@/shared/ui/settings-section";

/** The signed receipts that this browser keeps, to download or remove; nothing while signed out. */
export function ReceiptSection() {
  const userId = useSession((state) => state.session?.userId);
  return userId === undefined ? null : <OwnReceipts key={userId} userId={userId} />;
}

function OwnReceipts({ userId }: { userId: string }) {
  useReceipts((state) => state.version);
  const [isAsking, setIsAsking] = useState(false);
  const receipts = receiptsOf(userId);
  const count = receipts.length;
  return (
    <SettingsSection
      title="Receipts"
      description="The server signs each request that it accepts. With the receipts and the public log of a collection, anyone can prove at which rank your offer stood, and that nothing was changed later."
      className="max-w-2xl"
    >
      {count === 0 ? (
        <EmptySection>There are no receipts here yet. The next offer or loan brings one.</EmptySection>
      ) : (
        <>
          <p className="mt-3 text-sm">
            {count === 1 ? "1 receipt is" : `${count} receipts are`} kept on this device, and nowhere else.
          </p>
          <div className="mt-4 flex flex-wrap gap-3">
            <Button
              onClick={() => saveFile("lienbook-receipts.txt", "text/plain", `${receipts.join("\n")}\n`)}
            >
              Download receipts
            </Button>
            <Button variant="danger" onClick={() => setIsAsking(true)}>
              Remove receipts
            </Button>
          </div>
        </>
      )}
      {isAsking && (
        <QuestionDialog
          title="Remove the receipts?"
          answer="Remove"
          isBusy={false}
          error={null}
          onYes={() => {
            setIsAsking(false);
            removeReceipts(userId);
          }}
          onClose={() => setIsAsking(false)}
        >
          The server does not keep them. Download them first if you may want to prove something later.
        </QuestionDialog>
      )}
    </SettingsSection>
  );
}
