import { balancesOf } from "@/shared/bitcoin/flow-balance";
import { formatBtc } from "@/shared/format/sats";
import { buttonClass } from "@/shared/ui/button";
import type { DevAccount } from "./dev-accounts";
import type { DevPrompts } from "./dev-requests";
import type { DevSigning } from "./dev-transaction";

/** Text is always set as text: a message to sign is untrusted input from a page. */
function element(tag: string, className: string, ...children: Array<Node | string>): HTMLElement {
  const created = document.createElement(tag);
  created.className = className;
  created.append(...children);
  return created;
}

function button(label: string, value: string, variant: "primary" | "secondary"): HTMLElement {
  const created = element("button", buttonClass({ variant }), label) as HTMLButtonElement;
  created.type = "submit";
  created.value = value;
  return created;
}

function short(address: string): string {
  return `${address.slice(0, 10)}…${address.slice(-6)}`;
}

/**
 * Opens a window of the wallet, separate from the page that called: it is above every dialog of the page, and
 * no key or press inside it reaches them. Resolves to the value of the button, empty when the user closed it.
 */
function prompt(title: string, body: HTMLElement, accept: string): Promise<string> {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", `Dev Wallet: ${title}`);
  dialog.className =
    "m-auto w-[min(440px,calc(100vw-32px))] rounded-card border border-line-strong bg-surface p-0 text-text shadow-float backdrop:bg-scrim";
  const form = document.createElement("form");
  form.method = "dialog";
  form.className = "flex max-h-[calc(100dvh-64px)] flex-col";
  form.append(
    element(
      "header",
      "flex items-baseline justify-between gap-3 border-b border-line px-5 py-3",
      element("h2", "text-base font-strong", title),
      element("span", "text-xs text-muted", "Dev Wallet"),
    ),
    body,
    element(
      "footer",
      "flex justify-end gap-2 border-t border-line px-5 py-4",
      button("Cancel", "", "secondary"),
      button(accept, accept, "primary"),
    ),
  );
  dialog.append(form);
  for (const event of ["keydown", "pointerdown", "mousedown", "click", "focusin"]) {
    dialog.addEventListener(event, (inside) => inside.stopPropagation());
  }
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

async function chooseAccount(accounts: DevAccount[]): Promise<DevAccount | null> {
  const choices = accounts.map(({ name, keys }, index) => {
    const input = document.createElement("input");
    input.type = "radio";
    input.name = "account";
    input.value = String(index);
    input.checked = index === 0;
    input.className = "size-4 accent-accent";
    return element(
      "label",
      "flex cursor-pointer items-center gap-3 rounded-control border border-line px-3 py-2 has-checked:border-accent",
      input,
      element("span", "flex-1 text-sm", name),
      element("span", "font-mono text-xs text-muted", short(keys.payment.address)),
    );
  });
  const body = element(
    "div",
    "flex flex-col gap-2 overflow-y-auto px-5 py-4",
    element(
      "p",
      "mb-1 text-sm text-soft",
      `${location.host} asks for your addresses. Nothing in this wallet has any value.`,
    ),
    ...choices,
  );
  const answered = await prompt("Choose an account", body, "Connect");
  if (answered === "") return null;
  const chosen = body.querySelector<HTMLInputElement>("input:checked");
  return accounts[Number(chosen?.value ?? 0)] ?? null;
}

async function approveMessage(accountName: string, address: string, message: string): Promise<boolean> {
  const text = element(
    "pre",
    "rounded-control border border-line bg-ground p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap",
    message,
  );
  const body = element(
    "div",
    "flex flex-col gap-3 overflow-y-auto px-5 py-4",
    element("p", "text-sm text-soft", `${accountName}, ${short(address)}, signs this text:`),
    text,
  );
  return (await prompt("Sign message", body, "Sign")) !== "";
}

function line(label: string, value: string, className = ""): HTMLElement {
  return element(
    "div",
    `flex items-baseline justify-between gap-3 ${className}`,
    element("dt", "min-w-0 truncate text-soft", label),
    element("dd", "shrink-0 font-mono", value),
  );
}

/**
 * The amounts that the transaction takes from and pays to each address of the account, then those of all
 * others.
 */
function transactionLines({ account, flow }: DevSigning): HTMLElement[] {
  const { payment, ordinals } = account.keys;
  const isOne = payment.address === ordinals.address;
  const own = isOne ? [payment.address] : [payment.address, ordinals.address];
  const names = isOne ? ["Everything"] : ["Payments", "Ordinals"];
  const lines = balancesOf(flow, own).flatMap(({ outgoingSats, incomingSats }, index) => [
    line(`${names[index]}: leaves`, `${formatBtc(outgoingSats, 8)} BTC`),
    line(`${names[index]}: arrives`, `${formatBtc(incomingSats, 8)} BTC`),
  ]);
  const others = flow.outputs.filter(({ address }) => address === null || !own.includes(address));
  for (const { address, sats } of others) {
    lines.push(
      line(`to ${address ? short(address) : "a note for indexers"}`, `${formatBtc(sats, 8)} BTC`, "text-xs"),
    );
  }
  if (flow.feeSats >= 0n) lines.push(line("Network fee", `${formatBtc(flow.feeSats, 8)} BTC`, "text-xs"));
  return lines;
}

async function approveTransaction(signing: DevSigning): Promise<boolean> {
  const facts = element("dl", "flex flex-col gap-1.5 text-sm", ...transactionLines(signing));
  const body = element(
    "div",
    "flex flex-col gap-3 overflow-y-auto px-5 py-4",
    element(
      "p",
      "text-sm text-soft",
      `${signing.account.name} signs this transaction. It is not sent by the wallet.`,
    ),
    facts,
  );
  if (signing.isOpenEnded) {
    body.append(
      element(
        "p",
        "rounded-control bg-warn-tint px-3 py-2 text-xs text-warn",
        "The signature binds one input and one output. Others may add more to the transaction.",
      ),
    );
  }
  return (await prompt("Sign transaction", body, "Sign")) !== "";
}

export const devPrompts: DevPrompts = { chooseAccount, approveMessage, approveTransaction };
