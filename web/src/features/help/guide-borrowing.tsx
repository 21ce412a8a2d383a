import { Article, Points, Section, Steps } from "./article";
import { LoanPicture, TermPicture } from "./loan-pictures";

/** How to borrow, and what it asks of a person. */
export function GuideBorrowing() {
  return (
    <Article
      picture={
        <>
          <TermPicture />
          <LoanPicture />
        </>
      }
    >
      <Section title="From offer to bitcoin">
        <Steps
          steps={[
            {
              act: "Connect a wallet",
              detail: "You sign a message, not a payment. Your keys stay where they are.",
            },
            {
              act: "Choose an offer",
              detail:
                "Compare the principal, the interest and the term. The sum to repay is fixed from the start.",
            },
            {
              act: "Read what you sign",
              detail:
                "The summary names what leaves your wallet, what arrives, the fee, the deadline and what happens if you do not repay.",
            },
            {
              act: "Sign",
              detail:
                "An instant loan is sent at once. A manual one waits up to 12 hours for the lender; until then nothing has moved, and you may give it up.",
            },
            {
              act: "Keep the loan kit",
              detail: "One file, without any private key. With it you can repay although this site is down.",
            },
          ]}
        />
      </Section>
      <Section title="Repaying">
        <p>
          Repay in one transaction: principal and interest go to the lender, and the collateral comes home in
          the same step. You need nobody's consent. Do it before the due date; after it there is a reserve
          until the claim time, and from then on the lender may claim first.
        </p>
        <p>You can also refinance with another lender, or agree on more time with a manual one.</p>
      </Section>
      <Section title="What protects you">
        <Points
          points={[
            "The lender's half of the repayment is signed before your collateral moves.",
            "The server keeps your signature from the lender until it has checked that half.",
            "The lender cannot take the collateral before the claim time: the chain itself refuses.",
            "The platform has no key to your collateral.",
          ]}
        />
      </Section>
      <Section title="What you trust">
        <p>
          For one moment, before the loan begins, you trust the server to keep that order. Once the loan runs
          you need neither the server nor the lender to end it.
        </p>
      </Section>
    </Article>
  );
}
