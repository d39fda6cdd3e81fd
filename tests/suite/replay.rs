//! Queues before a homogeneous machine, against plain implementations and by hand.

#[path = "replay/commands.rs"]
mod commands;
#[path = "replay/plain.rs"]
mod plain;
#[path = "replay/refused.rs"]
mod refused;
#[path = "replay/several.rs"]
mod several;

use gridloom::check::check_replay;
use gridloom::queueing::{Order, Queue, QueueRule, RigidJob};
use gridloom::sim::{Instants, ReplayPlacement, replay};
use gridloom::units::{Span, Time};
use proptest::prelude::*;

fn job(submit: i64, processors: u32, estimate: i64, runtime: i64) -> RigidJob {
    RigidJob {
        submit: Time::from_units(submit),
        processors,
        estimate: Span::from_units(estimate),
        runtime: Span::from_units(runtime),
    }
}

fn placements(jobs: &[RigidJob], nodes: u32, queue: impl Into<Queue>, instants: Instants) -> Vec<ReplayPlacement> {
    let queue = queue.into();
    let placements = replay(jobs, nodes, queue, instants).unwrap();
    check_replay(jobs, nodes, queue, &placements).unwrap();
    placements.into_iter().map(|placement| placement.expect("the check saw that all jobs start")).collect()
}

fn starts(jobs: &[RigidJob], nodes: u32, policy: QueueRule) -> Vec<i64> {
    let placements = placements(jobs, nodes, policy, Instants::Batch);
    placements.iter().map(|placement| placement.start.ticks() / 1_000_000).collect()
}

/// Twelve jobs on ten processors; (submit, processors, estimate, runtime).
const TWELVE: [(i64, u32, i64, i64); 12] = [
    (0, 6, 100, 60),  // A
    (5, 4, 40, 40),   // B
    (10, 8, 50, 30),  // C
    (10, 2, 30, 30),  // D
    (12, 9, 35, 20),  // E
    (15, 2, 90, 80),  // F
    (20, 1, 20, 20),  // G
    (50, 3, 20, 20),  // H
    (50, 10, 10, 10), // I
    (70, 1, 200, 90), // J
    (75, 2, 25, 25),  // K
    (80, 5, 30, 30),  // L
];

fn twelve() -> Vec<RigidJob> {
    TWELVE.map(|(submit, processors, estimate, runtime)| job(submit, processors, estimate, runtime)).to_vec()
}

#[test]
fn twelve_jobs_first_come_first_served() {
    // 0: A takes 6. 5: B takes 4, none free. 45: B ends, 4 free, C needs 8 and everyone waits. 60: A ends, 10 free: C (8) and
    // D (2). 90: both end: E (9); F needs 2. 110: E ends: F (2), G (1), H (3); I needs all 10. 190: F ends: I. 200: I ends:
    // J (1), K (2), L (5).
    assert_eq!(starts(&twelve(), 10, QueueRule::Fcfs), [0, 5, 60, 60, 90, 110, 110, 110, 190, 200, 200, 200]);
}

#[test]
fn twelve_jobs_with_easy_backfilling() {
    // 0: A until 100 by its estimate. 5: B until 45; none free. 45: B ends, 4 free. Head C needs 8: shadow 100, when 10 are
    // free, extra 2. D (2) ends by 75: starts. E (9) does not fit. F (2) would end at 135, after the shadow, but needs no more
    // than the extra 2: starts. None free, extra 0.
    // 60: A ends early, 6 free; C's shadow is now 75, when D ends and 8 are free, extra 0. G and H would end at 80: too late.
    // 70: J would end at 270: too late. 75: D ends, 8 free: C starts, until 125 by its estimate. None free.
    // 105: C ends early, 8 free. Head E needs 9: shadow 135, when F ends by its estimate, extra 1. G (1) and H (3) end by 125:
    // both start. I does not fit. J (1) would end at 305, but the extra 1 is enough. K (2) ends by 130: starts. 1 free; L (5).
    // 125: G and H end, F ends early: 7 free. E's shadow is 130, when K ends, extra 0; L would end at 155: too late.
    // 130: K ends, 9 free: E. 150: E ends early, 9 free. Head I needs 10: shadow 305, when J ends by its estimate; L ends by
    // 180: starts. 195: J ends early: I, delayed by J, which was not held against anyone but the head of that time.
    assert_eq!(starts(&twelve(), 10, QueueRule::Easy), [0, 5, 75, 45, 130, 45, 105, 105, 195, 105, 105, 150]);
}

