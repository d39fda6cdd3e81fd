//! Critical chains: the longest rows of tasks that wait for each other.

use super::Estimates;
use crate::model::{Dag, TaskId};
use crate::units::Span;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The longest chain of tasks for which `is_open` holds, by their best estimates and all transfers; among equals the
/// one whose tasks have lower numbers. Empty if there is no such task.
pub fn longest_chain(dag: &Dag, estimates: &Estimates, is_open: impl Fn(TaskId) -> bool) -> Vec<TaskId> {
    let tails = tails(dag, estimates, &is_open);
    let open = |task: &TaskId| is_open(*task);
    let tasks = (0..dag.tasks().len() as u32).map(TaskId).filter(open);
    let mut next = tasks.max_by_key(|&task| (tails[task.index()], Reverse(task)));
    let mut chain = Vec::new();
    while let Some(task) = next {
        chain.push(task);
        let rest = tails[task.index()] - estimates.best(task);
        let follows = |to: &TaskId| open(to);
        let after = dag.successors(task).filter(|edge| edge.transfer + tails[edge.to.index()] == rest);
        // A last task has nothing left, but so may one before tasks without length: those belong to the chain, too.
        next = after.map(|edge| edge.to).filter(follows).min();
    }
    chain
}

/// By task: how long the longest chain is that starts with it.
fn tails(dag: &Dag, estimates: &Estimates, is_open: &impl Fn(TaskId) -> bool) -> Vec<Span> {
    let mut tails = vec![Span::ZERO; dag.tasks().len()];
    for &task in dag.order().iter().rev().filter(|&&task| is_open(task)) {
        let open = dag.successors(task).filter(|edge| is_open(edge.to));
        let rest = open.map(|edge| edge.transfer + tails[edge.to.index()]).max().unwrap_or(Span::ZERO);
        tails[task.index()] = estimates.best(task) + rest;
    }
    tails
}

/// The length of the longest chain of all: l, from which scheduling intervals are made.
pub fn critical_length(dag: &Dag, estimates: &Estimates) -> Span {
    tails(dag, estimates, &|_| true).into_iter().max().unwrap_or(Span::ZERO)
}

/// The chains from a first to a last task, the longest first, at most `limit` of them, each with its length by best
/// estimates and transfers.
///
/// A best-first search: the length of what is gone plus the longest way that remains is exact, so chains come out in
/// order.
pub fn critical_chains(dag: &Dag, estimates: &Estimates, limit: usize) -> Vec<(Span, Vec<TaskId>)> {
    let tails = tails(dag, estimates, &|_| true);
    let firsts = (0..dag.tasks().len() as u32).map(TaskId).filter(|&task| dag.predecessors(task).next().is_none());
    let mut open: BinaryHeap<(Span, Reverse<Vec<TaskId>>, Span)> =
        firsts.map(|task| (tails[task.index()], Reverse(vec![task]), Span::ZERO)).collect();
    let mut found = Vec::new();
    while let Some((length, Reverse(chain), gone)) = open.pop() {
        let Some(&last) = chain.last().filter(|_| found.len() < limit) else { break };
        let gone = gone + estimates.best(last);
        let mut is_end = true;
        for edge in dag.successors(last) {
            is_end = false;
            let gone = gone + edge.transfer;
            let longer = [&chain[..], &[edge.to]].concat();
            open.push((gone + tails[edge.to.index()], Reverse(longer), gone));
        }
        if is_end {
            found.push((length, chain));
        }
    }
    found
}
