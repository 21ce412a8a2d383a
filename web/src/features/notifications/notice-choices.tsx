import { useQueryClient } from "@tanstack/react-query";
import { CheckBox } from "@/shared/ui/check-box";
import { notify } from "@/shared/ui/notify";
import { CHOICE_TEXTS } from "./notice-choice-text";
import { type Notifications, notificationsQuery, saveChoices } from "./notification-requests";
import { useNotificationAction } from "./use-notification-action";

type Choice = Notifications["choices"][number];
type Choices = Pick<Notifications, "criticalAlerts" | "choices">;

/** The events that are notified outside of the app. Every change is saved at once. */
export function NoticeChoices({ userId, notifications }: { userId: string; notifications: Notifications }) {
  const queries = useQueryClient();
  const { run, isBusy } = useNotificationAction(userId);
  const { criticalAlerts, choices } = notifications;

  async function change(next: Choices) {
    const { queryKey } = notificationsQuery(userId);
    const kinds = next.choices.filter(({ isChosen }) => isChosen).map(({ kind }) => kind);
    const isKept = await run(async () => {
      queries.setQueryData(queryKey, { ...notifications, ...next });
      return saveChoices(next.criticalAlerts, kinds);
    });
    if (isKept) return;
    queries.setQueryData(queryKey, notifications);
    notify.error("Your choice was not saved", "The server did not accept it. Please try again.");
  }

  const toggle = (changed: Choice) =>
    change({
      criticalAlerts,
      choices: choices.map((choice) =>
        choice.kind === changed.kind ? { ...choice, isChosen: !choice.isChosen } : choice,
      ),
    });

  return (
    <section className="rounded-card border border-line bg-surface px-5 py-4">
      <h2 className="text-base">Notify me about</h2>
      <CheckBox
        className="mt-4 items-start!"
        checked={criticalAlerts}
        disabled={isBusy}
        onChange={(isOn) => void change({ criticalAlerts: isOn, choices })}
      >
        <span>
          <span className="font-strong">Critical alerts</span>
          <span className="block text-xs text-muted">
            Events that can cost you money, collateral or a loan if you miss them.
          </span>
        </span>
      </CheckBox>
      <ChoiceList
        label="Critical events"
        choices={choices.filter(({ isCritical }) => isCritical)}
        disabled={isBusy || !criticalAlerts}
        onToggle={(choice) => void toggle(choice)}
      />
      <h3 className="mt-5 text-sm">Everything else</h3>
      <ChoiceList
        label="Other events"
        choices={choices.filter(({ isCritical }) => !isCritical)}
        disabled={isBusy}
        onToggle={(choice) => void toggle(choice)}
      />
    </section>
  );
}

function ChoiceList({
  label,
  choices,
  disabled,
  onToggle,
}: {
  label: string;
  choices: readonly Choice[];
  disabled: boolean;
  onToggle: (choice: Choice) => void;
}) {
  return (
    <ul aria-label={label} className="mt-2">
      {choices.map((choice) => {
        const { what, why } = CHOICE_TEXTS[choice.kind];
        return (
          <li key={choice.kind} className="border-t border-line py-2.5 first:border-t-0">
            <CheckBox
              className="items-start!"
              checked={choice.isChosen}
              disabled={disabled}
              onChange={() => onToggle(choice)}
            >
              <span>
                {what}
                <span className="block text-xs text-muted">{why}</span>
              </span>
            </CheckBox>
          </li>
        );
      })}
    </ul>
  );
}
