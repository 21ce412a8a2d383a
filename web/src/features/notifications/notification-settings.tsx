import { Link } from "react-router";
import { Badge } from "@/shared/ui/badge";
import { buttonClass } from "@/shared/ui/button";

const CRITICAL: ReadonlyArray<{ what: string; why: string }> = [
  { what: "A borrower accepted your offer", why: "You have 12 hours to counter-sign." },
  {
    what: "Your loan is due in 72 hours, and in 24",
    why: "After the term the lender may take the collateral.",
  },
  { what: "A loan of yours can be claimed", why: "Until you claim, the borrower can still repay." },
  { what: "An offer was paused, or its terms change", why: "It is not taken until you agree or fund it." },
];

const WAYS: ReadonlyArray<{ name: string; text: string; isOn: boolean }> = [
  {
    name: "In the app",
    text: "What waits for you stands in the portfolio under Pending, live while you are signed in.",
    isOn: true,
  },
  { name: "E-mail", text: "This server does not send e-mail yet.", isOn: false },
  { name: "Telegram", text: "This server does not send messages to Telegram yet.", isOn: false },
];

/** What a person is told, and by which ways. */
export function NotificationSettings() {
  return (
    <div className="grid gap-5 md:grid-cols-2">
      <section className="rounded-card border border-line bg-surface px-5 py-4">
        <h2 className="text-base">What cannot wait</h2>
        <ul className="mt-2">
          {CRITICAL.map(({ what, why }) => (
            <li key={what} className="border-t border-line py-3 text-sm first:border-t-0">
              {what}
              <span className="block text-xs text-muted">{why}</span>
            </li>
          ))}
        </ul>
      </section>
      <section className="rounded-card border border-line bg-surface px-5 py-4">
        <h2 className="text-base">How you are told</h2>
        <ul className="mt-2">
          {WAYS.map(({ name, text, isOn }) => (
            <li
              key={name}
              className="flex items-center gap-3 border-t border-line py-3 text-sm first:border-t-0"
            >
              <span className="flex-1">
                {name}
                <span className="block text-xs text-muted">{text}</span>
              </span>
              <Badge tone={isOn ? "up" : "neutral"}>{isOn ? "On" : "Not available"}</Badge>
            </li>
          ))}
        </ul>
        <p className="mt-2 border-t border-line pt-4 text-sm text-pretty text-soft">
          Until then, the surest reminder is your own calendar: download the due dates of your loans.
        </p>
        <Link to="/portfolio?tab=loans" className={`${buttonClass()} mt-3`}>
          Go to my loans
        </Link>
      </section>
    </div>
  );
}
