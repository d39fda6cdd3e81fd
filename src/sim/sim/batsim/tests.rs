use super::*;
use crate::queueing::{Order, Reserving, RigidJob};
use crate::sim::{Instants, ReplayPlacement, replay, replay_watched};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

/// The answering side of the protocol, written for the tests alone.
struct Responder(TcpStream);

impl Responder {
    fn accept(listener: &TcpListener) -> Self {
        let mut stream = listener.accept().unwrap().0;
        stream.set_nodelay(true).unwrap();
        let mut greeting = [0_u8; 64];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!((greeting[0], greeting[9], greeting[10], &greeting[12..16]), (0xff, 0x7f, 3, &b"NULL"[..]));
        greeting[32] = 0;
        stream.write_all(&greeting).unwrap();
        let mut responder = Self(stream);
        let (flags, ready) = responder.frame().unwrap();
        assert!(flags == 4 && ready.starts_with(b"\x05READY\x0bSocket-Type\0\0\0\x03REQ"), "{ready:?}");
        responder.write(4, b"\x05READY\x0bSocket-Type\0\0\0\x03REP\x08Identity\0\0\0\0");
        responder
    }

    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut flags = [0_u8];
        self.0.read_exact(&mut flags).ok()?;
        let length = if flags[0] & 2 == 0 {
            let mut short = [0_u8];
            self.0.read_exact(&mut short).ok()?;
            u64::from(short[0])
        } else {
            let mut long = [0_u8; 8];
            self.0.read_exact(&mut long).ok()?;
            u64::from_be_bytes(long)
        };
        let mut body = vec![0_u8; length as usize];
        self.0.read_exact(&mut body).ok()?;
        Some((flags[0], body))
    }

    fn write(&mut self, flags: u8, body: &[u8]) {
        let mut frame = vec![flags | 2];
        frame.extend((body.len() as u64).to_be_bytes());
        frame.extend(body);
        // Whoever asked may have gone.
        let _ = self.0.write_all(&frame);
    }

    fn question(&mut self) -> Option<Value> {
        assert_eq!(self.frame()?, (1, Vec::new()));
        let (flags, body) = self.frame()?;
        assert_eq!(flags & 1, 0);
        Some(serde_json::from_slice(&body).unwrap())
    }

    fn answer(&mut self, text: &str) {
        self.write(1, &[]);
        self.write(0, text.as_bytes());
    }
}

/// Somebody who answers each question by `answer`, until it gives nothing.
fn scheduler(mut answer: impl FnMut(&Value) -> Option<String> + Send + 'static) -> (BatsimPlace, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("tcp://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let mut responder = Responder::accept(&listener);
        while let Some(question) = responder.question() {
            let Some(text) = answer(&question) else { return };
            responder.answer(&text);
        }
    });
    (BatsimPlace { endpoint, answer_within: 5.0 }, thread)
}

/// EASY at the other end of the line: jobs get the lowest processors that are free.
fn easy_elsewhere(processors: u32) -> (BatsimPlace, JoinHandle<()>) {
    let mut easy = Reserving::new(processors, Order::Arrival, 1);
    let mut free: BTreeSet<u32> = (0..processors).collect();
    let mut jobs: BTreeMap<u32, QueuedJob> = BTreeMap::new();
    let mut running: BTreeMap<u32, (Vec<u32>, Time)> = BTreeMap::new();
    scheduler(move |question| {
        let now = Time::from_f64(question["now"].as_f64().unwrap()).unwrap();
        for event in question["events"].as_array().unwrap() {
            let data = &event["data"];
            let id = data["job_id"].as_str().map_or(0, |id| id.strip_prefix("w0!").unwrap().parse().unwrap());
            match event["type"].as_str().unwrap() {
                "SIMULATION_BEGINS" => assert_eq!(data["nb_resources"], json!(processors)),
                "JOB_SUBMITTED" => {
                    assert_eq!(data["job"]["subtime"], question["now"]);
                    let estimate = Span::from_f64(data["job"]["walltime"].as_f64().unwrap()).unwrap();
                    let job = QueuedJob { id, processors: data["job"]["res"].as_u64().unwrap() as u32, estimate };
                    jobs.insert(id, job);
                    easy.arrive(job);
                }
                "JOB_COMPLETED" => {
                    let (places, expected) = running.remove(&id).unwrap();
                    easy.finish(now, id, places.len() as u32, expected);
                    free.extend(places);
                }
                "NOTIFY" | "SIMULATION_ENDS" => {}
                other => panic!("{other}"),
            }
        }
        let mut decisions = Decisions::default();
        easy.pass(now, &mut decisions);
        let mut events = Vec::new();
        for id in decisions.starts {
            let job = jobs[&id];
            let places: Vec<u32> = free.iter().copied().take(job.processors as usize).collect();
            free.retain(|place| !places.contains(place));
            let alloc: Vec<String> = places.iter().map(u32::to_string).collect();
            let data = json!({"job_id": format!("w0!{id}"), "alloc": alloc.join(" ")});
            events.push(json!({"timestamp": now.as_f64(), "type": "EXECUTE_JOB", "data": data}));
            running.insert(id, (places, now + job.estimate));
        }
        Some(json!({"now": now.as_f64(), "events": events}).to_string())
    })
}

