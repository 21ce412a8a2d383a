import { useState } from "react";
import { formatMoment } from "@/shared/format/age";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { Field, Input } from "@/shared/ui/input";
import { type Notifications, removeEmail, saveEmail } from "./notification-requests";
import { useNotificationAct } from "./use-notification-act";
import { Way } from "./way";

const LENGTH_MAX = 254;

/** Being told by e-mail: an address, the mail that verifies it, and the way out. */
export function EmailWay({ userId, email }: { userId: string; email: Notifications["email"] }) {
  const act = useNotificationAct(userId);
  if (!email.isAvailable) {
    return (
      <Way name="E-mail" badge={<Badge>Not available</Badge>}>
        This server sends no mail.
      </Way>
    );
  }
  if (email.address === null) return <NewAddress act={act} />;
  const { address, isVerified, verifyUntil } = email;
  return (
    <Way
      name="E-mail"
      badge={isVerified ? <Badge tone="up">Verified</Badge> : <Badge tone="warn">Not verified</Badge>}
      problem={act.problem}
      acts={
        <>
          {!isVerified && (
            <Button size="small" disabled={act.isBusy} onClick={() => void act.run(() => saveEmail(address))}>
              Send the mail again
            </Button>
          )}
          <Button size="small" disabled={act.isBusy} onClick={() => void act.run(removeEmail)}>
            Remove
          </Button>
        </>
      }
    >
      <span className="break-all text-soft">{address}</span>
      {!isVerified && (
        <span className="block">
          Open the link in the mail that was sent there
          {verifyUntil !== null && ` before ${formatMoment(verifyUntil)}`}. Nothing else is sent until then.
        </span>
      )}
    </Way>
  );
}

function NewAddress({ act }: { act: ReturnType<typeof useNotificationAct> }) {
  const [address, setAddress] = useState("");
  return (
    <Way name="E-mail" badge={<Badge>Off</Badge>}>
      <form
        // The server says what is wrong with an address, in the words of the app.
        noValidate
        className="mt-2 flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (address.trim() !== "") void act.run(() => saveEmail(address.trim()));
        }}
      >
        <div className="min-w-0 flex-1">
          <Field label="Your address" error={act.problem} hint="A mail with a link comes first.">
            {(ids) => (
              <Input
                {...ids}
                type="email"
                autoComplete="email"
                placeholder="name@host.example"
                maxLength={LENGTH_MAX}
                value={address}
                invalid={act.problem !== null}
                disabled={act.isBusy}
                onChange={(event) => setAddress(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" className="mt-5" disabled={act.isBusy || address.trim() === ""}>
          {act.isBusy ? "Sending..." : "Verify"}
        </Button>
      </form>
    </Way>
  );
}
