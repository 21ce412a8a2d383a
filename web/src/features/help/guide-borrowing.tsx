import { Article, Points, Section, Steps } from "./article";
import { LoanDiagram, MovingDiagram, RequestDiagram, TermDiagram, TogetherDiagram } from "./loan-diagrams";
import { ConditionsDiagram, CounterOfferDiagram } from "./offer-diagrams";

/** The guide's part about borrowing. */
export function GuideBorrowing() {
  return (
    <Article>
      <TakingOffers />
      <AskingForLoans />
      <EndingLoans />
      <Section title="What protects you">
        <Points
          points={[
            "The lender's half of the repayment is signed before your collateral moves.",
            "The server keeps your signature from the lender until it has checked that half.",
            "The lender cannot take the collateral before the claim time: the Bitcoin network rejects it.",
            "The platform has no key to your collateral.",
          ]}
        />
      </Section>
      <Section title="What you trust">
        <p>
          Before the loan starts, you trust the server to keep that order. Once the loan runs you need neither
          the server nor the lender to end it.
        </p>
      </Section>
    </Article>
  );
}

/** Loans from offers. */
function TakingOffers() {
  return (
    <>
      <Section title="From offer to bitcoin" diagram={<LoanDiagram />}>
        <Steps
          steps={[
            {
              title: "Connect a wallet",
              detail: "You sign a message, not a payment. Your keys stay where they are.",
            },
            {
              title: "Choose an offer",
              detail:
                "Compare the principal, the interest and the term. The sum to repay is fixed from the start.",
            },
            {
              title: "Read what you sign",
              detail:
                "The summary names what leaves your wallet, what arrives, the fee, the deadline and what happens if you do not repay.",
            },
            {
              title: "Sign",
              detail:
                "An instant loan is broadcast at once. A manual one waits up to 12 hours for the lender; until then nothing has moved, and you can cancel it.",
            },
            {
              title: "Keep the loan kit",
              detail: "One file, without any private key. With it you can repay even if this site is down.",
            },
          ]}
        />
      </Section>
      <Section title="Offers with conditions" diagram={<ConditionsDiagram />}>
        <p>
          Not every offer is for anyone. One for you alone is marked in the order book, and only you and its
          lender see it. An unlisted one is shown to those who open its link. Others ask for a least number of
          repaid loans, for no default in a number of days, or for certain inscriptions, and are marked with
          it in the order book.
        </p>
        <p>
          The conditions are checked when you take the offer. If you do not satisfy all of them you are
          refused, and nothing has moved. An offer that is good until a time cannot be taken after it.
        </p>
      </Section>
    </>
  );
}

/** Loans that a lender agrees to first. */
function AskingForLoans() {
  return (
    <>
      <Section title="When no offer fits" diagram={<RequestDiagram />}>
        <p>
          Request a loan: the collateral, the principal, the highest interest, the terms and a time. Lenders
          see the lowest LTV first. One of them fills your request with an offer that only you can take, and
          you sign the loan before that offer expires. Your collateral is not reserved meanwhile, and you can
          withdraw the request until it is filled.
        </p>
      </Section>
      <Section title="Counter-offers" diagram={<CounterOfferDiagram />}>
        <p>
          Make a counter-offer: propose another principal, interest or term to the lender of an offer. The two
          of you answer each other until one accepts, declines or withdraws. Nothing is pledged or lent before
          you have both signed the loan on the agreed terms.
        </p>
        <p>
          There are at most 10 proposals, each good for as long as its sender chooses, 72 hours at most. An
          accepted one becomes a manual offer that only you can take, within 12 hours.
        </p>
        <p>
          About a running manual loan, either of you can propose the interest and the term of an extension.
          The principal stays, and so does the interest of the running term, which you pay with the extension.
        </p>
      </Section>
      <Section title="Several inscriptions in one loan" diagram={<TogetherDiagram />}>
        <p>
          Offers are against one inscription each. A request is how to get one loan against several: choose up
          to 20 of a collection, and a lender lends against all of them together. You sign the loan once, and
          it holds them in one escrow.
        </p>
        <p>
          One repayment returns them all, each in an output of its own. If you do not repay, the lender may
          claim all of them, and never some. A manual loan can be extended, but no other loan can replace one
          against several inscriptions.
        </p>
      </Section>
    </>
  );
}

/** Repayment, from the wallet or by the next loan. */
function EndingLoans() {
  return (
    <>
      <Section title="Repaying" diagram={<TermDiagram />}>
        <p>
          Repay in one transaction: principal and interest go to the lender, and the collateral returns to you
          in the same transaction. It needs no consent. Repay before the due date. After it there is a grace
          period until the claim time; from then on the lender may claim first.
        </p>
        <p>
          Instead you can move on to another lender's loan, or agree on an extension with the lender of a
          manual one.
        </p>
      </Section>
      <Section title="Loans that move on" diagram={<MovingDiagram />}>
        <p>
          Another lender's offer can repay your loan. One transaction pays the old lender in full and moves
          the collateral from escrow to escrow; you add what the new principal does not cover, or get what is
          left of it. With an instant offer it needs only your signature and a block, with a manual one also
          its lender's signature within 12 hours. A loan against runes takes exactly its amount of an offer.
        </p>
        <p>
          The interest of a loan is due in full whenever it is repaid, so it seldom pays to move on early.
          Near the due date Lienbook shows and tells you when an offer asks at least 10% less interest a day.
        </p>
        <p>
          A standing order names the least principal, the highest interest, the terms, and a number of days
          before the due date. From then on Lienbook looks for the best offer within it and asks you to sign.
          The order itself signs and reserves nothing: your signature must cover the coins of the next lender,
          which are not known before there is one. Until you sign, your loan is due as before.
        </p>
        <p>
          A BRC-20 loan cannot move on. Its escrow holds a transfer note, an inscription that transfers the
          balance with its first move only. That move must be the repayment or the claim, and after a move
          into another escrow it could be neither. Nor can a loan against several inscriptions move on,
          because an offer is against one.
        </p>
      </Section>
    </>
  );
}
