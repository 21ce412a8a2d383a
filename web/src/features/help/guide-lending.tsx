import { Article, Points, Section, Steps } from "./article";
import { TermPicture, VaultPicture } from "./loan-pictures";

/** How to lend, and what a lender risks. */
export function GuideLending() {
  return (
    <Article
      picture={
        <>
          <VaultPicture />
          <TermPicture />
        </>
      }
    >
      <Section title="From offer to interest">
        <Steps
          steps={[
            {
              act: "Choose a collection",
              detail:
                "Term and interest belong to it. You choose how much you lend, which is the LTV: your principal as a share of what the collateral is worth.",
            },
            {
              act: "Make an offer",
              detail:
                "A manual one is paid from your wallet when it is taken. An instant one is paid from your vault, up to the LTV at which it pauses.",
            },
            {
              act: "Counter-sign a manual loan",
              detail:
                "You have 12 hours, and see what you sign first. Refusing too often lowers your acceptance rate, which everybody sees.",
            },
            {
              act: "Wait for the term",
              detail:
                "The borrower's repayment pays you principal and interest in one transaction, wherever you are.",
            },
            {
              act: "Claim if you are not repaid",
              detail:
                "After the claim time you alone can take the collateral. A borrower who repays before your claim is confirmed still pays you in full.",
            },
          ]}
        />
      </Section>
      <Section title="What it costs">
        <p>
          The platform takes a share of the interest, named before you sign. The borrower pays the miners of
          the start and of the repayment; you pay them for a claim, and for what you move into your vault or
          out of it.
        </p>
      </Section>
      <Section title="What you risk">
        <Points
          points={[
            "The collateral may be worth less than your loan when you get it. The LTV is the cushion that you choose.",
            "A floor price is what others ask today, not what somebody pays when you sell.",
            "You cannot end a loan early. Your bitcoin comes back with the repayment, or the collateral does.",
          ]}
        />
      </Section>
      <Section title="What a vault asks you to trust">
        <p>
          Its signer. It pays into loans that match an offer you signed and refuses anything else, but its key
          could spend what lies there. Every payment out of the vault that brings change back restarts the 144
          blocks after which you can leave alone. Keep in it what you need for your offers, not your savings.
        </p>
      </Section>
    </Article>
  );
}
