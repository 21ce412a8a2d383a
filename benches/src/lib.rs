//! What the market costs: criterion benches, load generators and the raw figures beside them.
