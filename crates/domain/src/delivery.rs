//! How a person sees a Send.
