//! Where each job stands.

use super::{Broken, Ledger};
use crate::model::{CostLimit, Job, JobId};
use crate::sim::{Ending, Event, Piece, Reason};
use crate::units::{Money, Price, Rounding, Span, Time, runtime_at};
use crate::workload::GridWorld;
use crate::workload::RuntimeRule;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckedStage {
    Unborn,
    Queued,
    Placed,
    Finished,
    Failed,
}

/// A task of the present attempt.
#[derive(Debug, Clone, Copy, Default)]
struct TaskStory {
    piece: Option<Piece>,
    price: Price,
    started: Option<Time>,
    done: Option<Time>,
}

#[derive(Debug, Clone)]
struct Story {
    stage: CheckedStage,
    tasks: Vec<TaskStory>,
}

pub(super) struct Jobs<'w> {
    world: &'w GridWorld,
    rule: RuntimeRule,
    limit: CostLimit,
    stories: Vec<Story>,
}

impl<'w> Jobs<'w> {
    pub(super) fn new(world: &'w GridWorld, rule: RuntimeRule, limit: CostLimit) -> Self {
        let unborn = Story { stage: CheckedStage::Unborn, tasks: Vec::new() };
        Self { world, rule, limit, stories: vec![unborn; world.jobs.len()] }
    }

    pub(super) fn follow(&mut self, time: Time, what: &Event, broken: &mut Broken) {
        match *what {
            Event::Submitted(job) => {
                let due = self.world.jobs[job.index()].arrival;
                broken.require(time == due, || format!("{job} is submitted at {time}, not at {due}"));
                self.step(time, job, &[CheckedStage::Unborn], CheckedStage::Queued, broken);
            }
            Event::Held(piece, _, price) => {
                self.step(time, piece.job, &[CheckedStage::Queued, CheckedStage::Placed], CheckedStage::Placed, broken);
                let story = self.task(piece);
                // An overrun reserves more for the task that runs; a task that lost its place begins again elsewhere.
                if story.started.is_none() {
                    *story = TaskStory { piece: Some(piece), price, started: None, done: None };
                }
            }
            Event::Started(piece, _, price) => {
                let story = self.task(piece);
                let fresh = story.piece == Some(piece) && story.price == price && story.started.is_none();
                story.started = Some(time);
                broken.require(fresh, || format!("{piece:?} starts at {time} a second time or elsewhere"));
                self.inputs(time, piece, broken);
            }
            Event::Ended(piece, ending) => self.ended(time, piece, ending, broken),
            Event::Postponed(job) => {
                self.step(time, job, &[CheckedStage::Queued, CheckedStage::Placed], CheckedStage::Queued, broken)
            }
            Event::Finished(job) => {
                self.step(time, job, &[CheckedStage::Placed], CheckedStage::Finished, broken);
                self.finished(time, job, broken);
                self.stories[job.index()].tasks = Vec::new();
            }
            Event::GaveUp(job, reason) => {
                self.step(time, job, &[CheckedStage::Queued, CheckedStage::Placed], CheckedStage::Failed, broken);
                let deadline = self.world.jobs[job.index()].request.deadline;
                let arrival = self.world.jobs[job.index()].arrival;
                let is_due = deadline.is_some_and(|deadline| time == deadline.max(arrival));
                broken.require(reason == Reason::Postponed || is_due, || {
                    format!("{job} gives up at {time} for its deadline {deadline:?}")
                });
            }
            _ => {}
        }
    }

    fn step(&mut self, time: Time, job: JobId, from: &[CheckedStage], to: CheckedStage, broken: &mut Broken) {
        let story = &mut self.stories[job.index()];
        broken
            .require(from.contains(&story.stage), || format!("{job} turns from {:?} to {to:?} at {time}", story.stage));
        if to != story.stage && to != CheckedStage::Finished {
            story.tasks = Vec::new();
        }
        story.stage = to;
    }

    fn task(&mut self, piece: Piece) -> &mut TaskStory {
        let tasks = &mut self.stories[piece.job.index()].tasks;
        if tasks.len() <= piece.task as usize {
            tasks.resize(piece.task as usize + 1, TaskStory::default());
        }
        &mut tasks[piece.task as usize]
    }

    /// A task of a workflow starts when its data are there.
    fn inputs(&mut self, time: Time, piece: Piece, broken: &mut Broken) {
        let Some(dag) = &self.world.jobs[piece.job.index()].workflow else { return };
        for edge in dag.edges().iter().filter(|edge| edge.to.0 == piece.task) {
            let before = self.stories[piece.job.index()].tasks.get(edge.from.index()).copied().unwrap_or_default();
            let is_near = before.piece.is_some_and(|other| other.node == piece.node);
            let transfer = if is_near { Span::ZERO } else { edge.transfer };
            broken.require(before.done.is_some_and(|done| done + transfer <= time), || {
                format!("{piece:?} starts at {time}, before the data of task {} are there", edge.from.0)
            });
        }
    }

