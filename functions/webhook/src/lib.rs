//! The webhook function: a signed event in, jobs on the queue out.