fn job(submit: i64, processors: u32, estimate: i64, runtime: i64) -> RigidJob {
    let (estimate, runtime) = (Span::from_units(estimate), Span::from_units(runtime));
    RigidJob { submit: Time::from_units(submit), processors, estimate, runtime }
}

/// What becomes of jobs under somebody elsewhere, or why nothing does.
fn replayed(place: BatsimPlace, jobs: &[RigidJob], processors: u32) -> Result<Vec<Option<ReplayPlacement>>, String> {
    let mut batsim = Batsim::new(place, processors, jobs.len(), Stop::NEVER);
    let placed = replay_watched(jobs, &mut batsim, Instants::Batch, Stop::NEVER, &mut || {}).unwrap().unwrap();
    batsim.fault().map_or(Ok(placed), Err)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_same_rule_at_the_other_end_of_the_line_makes_the_same_schedule(
        drawn in prop::collection::vec((0_i64..20, 1_u32..8, 1_i64..60, 1_i64..=100), 1..40),
    ) {
        let mut clock = 0;
        let jobs: Vec<RigidJob> = drawn.into_iter().map(|(gap, processors, estimate, share)| {
            clock += gap;
            job(clock, processors, estimate, (estimate * share / 100).max(1))
        }).collect();
        let (place, thread) = easy_elsewhere(8);
        let starts = |placed: Vec<Option<ReplayPlacement>>| -> Vec<Option<Time>> {
            placed.into_iter().map(|placement| placement.map(|placement| placement.start)).collect()
        };
        let theirs = starts(replayed(place, &jobs, 8).unwrap());
        let ours = starts(replay(&jobs, 8, crate::queueing::QueueRule::Easy, Instants::Batch).unwrap());
        prop_assert_eq!(theirs, ours);
        thread.join().unwrap();
    }
}

