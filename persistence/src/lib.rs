//! The journal on sled: acknowledged means on the platter.
