import { Article, Points, Section } from "./article";

/** The text of the privacy page. */
export function Privacy() {
  return (
    <Article>
      <Section title="In short">
        <p>
          Lienbook knows your wallet's addresses and what you do in the market. It asks for no name, no
          document and no password. A mail address, a Telegram chat and the like are stored only if you give
          them, and you can take them back.
        </p>
      </Section>
      <Section title="What is stored, and why">
        <Points
          points={[
            "The payment and ordinals address of your wallet and their public keys, from your first sign-in: they are your account.",
            "Your sessions, with the name that your browser gives of itself, so that you can see and end them. API keys and delegations with their limits; of a key's secret only a hash.",
            "Your offers, borrow requests, negotiations, loans and vault, with the messages and transactions that you signed: the market is made of them, and they prove what was agreed on.",
            "What you gave for notices: a mail address, a Telegram chat, webhooks, browsers, and which events you want. Favourites and lending limits, because you set them.",
            "Your Internet address, in memory only, to limit requests. The operator's web server in front of Lienbook may write a log of its own.",
          ]}
        />
      </Section>
      <Section title="How long">
        <Points
          points={[
            "A session ends after 14 days without use, and after 30 days in any case. An account that only ever signed in is removed after that.",
            "Contacts and favourites are used until you remove them. Messages that could not be delivered are dropped after three days, those to a webhook after five; of a webhook the latest 50 deliveries are kept.",
            "Offers and loans stay, also when they have ended. Exports and the terms of a loan are made when you ask for them, and no copy is kept.",
            "Answers that are repeated to a program stay in memory for a day, your Internet address at most until the server's next start. How long the logs of the operator's web server are kept is the operator's decision.",
            "Everything is recorded in a journal to which events are only added. Removing something adds an event: from then on it is not used, shown or sent to. The earlier event stays in the journal and in the operator's backups, and cannot be taken out alone. That holds for a mail address, too.",
          ]}
        />
      </Section>
      <Section title="Who sees it">
        <Points
          points={[
            "Everyone: your offers and running loans in the order books, under an id of your account, and all transactions, because Bitcoin is public. Addresses can be linked with each other there.",
            "The other side of a loan or negotiation: the addresses that the transaction needs, and how many loans you repaid.",
            "The operator: everything in the journal.",
            "Those who deliver for the operator: the mail server your mail address, Telegram your chat, the maker of your browser an encrypted notice, your webhooks what you asked for. A service against bots, where it is used, sees your Internet address.",
            "Services that know the chain may be asked about your addresses, coins and inscriptions.",
          ]}
        />
      </Section>
      <Section title="In this browser">
        <p>
          A cookie keeps you signed in, and cannot be read by scripts. The theme, the last category,
          favourites given before you signed in, the name of your wallet and the server's receipts of what you
          did are kept here. There are no cookies of others, and nothing measures what you do.
        </p>
      </Section>
      <Section title="Your data, and removing it">
        <p>
          Below you can download everything that is stored about you as a file, and remove contacts and
          favourites at once. Before you do, note that no reminder of a due date reaches you any more.
          Sessions, keys and delegations are ended in the settings; offers are cancelled in the portfolio; a
          vault is emptied by a withdrawal. A running loan cannot be deleted: it is on Bitcoin.
        </p>
        <p>For anything else, such as what a journal or backup still has, ask the operator of this site.</p>
      </Section>
    </Article>
  );
}
