import { expect, test } from "vitest";
import { removedText } from "./removed-text";

const NOTHING = { email: false, telegram: false, webhooks: 0, pushSubscriptions: 0, favourites: 0 };

test("what was removed is named", () => {
  expect(removedText(NOTHING)).toBe("There was nothing to remove.");
  const some = { ...NOTHING, email: true, webhooks: 1, favourites: 12 };
  expect(removedText(some)).toBe(
    "Removed: your mail address, 1 webhook, 12 favourites. No notice is sent outside of the app any more.",
  );
});