#[test]
fn jobs_may_start_later_and_schedulers_may_ask_to_be_called() {
    let mut calls = Vec::new();
    let (tell, told) = std::sync::mpsc::channel();
    let (place, thread) = scheduler(move |question| {
        let now = question["now"].as_f64().unwrap();
        let kinds: Vec<&str> =
            question["events"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
        calls.push((now, kinds.join(" ")));
        let execute = |time: f64| {
            let data = json!({"job_id": "w0!0", "alloc": "1-2"});
            json!([{"timestamp": time, "type": "EXECUTE_JOB", "data": data}])
        };
        let events = match kinds.first() {
            Some(&"JOB_SUBMITTED") => json!([{"timestamp": now, "type": "CALL_ME_LATER", "data": {"timestamp": 30.0}}]),
            Some(&"REQUESTED_CALL") => execute(now + 5.0),
            // This call is still due when the last job has ended.
            Some(&"JOB_COMPLETED") => json!([{"timestamp": now, "type": "CALL_ME_LATER", "data": {"timestamp": 1e7}}]),
            Some(&"SIMULATION_ENDS") => {
                tell.send(calls.clone()).unwrap();
                json!([])
            }
            _ => json!([]),
        };
        Some(json!({"now": now, "events": events}).to_string())
    });
    let jobs = [job(10, 2, 20, 7)];
    let mut batsim = Batsim::new(place, 4, 1, Stop::NEVER);
    let placed = replay_watched(&jobs, &mut batsim, Instants::Batch, Stop::NEVER, &mut || {}).unwrap().unwrap();
    assert_eq!(batsim.fault(), None);
    assert_eq!(
        placed[0].map(|placed| (placed.start, placed.finish)),
        Some((Time::from_units(35), Time::from_units(42)))
    );
    assert_eq!(batsim.places(), Some(vec!["1-2".to_string()]));
    let calls = told.recv().unwrap();
    let expected = [
        (10.0, "SIMULATION_BEGINS"),
        (10.0, "JOB_SUBMITTED NOTIFY"),
        (30.0, "REQUESTED_CALL"),
        (42.0, "JOB_COMPLETED"),
        (42.0, "SIMULATION_ENDS"),
    ];
    assert_eq!(calls, expected.map(|(time, kinds)| (time, kinds.to_string())));
    thread.join().unwrap();
}

/// The fault when everything is answered by one event.
fn fault_of(kind: &str, data: Value) -> String {
    let kind = kind.to_string();
    let (place, thread) = scheduler(move |question| {
        let is_begun = question["events"][0]["type"] != "SIMULATION_BEGINS";
        let event = json!({"timestamp": question["now"], "type": kind, "data": data});
        Some(json!({"now": question["now"], "events": if is_begun { vec![event] } else { vec![] }}).to_string())
    });
    let fault = replayed(place, &[job(0, 2, 10, 5), job(0, 1, 10, 5)], 4).unwrap_err();
    thread.join().unwrap();
    fault
}

#[test]
fn what_can_not_be_is_told_with_what_would_be_right() {
    for (kind, data, words) in [
        (
            "EXECUTE_JOB",
            json!({"job_id": "w0!7", "alloc": "0-1"}),
            "EXECUTE_JOB at time 0 can't be carried out: no job w0!7 waits",
        ),
        ("EXECUTE_JOB", json!({"alloc": "0-1"}), "it has no `job_id`"),
        ("EXECUTE_JOB", json!({"job_id": "w0!0"}), "it has no `alloc`"),
        ("EXECUTE_JOB", json!({"job_id": "w0!0", "alloc": "0-2"}), "gets 3 processors and asks for 2"),
        ("EXECUTE_JOB", json!({"job_id": "w0!0", "alloc": "3-4"}), "there is no processor 4: the last is 3"),
        ("EXECUTE_JOB", json!({"job_id": "w0!0", "alloc": "x"}), "write it like \"0-3 7\""),
        ("REJECT_JOB", json!({"job_id": "w0!0"}), "a replay runs every job, and it rejects job w0!0"),
        ("KILL_JOB", json!({"job_ids": ["w0!0"]}), "a replay knows EXECUTE_JOB"),
        ("CALL_ME_LATER", json!({}), "it has no `timestamp`"),
        ("CALL_ME_LATER", json!({"timestamp": 0.0}), "it is to be called at 0, which is not after 0"),
    ] {
        let fault = fault_of(kind, data);
        assert!(fault.contains(words), "{fault}");
    }
}

#[test]
fn two_jobs_do_not_share_a_processor() {
    let (place, thread) = scheduler(|question| {
        let execute = |id: &str, alloc: &str| json!({"timestamp": 0.0, "type": "EXECUTE_JOB", "data": {"job_id": id, "alloc": alloc}});
        let is_begun = question["events"][0]["type"] != "SIMULATION_BEGINS";
        let events = if is_begun { vec![execute("w0!0", "0-1"), execute("w0!1", "1")] } else { vec![] };
        Some(json!({"now": 0.0, "events": events}).to_string())
    });
    let fault = replayed(place, &[job(0, 2, 10, 5), job(0, 1, 10, 5)], 4).unwrap_err();
    assert!(fault.contains("processor 1 is in use"), "{fault}");
    thread.join().unwrap();
}

#[test]
fn schedulers_that_are_not_there_hang_go_or_talk_nonsense_are_told() {
    let jobs = [job(0, 1, 10, 5)];
    let (place, thread) = scheduler(|_| Some("{\"now\":".into()));
    let fault = replayed(place, &jobs, 4).unwrap_err();
    assert!(fault.contains("its answer at time 0 can't be read") && fault.contains("{\"now\":"), "{fault}");
    thread.join().unwrap();

    let (place, thread) = scheduler(|_| None);
    let fault = replayed(place, &jobs, 4).unwrap_err();
    assert!(fault.contains("it closed the connection"), "{fault}");
    thread.join().unwrap();

    let (tell, told) = std::sync::mpsc::channel::<()>();
    let (place, thread) = scheduler(move |_| {
        let _ = told.recv();
        None
    });
    let place = BatsimPlace { answer_within: 0.2, ..place };
    let fault = replayed(place, &jobs, 4).unwrap_err();
    assert!(fault.contains("has not answered within 0.2 s"), "{fault}");
    drop(tell);
    thread.join().unwrap();

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("tcp://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let _ = stream.write_all(&[b'x'; 64]);
    });
    let fault = replayed(BatsimPlace { endpoint, answer_within: 5.0 }, &jobs, 4).unwrap_err();
    assert!(fault.contains("does not speak ZeroMQ"), "{fault}");
    thread.join().unwrap();
}

#[test]
fn only_addresses_are_taken_for_addresses() {
    let address =
        |endpoint: &str| BatsimPlace { endpoint: endpoint.into(), answer_within: 1.0 }.address().map(String::from);
    assert_eq!(address("tcp://127.0.0.1:28000"), Ok("127.0.0.1:28000".into()));
    for wrong in ["127.0.0.1:28000", "tcp://*:28000", "tcp://:1", "tcp://host", "ipc:///tmp/x", "tcp://h:99999"] {
        assert!(address(wrong).unwrap_err().contains("such as tcp://127.0.0.1:28000"), "{wrong}");
    }
}