#[test]
fn twelve_jobs_with_conservative_backfilling() {
    // Reservations at arrival, by estimates: A 0-100 (6), B 5-45 (4), C (8) 100-150, D (2) 45-75 beside A, E (9) 150-185 after
    // C. F (2, 90 s): 2 are free beside A and D from 45 on, and 2 beside C: 45-135. G (1, 20 s): none free before D ends: 75-95.
    // 45: B ends, D and F start. 50: H (3, 20 s): at most 2 free before E, 1 beside E: 185-205. I (10): 205-215.
    // 60: A ends early: 6 free. Each moves once, in the order of arrival. C (8): 6 until 75, 7 beside F and G until 95, then 8:
    // 95-145. E (9): after C: 145-180. G (1): 60-80. H (3): 60-80. I (10): 180-190. G and H start.
    // 70: J (1, 200 s): 80-95 is short, C and F leave none until 135, I none from 180 to 190: 190-390. 75: D ends. K (2, 25 s): 4
    // are free, but from 95 on none until 135, then 10 seconds beside C, then 1 beside E: 190-215. 80: G and H end. L (5,
    // 30 s): only 15 seconds until C: beside J and K, 190-220. C could start now, but nothing ended early since its turn.
    // 95: nothing happens, but C's reservation falls due. 125: C and F end early, 10 free. E: 125-160. I: 160-170. J: 170. K: 170.
    // L: 170. 145: E ends early: I: 145-155, J, K and L 155. 155: I ends: J, K, L.
    assert_eq!(starts(&twelve(), 10, QueueRule::Conservative), [0, 5, 95, 45, 125, 45, 60, 60, 145, 155, 155, 155]);
}

#[test]
fn the_two_ways_of_backfilling_differ_where_the_second_in_the_queue_matters() {
    // A holds 6 of 10 until 10. B (8) is the head, reserved for 10; C (10) is next, behind B at 30. D (4, 25 s) fits beside
    // neither: EASY asks only whether B is delayed. B leaves 2, D needs 4 until 27: it must wait for both. E (2, 40 s)
    // uses the extra 2 of B: EASY starts it at 3, which makes C wait until 43; conservative sees that it would delay C.
    let jobs = [job(0, 6, 10, 10), job(1, 8, 20, 20), job(1, 10, 5, 5), job(2, 4, 25, 25), job(3, 2, 40, 40)];
    assert_eq!(starts(&jobs, 10, QueueRule::Easy), [0, 10, 43, 48, 3]);
    assert_eq!(starts(&jobs, 10, QueueRule::Conservative), [0, 10, 30, 35, 35]);
}

#[test]
fn one_pass_per_instant_sees_all_completions_and_a_pass_each_does_not() {
    // X and Y hold 2 of 4 each; at 10 both end, Y 20 seconds before its estimate. W (4) heads the queue, Z (2, 20 s) is next.
    // One pass for the instant sees an idle machine: W runs 10-15, then Z. A pass after X alone sees 2 free and W's shadow
    // at 30, by which Z ends: EASY starts it, and W waits until 30.
    let jobs = [job(0, 2, 10, 10), job(0, 2, 30, 10), job(1, 4, 5, 5), job(2, 2, 20, 20)];
    let starts = |instants| {
        let placed = placements(&jobs, 4, QueueRule::Easy, instants);
        placed.iter().map(|placement| placement.start.ticks() / 1_000_000).collect::<Vec<_>>()
    };
    assert_eq!(starts(Instants::Batch), [0, 0, 10, 15]);
    assert_eq!(starts(Instants::Each), [0, 0, 30, 10]);
}

/// A machine and jobs in order of submission; with `keep` some run beyond their estimate.
fn traces(keep: bool) -> impl Strategy<Value = (u32, Vec<RigidJob>)> {
    let one = (0i64..6, 1u32..=8, 1i64..40, 1i64..=100, any::<bool>());
    (1u32..=8, 1i64..12, prop::collection::vec(one, 1..60)).prop_map(move |(nodes, pace, drawn)| {
        let mut clock = 0;
        let jobs = drawn.into_iter().map(|(gap, processors, estimate, share, on_time)| {
            clock += gap * pace / 4;
            let most = if keep { 3 * estimate } else { estimate };
            let runtime = if on_time { estimate } else { (most * share / 100).max(1) };
            job(clock, processors.min(nodes), estimate, runtime)
        });
        (nodes, jobs.collect())
    })
}

fn depth(jobs: u32) -> QueueRule {
    QueueRule::Depth(jobs.try_into().unwrap())
}

/// Every policy in every order that a log allows.
fn queues() -> Vec<Queue> {
    let orders = [Order::Arrival, Order::Shortest, Order::Largest];
    let policies = QueueRule::ALL.into_iter().chain([depth(2), depth(5)]);
    policies.flat_map(|policy| orders.map(|order| Queue::new(policy, order).unwrap())).collect()
}

