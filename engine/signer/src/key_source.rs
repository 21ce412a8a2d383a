//! The randomness that single-use keys are made of.

use bitcoin::secp256k1::rand::RngCore as _;
use bitcoin::secp256k1::rand::rngs::OsRng;
use zeroize::Zeroizing;

/// A function that returns 32 random bytes.
type Draw = Box<dyn FnMut() -> Zeroizing<[u8; 32]> + Send>;

/// A source of randomness: that of the system, which is the default.
pub struct KeySource(Draw);

impl KeySource {
    /// The source of a test, whose run is repeated byte by byte. The keys are as secret as these bytes.
    #[must_use]
    pub fn of_a_test(mut draw: impl FnMut() -> [u8; 32] + Send + 'static) -> Self {
        Self(Box::new(move || Zeroizing::new(draw())))
    }

    pub(crate) fn draw(&mut self) -> Zeroizing<[u8; 32]> {
        (self.0)()
    }
}

impl Default for KeySource {
    fn default() -> Self {
        Self(Box::new(|| {
            let mut bytes = Zeroizing::new([0; 32]);
            OsRng.fill_bytes(&mut *bytes);
            bytes
        }))
    }
}

impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeySource")
    }
}
