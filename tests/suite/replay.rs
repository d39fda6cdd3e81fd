//! Queues before a homogeneous machine, against plain implementations and by hand.

#[path = "replay/commands.rs"]
mod commands;
#[path = "replay/plain.rs"]
mod plain;

use gridloom::check::check_replay;
use gridloom::queueing::{Policy, RigidJob};
use gridloom::sim::{Instants, Placement, replay};
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

fn placements(jobs: &[RigidJob], nodes: u32, policy: Policy, instants: Instants) -> Vec<Placement> {
    let placements = replay(jobs, nodes, policy, instants).unwrap();
    check_replay(jobs, nodes, policy, &placements).unwrap();
    placements.into_iter().map(|placement| placement.expect("the check saw that all jobs start")).collect()
}

fn starts(jobs: &[RigidJob], nodes: u32, policy: Policy) -> Vec<i64> {
    let placements = placements(jobs, nodes, policy, Instants::Batch);
    placements.iter().map(|placement| placement.start.ticks() / 1_000_000).collect()
}

/// Twelve jobs on ten processors; (submit, processors, estimate, runtime).
const TWELVE: [(i64, u32, i64, i64); 12] = [
    (0, 6, 100, 60),  // A
    (5, 4, 40, 40),   // B
    (10, 8, 50, 30),  // C
    (10, 2, 30, 30),  // D
    (12, 4, 35, 20),  // E
    (15, 2, 90, 80),  // F
    (20, 1, 200, 90), // G
    (50, 3, 20, 20),  // H
    (50, 10, 10, 10), // I
    (70, 1, 10, 5),   // J
    (75, 2, 25, 25),  // K
    (80, 5, 30, 30),  // L
];

fn twelve() -> Vec<RigidJob> {
    TWELVE.map(|(submit, processors, estimate, runtime)| job(submit, processors, estimate, runtime)).to_vec()
}

#[test]
fn twelve_jobs_first_come_first_served() {
    // 0: A takes 6. 5: B takes 4, none free. 45: B ends, 4 free, C needs 8 and everyone waits. 60: A ends, 10 free: C (8),
    // D (2) start. 90: C and D end: E (4), F (2), G (1), H (3) fill all 10. 110: E and H end, 7 free; I needs 10 and waits
    // for F (170) and G (180). 180: I. 190: J (1), K (2), L (5).
    assert_eq!(starts(&twelve(), 10, Policy::Fcfs), [0, 5, 60, 60, 90, 90, 90, 90, 180, 190, 190, 190]);
}

#[test]
fn twelve_jobs_with_easy_backfilling() {
    // 0: A until 100 by its estimate. 5: B until 45; none free. 45: B ends, 4 free. Head C needs 8: shadow 100, when 10 are
    // free, extra 2. D (2) ends by 75: starts, 2 free. E (4) does not fit. F (2) would end at 135, after the shadow, but
    // needs no more than the extra 2: starts, extra 0, none free.
    // 50: H and I come; none free. 60: A ends early: 6 free; C's shadow is now 75, when D ends and 8 are free, extra 0. E (4)
    // would end at 95, G at 260, H (3) at 80: all too late; I does not fit.
    // 70: J (1) would end at 80: too late. 75: D ends, 8 free: C starts until 125 by its estimate; none free. K comes.
    // 80: L comes. 105: C ends early: 8 free, F runs until 135 by its estimate. E, G, H take 8 in the order of the queue:
    // E (4), G (1), H (3). None free. I is the head.
    // 125: E, F and H end (20, 80 and 20 seconds): 9 free; I needs 10: shadow 305, when G ends by its estimate, extra 0.
    // J ends by 135, K (2) by 150, L (5) by 155: all start.
    // 130: J ends. 150: K ends. 155: L ends. 195: G ends after 90 seconds: I.
    assert_eq!(starts(&twelve(), 10, Policy::Easy), [0, 5, 75, 45, 105, 45, 105, 105, 195, 125, 125, 125]);
}

