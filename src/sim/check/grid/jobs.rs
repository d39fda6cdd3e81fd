//! Where each job stands.

use super::{Broken, Ledger};
use crate::model::{CostLimit, Job, JobId, Request};
use crate::sim::{Cause, Displacement, Ending, Event, GridRules, Loss, OverrunRule, Piece, Reason};
use crate::units::{Money, Price, Rounding, Span, Time, Volume, runtime_at};
use crate::workflow::Transfers;
use crate::workload::GridWorld;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckedStage {
    Unborn,
    Queued,
    Placed,
    Finished,
    Failed(Reason),
}

/// A task since its job last lost everything.
#[derive(Debug, Clone, Copy, Default)]
struct TaskStory {
    piece: Option<Piece>,
    price: Price,
    started: Option<Time>,
    done: Option<Time>,
    /// The share of its estimate that checkpoints have saved.
    saved: f64,
}

#[derive(Debug, Clone)]
struct Story {
    stage: CheckedStage,
    tasks: Vec<TaskStory>,
    /// Of a rigid job, the share that checkpoints have saved before its last stop, and the least that they have saved of
    /// a task then.
    saved: f64,
    last_saved: f64,
    /// True if all was lost since the job was last placed.
    is_lost: bool,
    /// True if a task was broken off since all was last lost.
    is_broken: bool,
    /// The tasks that were broken off last for another job, and when.
    yielded: Option<Box<(Time, Vec<u32>)>>,
}

impl Story {
    const UNBORN: Self = Self {
        stage: CheckedStage::Unborn,
        tasks: Vec::new(),
        saved: 0.0,
        last_saved: f64::INFINITY,
        is_lost: false,
        is_broken: false,
        yielded: None,
    };

    /// Forgets all that was done.
    fn lose(&mut self) {
        let yielded = std::mem::take(&mut self.yielded);
        *self = Self { stage: self.stage, is_lost: true, yielded, ..Self::UNBORN };
    }

    /// What a rigid job saved when it last stopped counts once it is placed again.
    fn settle(&mut self) {
        if self.last_saved.is_finite() {
            self.saved += std::mem::replace(&mut self.last_saved, f64::INFINITY);
        }
    }
}

pub(super) struct Jobs<'w> {
    world: &'w GridWorld,
    rules: &'w GridRules,
    stories: Vec<Story>,
}