#[test]
fn with_the_shortest_first_a_newcomer_goes_before_those_who_wait() {
    // A holds the machine until 20. B (30 s) waits since 1, C (10 s) since 5: C is first at 20, although B was there before.
    let jobs = [job(0, 2, 20, 20), job(1, 2, 30, 30), job(5, 2, 10, 10)];
    let starts = |order| {
        let placed = placements(&jobs, 2, Queue::new(QueueRule::Fcfs, order).unwrap(), Instants::Batch);
        placed.iter().map(|placement| placement.start.ticks() / 1_000_000).collect::<Vec<_>>()
    };
    assert_eq!(starts(Order::Arrival), [0, 20, 50]);
    assert_eq!(starts(Order::Shortest), [0, 30, 20]);
}

#[test]
fn a_second_reservation_keeps_the_second_in_the_queue_from_waiting_longer() {
    // The jobs of the test above: E would delay C, which EASY does not mind; with two reservations it does.
    let jobs = [job(0, 6, 10, 10), job(1, 8, 20, 20), job(1, 10, 5, 5), job(2, 4, 25, 25), job(3, 2, 40, 40)];
    assert_eq!(starts(&jobs, 10, depth(2)), [0, 10, 30, 35, 35]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_implementations_agree_job_by_job(
        (nodes, jobs) in prop_oneof![traces(false), traces(true)],
        instants in prop_oneof![Just(Instants::Batch), Just(Instants::Each)],
        other in prop::sample::select(queues()),
    ) {
        for queue in [QueueRule::Fcfs.into(), QueueRule::Easy.into(), QueueRule::Conservative.into(), other] {
            let fast: Vec<Time> = placements(&jobs, nodes, queue, instants).iter().map(|p| p.start).collect();
            prop_assert_eq!(fast, plain::starts(&jobs, nodes, queue, instants), "{:?} {:?}", queue, instants);
        }
    }

    #[test]
    fn one_reservation_is_easy_and_one_for_everybody_is_conservative(
        (nodes, jobs) in traces(false),
        instants in prop_oneof![Just(Instants::Batch), Just(Instants::Each)],
    ) {
        let starts = |policy| placements(&jobs, nodes, policy, instants).iter().map(|p| p.start).collect::<Vec<_>>();
        prop_assert_eq!(starts(depth(1)), starts(QueueRule::Easy));
        prop_assert_eq!(starts(depth(60)), starts(QueueRule::Conservative));
    }

    #[test]
    fn nobody_who_holds_a_reservation_is_delayed_at_any_depth((nodes, jobs) in traces(false)) {
        let placed = placements(&jobs, nodes, depth(3), Instants::Batch);
        prop_assert!(placed.iter().all(|placement| placement.promised.is_none_or(|start| placement.start <= start)));
    }

    #[test]
    fn starts_in_order_and_promises_are_kept((nodes, jobs) in traces(false)) {
        for instants in [Instants::Batch, Instants::Each] {
            let fcfs = placements(&jobs, nodes, QueueRule::Fcfs, instants);
            prop_assert!(fcfs.windows(2).all(|pair| pair[0].start <= pair[1].start));
            let easy = placements(&jobs, nodes, QueueRule::Easy, instants);
            prop_assert!(easy.iter().all(|placement| placement.promised.is_none_or(|start| placement.start <= start)));
            let conservative = placements(&jobs, nodes, QueueRule::Conservative, instants);
            for placement in conservative {
                prop_assert!(placement.start <= placement.promised.expect("everyone gets a promise at arrival"));
            }
        }
    }

    #[test]
    fn with_exact_estimates_conservative_keeps_its_first_plan((nodes, mut jobs) in traces(false)) {
        jobs.iter_mut().for_each(|job| job.estimate = job.runtime);
        for placement in placements(&jobs, nodes, QueueRule::Conservative, Instants::Batch) {
            prop_assert_eq!(Some(placement.start), placement.promised);
        }
    }

    #[test]
    fn no_policy_exceeds_the_machine((nodes, jobs) in prop_oneof![traces(false), traces(true)]) {
        for policy in QueueRule::ALL {
            let placed = placements(&jobs, nodes, policy, Instants::Batch);
            for now in placed.iter().map(|placement| placement.start) {
                let running = placed.iter().zip(&jobs).filter(|(p, _)| p.start <= now && now < p.finish);
                prop_assert!(running.map(|(_, job)| job.processors).sum::<u32>() <= nodes);
            }
        }
    }
}
