//! The error codes of a PSBT that a wallet returned: one code for every kind of tampering.
//!
//! Callers that take a signed transaction use `Template::check_returned` and convert its refusal with `?`.

use bitcoin::psbt::PsbtSighashType;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signature_check::SignatureFault;
use serde_json::{Value, json};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

impl From<ReturnedPsbtError> for ApiError {
    fn from(error: ReturnedPsbtError) -> Self {
        let (code, values) = classify(&error);
        let refusal = Self::new(code, error);
        if values.is_null() { refusal } else { refusal.with_values(values) }
    }
}

/// Returns the code of a refusal and the values it names.
fn classify(error: &ReturnedPsbtError) -> (ErrorCode, Value) {
    let at = |index: &usize| json!({"input": index});
    match error {
        ReturnedPsbtError::TooLong { length, max } => (ErrorCode::PsbtTooLong, json!({"length": length, "max": max})),
        ReturnedPsbtError::NotText => (ErrorCode::PsbtNotText, Value::Null),
        ReturnedPsbtError::NotPsbt { .. } => (ErrorCode::PsbtMalformed, Value::Null),
        ReturnedPsbtError::WrongTransaction { expected, found } => {
            (ErrorCode::PsbtOtherTransaction, changed(None, &expected.to_string(), &found.to_string()))
        }
        ReturnedPsbtError::Version { expected, found } => {
            (ErrorCode::PsbtVersionChanged, changed(None, &expected.0, &found.0))
        }
        ReturnedPsbtError::LockTime { expected, found } => {
            (ErrorCode::PsbtLockTimeChanged, changed(None, &expected.to_consensus_u32(), &found.to_consensus_u32()))
        }
        ReturnedPsbtError::InputCount { expected, found } => {
            (ErrorCode::PsbtInputCountChanged, changed(None, expected, found))
        }
        ReturnedPsbtError::Outpoint { index, expected, found } => {
            (ErrorCode::PsbtInputChanged, changed(Some(*index), &expected.to_string(), &found.to_string()))
        }
        ReturnedPsbtError::Sequence { index, expected, found } => {
            (ErrorCode::PsbtSequenceChanged, changed(Some(*index), &expected.0, &found.0))
        }
        ReturnedPsbtError::OutputCount { expected, found } => {
            (ErrorCode::PsbtOutputCountChanged, changed(None, expected, found))
        }
        ReturnedPsbtError::Output { index } => (ErrorCode::PsbtOutputChanged, json!({"output": index})),
        ReturnedPsbtError::WitnessUtxo { index } => (ErrorCode::PsbtSpentOutputWrong, at(index)),
        ReturnedPsbtError::PreviousTransaction { index } => (ErrorCode::PsbtPreviousTransactionWrong, at(index)),
        ReturnedPsbtError::ForeignScript { index } => (ErrorCode::PsbtForeignScript, at(index)),
        ReturnedPsbtError::ForeignTaproot { index } => (ErrorCode::PsbtForeignTaproot, at(index)),
        ReturnedPsbtError::UnknownLeaf { index } => (ErrorCode::PsbtUnknownLeaf, at(index)),
        ReturnedPsbtError::DeclaredSighash { index, found } => {
            (ErrorCode::PsbtSighashDeclared, json!({"input": index, "found": found.to_string()}))
        }
        ReturnedPsbtError::ForeignSignature { index } => (ErrorCode::PsbtForeignSignature, at(index)),
        ReturnedPsbtError::Signature { index, fault } => signature_fault(*index, *fault),
        ReturnedPsbtError::NotSegwit { index } => (ErrorCode::PsbtNotSegwit, at(index)),
        ReturnedPsbtError::UnexpectedWitness { index } => (ErrorCode::PsbtOtherWitness, at(index)),
        ReturnedPsbtError::MissingSignature { index } => (ErrorCode::PsbtSignatureMissing, at(index)),
    }
}

