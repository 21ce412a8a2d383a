import { useState } from "react";
import { formatMoment } from "@/shared/format/age";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { Field, Input } from "@/shared/ui/input";
import { type Notifications, removeEmail, saveEmail } from "./notification-requests";
import { useNotificationAct } from "./use-notification-act";
import { Way } from "./way";

const LENGTH_MAX = 254;

/** The e-mail channel: an address, the mail that verifies it, and its removal. */
export function EmailWay({ userId, email }: { userId: string; email: Notifications["email"] }) {
  const act = useNotificationAct(userId);
  if (!email.isAvailable) {
    return (
      <Way name="E-mail" badge={<Badge>Not available</Badge>}>
        This server does not send email.
      </Way>
    );
  }
  if (email.address === null) return <NewAddress act={act} />;
  const { address, isVerified, verifyUntil, refusedAt } = email;
  if (refusedAt !== null) return <RefusedAddress act={act} address={address} refusedAt={refusedAt} />;
  return (
    <Way
      name="E-mail"
      badge={isVerified ? <Badge tone="up">Verified</Badge> : <Badge tone="warn">Not verified</Badge>}
      problem={act.problem}
      acts={
        <>
          {!isVerified && (
            <Button size="small" disabled={act.isBusy} onClick={() => void act.run(() => saveEmail(address))}>
              Send the email again
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
          Open the link in the email that was sent there
          {verifyUntil !== null && ` before ${formatMoment(verifyUntil)}`}. Nothing else is sent until then.
        </span>
      )}
    </Way>
  );
}

type NotificationAct = ReturnType<typeof useNotificationAct>;

/** An address whose mail is rejected: the consequence and the options. */
function RefusedAddress({
  act,
  address,
  refusedAt,
}: {
  act: NotificationAct;
  address: string;
  refusedAt: number;
}) {
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Way
      name="E-mail"
      badge={<Badge tone="down">Refused</Badge>}
      problem={isChanging ? null : act.problem}
      acts={
        !isChanging && (
          <>
            <Button size="small" disabled={act.isBusy} onClick={() => void act.run(() => saveEmail(address))}>
              Verify it again
            </Button>
            <Button size="small" disabled={act.isBusy} onClick={() => setIsChanging(true)}>
              Change the address
            </Button>
            <Button size="small" disabled={act.isBusy} onClick={() => void act.run(removeEmail)}>
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
      {isChanging && <AddressForm act={act} />}
    </Way>
  );
}

function NewAddress({ act }: { act: NotificationAct }) {
  return (
    <Way name="E-mail" badge={<Badge>Off</Badge>}>
      <AddressForm act={act} />
    </Way>
  );
}

function AddressForm({ act }: { act: NotificationAct }) {
  const [address, setAddress] = useState("");
  return (
    <form
      // The server validates the address, and its message is shown in the app.
      noValidate
      className="mt-2 flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (address.trim() !== "") void act.run(() => saveEmail(address.trim()));
      }}
    >
      <div className="min-w-0 flex-1">
        <Field label="Your address" error={act.problem} hint="We first send an email with a link.">
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
  );
}
