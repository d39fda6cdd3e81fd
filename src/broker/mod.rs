//! Brokers: who gets what where users and providers have wishes of their own.

pub mod multicriteria;