    /// A task that is done has run for its actual runtime.
    fn ended(&mut self, time: Time, piece: Piece, ending: Ending, broken: &mut Broken) {
        let actual = self
            .estimate(piece)
            .map(|estimate| self.world.jobs[piece.job.index()].actual_runtime(piece.task as usize, estimate));
        let story = self.task(piece);
        let Some(started) = story.started else {
            return broken.add(|| format!("{piece:?} ends at {time} and never started"));
        };
        match ending {
            Ending::Done => {
                story.done = Some(time);
                broken.require(actual == Some(time - started), || {
                    format!("{piece:?} was done in {}, by its runtime in {actual:?}", time - started)
                });
            }
            // It may be placed again.
            Ending::Broken => *story = TaskStory::default(),
        }
    }

    /// The time that a task was expected to take on its node.
    fn estimate(&self, piece: Piece) -> Option<Span> {
        let Job { request, workflow, .. } = &self.world.jobs[piece.job.index()];
        let performance = self.world.nodes[piece.node.index()].performance;
        match workflow {
            None => self.rule.runtime(request, performance),
            Some(dag) => {
                let span = runtime_at(dag.tasks()[piece.task as usize].volume, performance, Rounding::Tick)?;
                Some(span.max(Span::from_ticks(1)))
            }
        }
    }

    /// A finished job has all it asked for, within its budget and its deadline.
    fn finished(&self, time: Time, id: JobId, broken: &mut Broken) {
        let job = &self.world.jobs[id.index()];
        let tasks = &self.stories[id.index()].tasks;
        let wanted = job.workflow.as_ref().map_or(job.request.nodes, |dag| dag.tasks().len());
        let done = tasks.iter().filter(|task| task.done.is_some()).count();
        broken.require(done == wanted && tasks.len() == wanted, || format!("{id}: {done} of {wanted} tasks are done"));
        let pieces: Vec<Piece> = tasks.iter().filter_map(|task| task.piece).collect();
        let is_fast = |piece: &Piece| self.world.nodes[piece.node.index()].performance >= job.request.min_performance;
        broken.require(pieces.iter().all(is_fast), || format!("{id} ran on a node that is too slow"));
        if job.workflow.is_none() {
            let mut nodes: Vec<_> = pieces.iter().map(|piece| piece.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            broken.require(nodes.len() == wanted, || format!("{id} ran on {} nodes, not {wanted}", nodes.len()));
            let together = tasks.windows(2).all(|pair| pair[0].started == pair[1].started);
            broken.require(together, || format!("the tasks of {id} did not start at once"));
        }
        let deadline = job.request.deadline;
        broken.require(deadline.is_none_or(|deadline| time <= deadline), || {
            format!("{id} finished at {time}, after {deadline:?}")
        });
        self.budget(id, tasks, broken);
    }

    fn budget(&self, id: JobId, tasks: &[TaskStory], broken: &mut Broken) {
        let request = &self.world.jobs[id.index()].request;
        match self.limit {
            CostLimit::PerSlot => {
                let is_cheap = tasks.iter().all(|task| task.price <= request.max_price);
                broken.require(is_cheap, || format!("{id} has a slot above its price"));
            }
            CostLimit::Total(factor) => {
                let cost = |task: &TaskStory| {
                    let estimate = task.piece.and_then(|piece| self.estimate(piece)).unwrap_or(Span::ZERO);
                    task.price.checked_mul(estimate).unwrap_or(Money::MAX).as_f64()
                };
                let total: f64 = tasks.iter().map(cost).sum();
                let allowed = factor * request.max_price.as_f64() * request.length.as_f64() * request.nodes as f64;
                // Each cost is rounded to a tick.
                let slack = 1e-9 * allowed + 1e-6 * (tasks.len() + 1) as f64;
                broken.require(total <= allowed + slack, || format!("{id} costs {total}, allowed are {allowed}"));
            }
        }
    }

    /// True if a job waits in the queue, and so without a place.
    pub(super) fn is_queued(&self, job: JobId) -> bool {
        let story = &self.stories[job.index()];
        story.stage == CheckedStage::Queued && story.tasks.is_empty()
    }

    /// The jobs that have a place.
    pub(super) fn placed(&self) -> impl Iterator<Item = JobId> + '_ {
        let placed = |(_, story): &(usize, &Story)| story.stage == CheckedStage::Placed;
        self.stories.iter().enumerate().filter(placed).map(|(index, _)| JobId(index as u32))
    }

    pub(super) fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        for story in &self.stories {
            ledger.submitted += u64::from(story.stage != CheckedStage::Unborn);
            match story.stage {
                CheckedStage::Unborn => {}
                CheckedStage::Queued => ledger.queued += 1,
                CheckedStage::Placed => ledger.placed += 1,
                CheckedStage::Finished => ledger.finished += 1,
                CheckedStage::Failed => ledger.failed += 1,
            }
        }
        ledger
    }
}
