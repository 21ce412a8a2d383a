import { saveFile } from "@/shared/ui/save-file";
import { fetchCalendar } from "./loan-requests";

/** The calendar with the entries of one loan alone; null when it has none. */
export function calendarOf(calendar: string, loanId: string): string | null {
  const [head = "", ...rest] = calendar.split("BEGIN:VEVENT\r\n");
  // Long lines are folded: an id may be split across two of them.
  const wanted = rest
    .map((entry) => entry.slice(0, entry.indexOf("END:VEVENT")))
    .filter((entry) => entry.replaceAll("\r\n ", "").includes(`UID:${loanId}-`));
  if (wanted.length === 0) return null;
  return `${head}${wanted.map((entry) => `BEGIN:VEVENT\r\n${entry}END:VEVENT\r\n`).join("")}END:VCALENDAR\r\n`;
}

/** Saves the due date of one loan, or of every running one, as a calendar file. */
export async function saveCalendar(loanId: string | null): Promise<void> {
  const all = await fetchCalendar();
  const calendar = loanId === null ? all : calendarOf(all, loanId);
  if (calendar === null) throw new Error("This loan has no due date yet.");
  saveFile(loanId === null ? "lienbook-due-dates.ics" : `lienbook-${loanId}.ics`, "text/calendar", calendar);
}