#[test]
fn twelve_jobs_with_conservative_backfilling() {
    // Reservations at arrival, by estimates. A 0-100 (6). B 5-45 (4). C (8): 100-150. D (2): 45-75, as 4 are free then.
    // E (4, 35 s): 45-100 has 4 less D: not before 75, 75-110 meets C (2 free): not before 150: 150-185.
    // F (2, 90 s): 45-135: 2 free beside D until 75, 4 until 100, 2 beside C: 45.
    // G (1, 200 s): at 45-75 none is free beside A, D, F; at 75 there are 2, at 100-135 A is gone, C and F leave none;
    // 135-150: 2 beside C; from 150 on 6 beside E: 135.
    // 45: B ends on time: D, F start. 50: H (3, 20 s): 75-100 has 2 free; 100-150 has 0 or 1; 150-185: 5 beside E, G: 150.
    // I (10): after G's end at 335: 335-345.
    // 60: A ends early (100). Free: 6 until 75, 8 until 100. In the order of arrival: C (8): at 75, when D has ended, 8 are
    // free: 75-125. E (4, 35 s): 60-75 has 6, from 75 on C and F leave none until 125; at 125 8 are free: 125-160. G (1): 60-75
    // free, then none until 125: at 125 (4 beside E and F): 125-325. H (3, 20 s): 60-75 is too short; 125-145: 10 - E - F - G =
    // 3: 125. I (10): after G at 325.
    // 70: J (1, 10 s): 70-75 has 6, 75-80 none; 125-135: none beside E, F, G, H; 135-145: 2: 135-145.
    // 75: D ends on time, C starts. K (2, 25 s): 135-145 has 1 beside J; at 145 H is gone: 145-170: 10 - E - G = 5: 145.
    // 80: L (5, 30 s): 145-160: 10 - 4 - 1 - 2 = 3; 160-170: 7: 160-190.
    // 105: C ends early (125): 8 free until 125. E: 105-140 (4). G: 105 (1): until 305. H (3): 105-125, which takes the last
    // one. I: 305. J (1): 105-125 none; at 125 H is gone: 3 free: 125-135. K (2): at 125: 3 - J = 2: 125-150. L (5): 125-135:
    // 0; at 135 F and J are gone: 10 - 4 - 1 - 2 = 3; at 140 E is gone: 7: 140-170.
    // 125: E ends early (140), F ends early (135), H on time. In the order of arrival: I: 305. J stays at 125, K too. L (5): 10 - 1
    // - 1 - 2 = 6: 125. All start. 195: G ends early (305): I.
    assert_eq!(starts(&twelve(), 10, Policy::Conservative), [0, 5, 75, 45, 105, 45, 105, 105, 195, 125, 125, 125]);
}

#[test]
fn the_two_ways_of_backfilling_differ_where_the_second_in_the_queue_matters() {
    // A holds 6 of 10 until 10. B (8) is the head, reserved for 10; C (10) is next, behind B at 30. D (4, 25 s) fits beside
    // neither: EASY asks only whether B is delayed. B leaves 2, D needs 4 until 27: it must wait for both. E (2, 40 s)
    // uses the extra 2 of B: EASY starts it at 3, which makes C wait until 43; conservative sees that it would delay C.
    let jobs = [job(0, 6, 10, 10), job(1, 8, 20, 20), job(1, 10, 5, 5), job(2, 4, 25, 25), job(3, 2, 40, 40)];
    assert_eq!(starts(&jobs, 10, Policy::Easy), [0, 10, 43, 48, 3]);
    assert_eq!(starts(&jobs, 10, Policy::Conservative), [0, 10, 30, 35, 35]);
}

#[test]
fn one_pass_per_instant_sees_all_completions_and_a_pass_each_does_not() {
    // X and Y hold 2 of 4 each; at 10 both end, Y 20 seconds before its estimate. W (4) heads the queue, Z (2, 20 s) is next.
    // One pass for the instant sees an idle machine: W runs 10-15, then Z. A pass after X alone sees 2 free and W's shadow
    // at 30, by which Z ends: EASY starts it, and W waits until 30.
    let jobs = [job(0, 2, 10, 10), job(0, 2, 30, 10), job(1, 4, 5, 5), job(2, 2, 20, 20)];
    let starts = |instants| {
        let placed = placements(&jobs, 4, Policy::Easy, instants);
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_implementations_agree_job_by_job(
        (nodes, jobs) in prop_oneof![traces(false), traces(true)],
        instants in prop_oneof![Just(Instants::Batch), Just(Instants::Each)],
    ) {
        for policy in Policy::ALL {
            let fast: Vec<Time> = placements(&jobs, nodes, policy, instants).iter().map(|p| p.start).collect();
            prop_assert_eq!(fast, plain::starts(&jobs, nodes, policy, instants), "{:?} {:?}", policy, instants);
        }
    }

    #[test]
    fn starts_in_order_and_promises_are_kept((nodes, jobs) in traces(false)) {
        for instants in [Instants::Batch, Instants::Each] {
            let fcfs = placements(&jobs, nodes, Policy::Fcfs, instants);
            prop_assert!(fcfs.windows(2).all(|pair| pair[0].start <= pair[1].start));
            let easy = placements(&jobs, nodes, Policy::Easy, instants);
            prop_assert!(easy.iter().all(|placement| placement.promised.is_none_or(|start| placement.start <= start)));
            let conservative = placements(&jobs, nodes, Policy::Conservative, instants);
            for placement in conservative {
                prop_assert!(placement.start <= placement.promised.expect("everyone gets a promise at arrival"));
            }
        }
    }

    #[test]
    fn with_exact_estimates_conservative_keeps_its_first_plan((nodes, mut jobs) in traces(false)) {
        jobs.iter_mut().for_each(|job| job.estimate = job.runtime);
        for placement in placements(&jobs, nodes, Policy::Conservative, Instants::Batch) {
            prop_assert_eq!(Some(placement.start), placement.promised);
        }
    }

    #[test]
    fn no_policy_exceeds_the_machine((nodes, jobs) in prop_oneof![traces(false), traces(true)]) {
        for policy in Policy::ALL {
            let placed = placements(&jobs, nodes, policy, Instants::Batch);
            for now in placed.iter().map(|placement| placement.start) {
                let running = placed.iter().zip(&jobs).filter(|(p, _)| p.start <= now && now < p.finish);
                prop_assert!(running.map(|(_, job)| job.processors).sum::<u32>() <= nodes);
            }
        }
    }
}
