//! One outbound message and the states of its ledger entry.