impl<'w> Jobs<'w> {
    pub(super) fn new(world: &'w GridWorld, rules: &'w GridRules) -> Self {
        Self { world, rules, stories: vec![Story::UNBORN; world.jobs.len()] }
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
                let story = &mut self.stories[piece.job.index()];
                story.is_lost = false;
                let is_workflow = self.world.jobs[piece.job.index()].workflow.is_some();
                let goes_on = is_workflow && story.is_broken && self.rules.displacement == Displacement::Job;
                broken.require(!goes_on, || format!("{} goes on at {time}, though it was to lose all", piece.job));
                if !is_workflow {
                    story.settle();
                }
                let task = self.task(piece);
                let is_open = task.started.is_none() && task.done.is_none();
                *task = TaskStory { piece: Some(piece), price, ..*task };
                broken.require(is_open, || format!("{piece:?} is placed at {time} while it runs or though it is done"));
            }
            Event::Extended(piece, _) => {
                let is_allowed = self.rules.overrun != OverrunRule::Ended || !self.is_over(piece, time);
                broken.require(is_allowed, || format!("{piece:?} goes on at {time}, where overruns are ended"));
            }
            Event::Collided(piece, Cause::Job, _) => {
                // An overrun ran into a reservation, or took it, as the rule is.
                let yielded = self.stories[piece.job.index()].yielded.as_deref();
                let ran = yielded.is_some_and(|(when, tasks)| *when == time && tasks.contains(&piece.task));
                let is_allowed = match self.rules.overrun {
                    OverrunRule::Ended => false,
                    OverrunRule::GoesOn => ran,
                    OverrunRule::Extended => !ran,
                };
                broken.require(is_allowed, || format!("{piece:?} yields to another job at {time} against the rule"));
            }
            Event::Lost(job, _) => self.stories[job.index()].lose(),
            Event::Started(piece, _, price) => {
                let story = self.task(piece);
                let fresh = story.piece == Some(piece) && story.price == price && story.started.is_none();
                story.started = Some(time);
                broken.require(fresh, || format!("{piece:?} starts at {time} a second time or elsewhere"));
                self.inputs(time, piece, broken);
            }
            Event::Ended(piece, ending) => self.ended(time, piece, ending, broken),
            Event::Postponed(job) => {
                self.step(time, job, &[CheckedStage::Queued, CheckedStage::Placed], CheckedStage::Queued, broken);
                self.sent_back(time, job, broken);
            }
            Event::Finished(job) => {
                self.step(time, job, &[CheckedStage::Placed], CheckedStage::Finished, broken);
                self.finished(time, job, broken);
                self.stories[job.index()].lose();
            }
            Event::GaveUp(job, reason) => {
                let failed = CheckedStage::Failed(reason);
                self.step(time, job, &[CheckedStage::Queued, CheckedStage::Placed], failed, broken);
                let kept = self.stories[job.index()].tasks.iter().any(|task| task.started.is_some());
                broken.require(!kept, || format!("{job} gives up at {time} and keeps work"));
                let deadline = self.world.jobs[job.index()].request.deadline;
                let arrival = self.world.jobs[job.index()].arrival;
                let is_due = deadline.is_some_and(|deadline| time == deadline.max(arrival));
                let is_allowed = match reason {
                    Reason::Expired | Reason::Late => is_due,
                    Reason::Postponed => true,
                    Reason::Overran => self.rules.overrun == OverrunRule::Ended,
                };
                broken.require(is_allowed, || format!("{job} gives up at {time}: {reason:?}, deadline {deadline:?}"));
            }
            _ => {}
        }
    }

    fn step(&mut self, time: Time, job: JobId, from: &[CheckedStage], to: CheckedStage, broken: &mut Broken) {
        let story = &mut self.stories[job.index()];
        broken
            .require(from.contains(&story.stage), || format!("{job} turns from {:?} to {to:?} at {time}", story.stage));
        story.stage = to;
    }

    /// A job that is sent back keeps what the rule of displacement leaves it.
    fn sent_back(&mut self, time: Time, job: JobId, broken: &mut Broken) {
        let story = &self.stories[job.index()];
        let is_workflow = self.world.jobs[job.index()].workflow.is_some();
        let has_begun = story.tasks.iter().any(|task| task.started.is_some());
        match self.rules.displacement {
            Displacement::Job => {
                broken.require(!has_begun, || format!("{job} is sent back at {time} and keeps work"));
            }
            _ if is_workflow => {
                broken.require(!story.is_lost, || format!("{job} is sent back at {time} and loses all"));
            }
            _ => {
                let is_running = story.tasks.iter().any(|task| task.started.is_some() && task.done.is_none());
                broken.require(!is_running, || format!("{job} is sent back at {time} and runs"));
                // The tasks of a rigid job begin again together.
                self.stories[job.index()].tasks = Vec::new();
            }
        }
    }

    /// True if a task has run for as long as was estimated.
    fn is_over(&mut self, piece: Piece, time: Time) -> bool {
        let estimate = self.estimate(piece);
        let started = self.task(piece).started;
        started.zip(estimate).is_some_and(|(started, estimate)| time >= started + estimate)
    }

    /// The share of a task's estimate that checkpoints have saved.
    fn saved(&self, piece: Piece) -> f64 {
        let story = &self.stories[piece.job.index()];
        match self.world.jobs[piece.job.index()].workflow {
            Some(_) => story.tasks.get(piece.task as usize).map_or(0.0, |task| task.saved),
            None => story.saved,
        }
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
            let is_free = is_near && self.rules.transfers == Transfers::BetweenNodes;
            let transfer = if is_free { Span::ZERO } else { edge.transfer };
            broken.require(before.done.is_some_and(|done| done + transfer <= time), || {
                format!("{piece:?} starts at {time}, before the data of task {} are there", edge.from.0)
            });
        }
    }

    /// A task that is done has run for its actual runtime; of one that is broken off, what its checkpoints have saved is
    /// kept.
    fn ended(&mut self, time: Time, piece: Piece, ending: Ending, broken: &mut Broken) {
        let Some(estimate) = self.estimate(piece) else {
            return broken.add(|| format!("{piece:?} has no runtime on its node"));
        };
        let saved = self.saved(piece);
        let Some(started) = self.task(piece).started else {
            return broken.add(|| format!("{piece:?} ends at {time} and never started"));
        };
        let ran = time - started;
        broken.require(self.rules.overrun != OverrunRule::Ended || ran <= estimate, || {
            format!("{piece:?} ran for {ran}, reserved were {estimate}, and overruns are ended")
        });
        let job = &self.world.jobs[piece.job.index()];
        match ending {
            Ending::Done => {
                self.task(piece).done = Some(time);
                let actual = job.actual_rest(piece.task as usize, estimate, saved, self.least_rest());
                // Shares of work are not whole numbers of ticks.
                let slack = if saved > 0.0 { 1e-9 * ran.as_f64() + 1e-5 } else { 0.0 };
                broken.require((actual.as_f64() - ran.as_f64()).abs() <= slack, || {
                    format!("{piece:?} was done in {ran}, by its runtime in {actual}")
                });
            }
            Ending::Broken(loss, kept) => {
                let due = match self.rules.displacement {
                    // By counting, unlike the simulation.
                    Displacement::Checkpoint { every, cost } => {
                        let mut due = Span::ZERO;
                        while due + every + cost <= ran {
                            due = due + every + cost;
                        }
                        due
                    }
                    Displacement::Task | Displacement::Job => Span::ZERO,
                };
                broken.require(kept == due, || format!("{piece:?} saves {kept} of {ran}, not {due}"));
                let share =
                    kept.as_f64() / estimate.as_f64() * job.share_left(piece.task as usize, saved, self.least_rest());
                let is_workflow = job.workflow.is_some();
                let story = &mut self.stories[piece.job.index()];
                story.is_broken = true;
                if loss == Loss::Job {
                    let yielded = story.yielded.get_or_insert_default();
                    if yielded.0 < time {
                        **yielded = (time, Vec::new());
                    }
                    yielded.1.push(piece.task);
                }
                if !is_workflow {
                    story.last_saved = story.last_saved.min(share);
                }
                let task = self.task(piece);
                let saved = if is_workflow { task.saved + share } else { 0.0 };
                // It may be placed again.
                *task = TaskStory { saved, ..TaskStory::default() };
            }
        }
    }

    /// The least time that is planned for the rest of a task: twice from one checkpoint to the next.
    fn least_rest(&self) -> Span {
        match self.rules.displacement {
            Displacement::Checkpoint { every, cost } => every + cost + every + cost,
            Displacement::Task | Displacement::Job => Span::ZERO,
        }
    }

    /// The time that a task was expected to take on its node.
    fn estimate(&self, piece: Piece) -> Option<Span> {
        let job = &self.world.jobs[piece.job.index()];
        let Job { request, workflow, .. } = job;
        let performance = self.world.nodes[piece.node.index()].performance;
        let saved = self.saved(piece);
        let left = job.share_left(piece.task as usize, saved, self.least_rest());
        match workflow {
            None if saved > 0.0 => {
                let length = Span::from_f64(request.length.as_f64() * left).ok()?.max(Span::from_ticks(1));
                self.rules.rule.runtime(&Request { length, ..request.clone() }, performance)
            }
            None => self.rules.rule.runtime(request, performance),
            Some(dag) => {
                let whole = dag.tasks()[piece.task as usize].volume;
                let volume = if saved > 0.0 { Volume::from_f64(whole.as_f64() * left).ok()? } else { whole };
                let span = runtime_at(volume, performance, Rounding::Tick)?;
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
        match self.rules.limit {
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
                // What checkpoints have saved of a rigid job leaves it the budget of the rest.
                let job = &self.world.jobs[id.index()];
                let left = job.share_left(0, self.stories[id.index()].saved, self.least_rest());
                let length = request.length.as_f64() * left;
                let allowed = factor * request.max_price.as_f64() * length * request.nodes as f64;
                // Each cost is rounded to a tick.
                let slack = 1e-9 * allowed + 1e-6 * (tasks.len() + 1) as f64;
                broken.require(total <= allowed + slack, || format!("{id} costs {total}, allowed are {allowed}"));
            }
        }
    }

    /// True if a job waits in the queue.
    pub(super) fn is_queued(&self, job: JobId) -> bool {
        self.stories[job.index()].stage == CheckedStage::Queued
    }

    /// The jobs that have a place.
    pub(super) fn placed(&self) -> impl Iterator<Item = JobId> + '_ {
        let placed = |(_, story): &(usize, &Story)| story.stage == CheckedStage::Placed;
        self.stories.iter().enumerate().filter(placed).map(|(index, _)| JobId(index as u32))
    }

    pub(super) fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        for (job, story) in self.world.jobs.iter().zip(&self.stories) {
            if job.arrival < self.world.measured.start || job.arrival >= self.world.measured.end {
                continue;
            }
            ledger.measured += 1;
            match story.stage {
                CheckedStage::Unborn => {}
                CheckedStage::Queued | CheckedStage::Placed => ledger.undecided += 1,
                CheckedStage::Finished => ledger.finished += 1,
                CheckedStage::Failed(Reason::Late) => ledger.late += 1,
                CheckedStage::Failed(Reason::Expired) => ledger.expired += 1,
                CheckedStage::Failed(Reason::Postponed | Reason::Overran) => ledger.failed += 1,
            }
        }
        ledger
    }

    /// The number of jobs that were submitted.
    pub(super) fn submitted(&self) -> usize {
        self.stories.iter().filter(|story| story.stage != CheckedStage::Unborn).count()
    }
}
