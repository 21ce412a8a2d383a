import { useState } from "react";
import { formatMoment } from "@/shared/format/age";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { Field, Input } from "@/shared/ui/input";
import { Channel } from "./channel";
import { type Notifications, removeEmail, saveEmail } from "./notification-requests";
import { useNotificationAction } from "./use-notification-action";

const LENGTH_MAX = 254;

/** The e-mail channel: an address, the mail that verifies it, and its removal. */
export function EmailChannel({ userId, email }: { userId: string; email: Notifications["email"] }) {
  const action = useNotificationAction(userId);
  if (!email.isAvailable) {
    return (
      <Channel name="E-mail" badge={<Badge>Not available</Badge>}>
        This server does not send email.
      </Channel>
    );
  }
  if (email.address === null) return <NewAddress action={action} />;
  const { address, isVerified, verifyUntil, refusedAt } = email;
  if (refusedAt !== null) return <RefusedAddress action={action} address={address} refusedAt={refusedAt} />;
  return (
    <Channel
      name="E-mail"
      badge={isVerified ? <Badge tone="up">Verified</Badge> : <Badge tone="warn">Not verified</Badge>}
      problem={action.problem}
      actions={
        <>
          {!isVerified && (
            <Button
              size="small"
              disabled={action.isBusy}
              onClick={() => void action.run(() => saveEmail(address))}
            >
              Send the email again
            </Button>
          )}
          <Button size="small" disabled={action.isBusy} onClick={() => void action.run(removeEmail)}>
            Remove
          </Button>
        </>
      }
    >
      <span className="break-all text-soft">{address}</span>
      {!isVerified && (
        <span className="block">
          Open the link in the email that was sent there
          {verifyUntil !== null && ` before ${formatMoment(verifyUntil)}`}. Nothing else is sent until then.
        </span>
      )}
    </Channel>
  );
}

type NotificationAction = ReturnType<typeof useNotificationAction>;

/** An address whose mail is rejected: the consequence and the options. */
function RefusedAddress({
  action,
  address,
  refusedAt,
}: {
  action: NotificationAction;
  address: string;
  refusedAt: number;
}) {
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Channel
      name="E-mail"
      badge={<Badge tone="down">Refused</Badge>}
      problem={isChanging ? null : action.problem}
      actions={
        !isChanging && (
          <>
            <Button
              size="small"
              disabled={action.isBusy}
              onClick={() => void action.run(() => saveEmail(address))}
            >
              Verify it again
            </Button>
            <Button size="small" disabled={action.isBusy} onClick={() => setIsChanging(true)}>
              Change the address
            </Button>
            <Button size="small" disabled={action.isBusy} onClick={() => void action.run(removeEmail)}>
              Remove
            </Button>
          </>
        )
      }
    >
      <span className="break-all text-soft">{address}</span>
      <span role="status" className="block text-down">
        The mail server of this address rejected our email on {formatMoment(refusedAt)}: the mailbox does not
        exist or is closed. We no longer send to it.
      </span>
      {isChanging && <AddressForm action={action} />}
    </Channel>
  );
}

function NewAddress({ action }: { action: NotificationAction }) {
  return (
    <Channel name="E-mail" badge={<Badge>Off</Badge>}>
      <AddressForm action={action} />
    </Channel>
  );
}

function AddressForm({ action }: { action: NotificationAction }) {
  const [address, setAddress] = useState("");
  return (
    <form
      // The server validates the address, and its message is shown in the app.
      noValidate
      className="mt-2 flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (address.trim() !== "") void action.run(() => saveEmail(address.trim()));
      }}
    >
      <div className="min-w-0 flex-1">
        <Field label="Your address" error={action.problem} hint="We first send an email with a link.">
          {(ids) => (
            <Input
              {...ids}
              type="email"
              autoComplete="email"
              placeholder="name@host.example"
              maxLength={LENGTH_MAX}
              value={address}
              invalid={action.problem !== null}
              disabled={action.isBusy}
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" className="mt-5" disabled={action.isBusy || address.trim() === ""}>
        {action.isBusy ? "Sending..." : "Verify"}
      </Button>
    </form>
  );
}
