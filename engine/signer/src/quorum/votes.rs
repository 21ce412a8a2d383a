//! The outcomes of one request to several signers, counted.

use crate::refusal::Refusal;
use crate::request::Answer;
use crate::vault_signer::SignerError;

/// The answers to a request that `needed` signers have to answer in the same way.
#[derive(Debug)]
pub(super) struct Votes {
    signers: usize,
    needed: usize,
    answers: Vec<(Answer, usize)>,
    refusals: Vec<Refusal>,
    unreachable: Vec<SignerError>,
    /// Those that were not answered, or not sensibly: the signer may have carried the request out.
    unanswered: Vec<SignerError>,
}

impl Votes {
    /// No votes yet.
    pub(super) const fn new(signers: usize, needed: usize) -> Self {
        Self {
            signers,
            needed,
            answers: Vec::new(),
            refusals: Vec::new(),
            unreachable: Vec::new(),
            unanswered: Vec::new(),
        }
    }

    /// Counts an outcome; returns the result as soon as it is certain: enough agree, or too many refuse.
    pub(super) fn push(&mut self, outcome: Result<Answer, SignerError>) -> Option<Result<Answer, SignerError>> {
        match outcome {
            Ok(Answer::Refused(refusal)) | Err(SignerError::Refused(refusal)) => {
                self.refusals.push(refusal);
                return self.final_refusal().map(|refusal| Err(refusal.into()));
            }
            Ok(answer) => {
                let place = self.answers.iter().position(|(known, _)| *known == answer);
                let place = place.unwrap_or_else(|| {
                    self.answers.push((answer, 0));
                    self.answers.len() - 1
                });
                let (answer, count) = &mut self.answers[place];
                *count += 1;
                if *count >= self.needed {
                    return Some(Ok(answer.clone()));
                }
            }
            Err(error @ SignerError::Unreachable { .. }) => self.unreachable.push(error),
            Err(error) => self.unanswered.push(error),
        }
        None
    }

    /// The error after all outcomes, where this many signers have carried the request out besides those counted here.
    ///
    /// If so many refuse that the others are not enough, theirs is the reason, and it is final. Otherwise the request has
    /// to be repeated: it may be carried out in part.
    pub(super) fn error(mut self, carried_out: usize) -> SignerError {
        if let Some(refusal) = self.final_refusal() {
            return refusal.into();
        }
        let answered: usize = self.answers.iter().map(|(_, count)| *count).sum();
        let reason = |error: Option<SignerError>| match error {
            Some(SignerError::Unanswered { reason } | SignerError::Unreachable { reason }) => reason,
            Some(error) => error.to_string(),
            None => "too few signers agree".to_owned(),
        };
        if answered + carried_out > 0 || !self.unanswered.is_empty() {
            return SignerError::Unanswered { reason: reason(self.unanswered.pop().or(self.unreachable.pop())) };
        }
        match self.unreachable.pop() {
            Some(error) => error,
            None => most_common(&self.refusals, |_| true).map_or(SignerError::Nonsense, SignerError::Refused),
        }
    }

    /// The refusal of so many signers that the others are not enough, whatever they answer.
    fn final_refusal(&self) -> Option<Refusal> {
        let is_final = |refusal: &Refusal| !refusal.is_undecided();
        let refused = self.refusals.iter().filter(|refusal| is_final(refusal)).count();
        if refused + self.needed > self.signers { most_common(&self.refusals, is_final) } else { None }
    }
}

/// The refusal that most signers give, the first of several.
fn most_common(refusals: &[Refusal], counts: impl Fn(&Refusal) -> bool) -> Option<Refusal> {
    let votes = |one: &Refusal| refusals.iter().filter(|other| *other == one).count();
    refusals.iter().rev().filter(|one| counts(one)).max_by_key(|one| votes(one)).cloned()
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::{Hash as _, sha256};

    use super::*;

    fn unreachable() -> SignerError {
        SignerError::Unreachable { reason: "away".to_owned() }
    }

    fn unanswered() -> SignerError {
        SignerError::Unanswered { reason: "silent".to_owned() }
    }

    fn offer(byte: u8) -> Answer {
        Answer::Offer(sha256::Hash::from_byte_array([byte; 32]))
    }

    fn decided(needed: usize, outcomes: Vec<Result<Answer, SignerError>>) -> Result<Answer, SignerError> {
        let mut votes = Votes::new(outcomes.len(), needed);
        for outcome in outcomes {
            if let Some(decided) = votes.push(outcome) {
                return decided;
            }
        }
        Err(votes.error(0))
    }

    #[test]
    fn enough_equal_answers_decide_and_others_do_not_add_up() {
        assert_eq!(decided(2, vec![Err(unreachable()), Ok(offer(1)), Ok(offer(1))]), Ok(offer(1)));
        assert_eq!(decided(2, vec![Ok(offer(2)), Ok(offer(1)), Ok(offer(1))]), Ok(offer(1)));
        let split = decided(2, vec![Ok(offer(1)), Ok(offer(2)), Err(unreachable())]);
        assert!(matches!(split, Err(SignerError::Unanswered { .. })), "{split:?}");
    }

    #[test]
    fn a_refusal_is_final_once_the_others_are_too_few() {
        let refused = || Ok(Answer::Refused(Refusal::NoOffer));
        let other = || Ok(Answer::Refused(Refusal::ManualOffer));
        assert_eq!(decided(2, vec![refused(), other(), refused()]), Err(Refusal::NoOffer.into()));
        assert_eq!(decided(2, vec![refused(), refused(), Ok(offer(1))]), Err(Refusal::NoOffer.into()));
        assert_eq!(decided(2, vec![refused(), Err(unreachable()), Err(unreachable())]), Err(unreachable()));
        let partly = decided(2, vec![Ok(offer(1)), refused(), Err(unreachable())]);
        assert_eq!(partly, Err(SignerError::Unanswered { reason: "away".to_owned() }));
        let lost = decided(2, vec![Err(unanswered()), refused(), Err(unreachable())]);
        assert_eq!(lost, Err(unanswered()));
        let busy = || Ok(Answer::Refused(Refusal::Busy));
        assert_eq!(decided(2, vec![busy(), busy(), busy()]), Err(Refusal::Busy.into()));
    }
}