fn signature_fault(index: usize, fault: SignatureFault) -> (ErrorCode, Value) {
    let at = json!({"input": index});
    match fault {
        SignatureFault::Malformed => (ErrorCode::PsbtSignatureMalformed, at),
        SignatureFault::HighS => (ErrorCode::PsbtSignatureHighS, at),
        SignatureFault::WrongSighash { expected, found } => {
            let text = |sighash: PsbtSighashType| sighash.to_string();
            (ErrorCode::PsbtSignatureSighash, changed(Some(index), &text(expected), &text(found)))
        }
        SignatureFault::OtherInput { other } => {
            (ErrorCode::PsbtSignatureMisplaced, json!({"input": index, "otherInput": other}))
        }
        SignatureFault::Invalid => (ErrorCode::PsbtSignatureInvalid, at),
    }
}

/// The expected and the found value, and the input.
fn changed<T: serde::Serialize>(input: Option<usize>, expected: &T, found: &T) -> Value {
    let mut values = json!({"expected": expected, "found": found});
    if let Some(index) = input {
        values["input"] = json!(index);
    }
    values
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use bitcoin::absolute::LockTime;
    use bitcoin::hashes::Hash as _;
    use bitcoin::transaction::Version;
    use bitcoin::{EcdsaSighashType, OutPoint, Sequence, Txid};

    use super::*;

    /// One refusal of each kind.
    fn all_kinds() -> Vec<ReturnedPsbtError> {
        let (index, sighash) = (3, PsbtSighashType::from(EcdsaSighashType::All));
        let (txid, outpoint) = (Txid::all_zeros(), OutPoint::null());
        let faults = [
            SignatureFault::Malformed,
            SignatureFault::HighS,
            SignatureFault::WrongSighash { expected: sighash, found: sighash },
            SignatureFault::OtherInput { other: 4 },
            SignatureFault::Invalid,
        ];
        let mut all = vec![
            ReturnedPsbtError::TooLong { length: 2, max: 1 },
            ReturnedPsbtError::NotText,
            ReturnedPsbtError::NotPsbt { reason: "x".to_owned() },
            ReturnedPsbtError::WrongTransaction { expected: txid, found: txid },
            ReturnedPsbtError::Version { expected: Version::ONE, found: Version::TWO },
            ReturnedPsbtError::LockTime { expected: LockTime::ZERO, found: LockTime::ZERO },
            ReturnedPsbtError::InputCount { expected: 1, found: 2 },
            ReturnedPsbtError::Outpoint { index, expected: outpoint, found: outpoint },
            ReturnedPsbtError::Sequence { index, expected: Sequence::ZERO, found: Sequence::MAX },
            ReturnedPsbtError::OutputCount { expected: 1, found: 2 },
            ReturnedPsbtError::Output { index },
            ReturnedPsbtError::WitnessUtxo { index },
            ReturnedPsbtError::PreviousTransaction { index },
            ReturnedPsbtError::ForeignScript { index },
            ReturnedPsbtError::ForeignTaproot { index },
            ReturnedPsbtError::UnknownLeaf { index },
            ReturnedPsbtError::DeclaredSighash { index, found: sighash },
            ReturnedPsbtError::ForeignSignature { index },
            ReturnedPsbtError::NotSegwit { index },
            ReturnedPsbtError::UnexpectedWitness { index },
            ReturnedPsbtError::MissingSignature { index },
        ];
        all.extend(faults.map(|fault| ReturnedPsbtError::Signature { index, fault }));
        all
    }

    #[test]
    fn every_kind_has_a_code_of_its_own_and_a_readable_text() {
        let kinds = all_kinds();
        let refusals: Vec<ApiError> = kinds.iter().cloned().map(ApiError::from).collect();
        let codes: HashSet<ErrorCode> = refusals.iter().map(ApiError::code).collect();
        assert_eq!((codes.len(), kinds.len()), (26, 26));
        for (kind, refusal) in kinds.iter().zip(&refusals) {
            let (code, problem) = (refusal.code(), refusal.problem(None));
            assert!(code.code().starts_with("psbt_") && problem.status == 422, "{kind:?}: {code}");
            assert!(problem.title.contains(' ') && problem.detail == kind.to_string(), "{kind:?}");
            if kind.to_string().contains("input 3") {
                assert_eq!(refusal.values().unwrap()["input"], 3, "{kind:?}");
            }
        }
    }
}
