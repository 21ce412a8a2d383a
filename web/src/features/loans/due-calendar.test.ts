import { describe, expect, it } from "vitest";
import { calendarOf } from "./due-calendar";

const entry = (loanId: string) =>
  `BEGIN:VEVENT\r\nUID:${loanId}-borrower@lienbook.example\r\nDTSTART:20300317T174640Z\r\nEND:VEVENT\r\n`;
const head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n";
const end = "END:VCALENDAR\r\n";

describe("the calendar of one loan", () => {
  it("holds its entries and no others", () => {
    const calendar = head + entry("ln_1") + entry("ln_12") + entry("ln_2") + end;
    expect(calendarOf(calendar, "ln_1")).toBe(head + entry("ln_1") + end);
  });

  it("is found in a folded line too", () => {
    const folded = head + entry("ln_1").replace("ln_1-bor", "ln\r\n _1-bor") + end;
    expect(calendarOf(folded, "ln_1")).toContain("DTSTART:20300317T174640Z");
  });

  it("is null for a loan without a due date", () => {
    expect(calendarOf(head + entry("ln_12") + end, "ln_1")).toBeNull();
    expect(calendarOf(head + end, "ln_1")).toBeNull();
  });
});
