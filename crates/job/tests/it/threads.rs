//! Real threads: the link, its commands and events, over queues.

use job::transport::inside::Inside;
use job::transport::mpi::Mpi;
use job::{CLOCK, End, Event, FAN_OUT, Item, Job, Launch, Launcher, Reply};
use model::Nanos;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn jobs(size: u32) -> Vec<Job> {
    let ranks = Inside::ranks(size).into_iter();
    ranks
        .map(|rank| Job::connect(move || Ok(Box::new(rank)), FAN_OUT, Nanos::seconds(30)).unwrap())
        .collect()
}

/// Serves until the end, answering each order with the number of the rank.
fn serve(job: &Job) -> End {
    loop {
        match job.event(LIMIT).expect("rank 0 ends the job") {
            Event::Perform(order) => {
                job.answer(order.step, job.members().rank.to_le_bytes().to_vec(), None);
            }
            Event::End(end) => return end,
            Event::Done(..) | Event::Alarm(_) => panic!("only rank 0 hears that"),
        }
    }
}

fn ordered(job: &Job, kind: u8) -> Reply {
    job.order(kind, None, Vec::new());
    loop {
        match job.event(LIMIT).expect("all answer") {
            Event::Perform(order) => job.answer(order.step, Vec::new(), None),
            Event::Done(_, reply) => return *reply,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn orders_are_answered_by_all_and_the_end_of_rank_0_is_the_end_of_all() {
    let mut jobs = jobs(20).into_iter();
    let lead = jobs.next().unwrap();
    let others: Vec<_> = jobs
        .map(|job| std::thread::spawn(move || serve(&job)))
        .collect();
    let items = ordered(&lead, 1).items;
    assert_eq!(items.len(), 20);
    let body = |item: &Item| item.rank == 0 || item.body == item.rank.to_le_bytes();
    assert!(items.iter().all(body));
    let offsets = job::compose(&ordered(&lead, CLOCK).items, 20);
    for offset in &offsets {
        // All ranks are of one process, whose clocks differ by when each was created.
        let (offset, _) = offset.unwrap();
        assert!(offset.offset_ns.unsigned_abs() < 60_000_000_000);
    }
    drop(lead);
    for other in others {
        assert_eq!(other.join().unwrap(), End::Finished);
    }
}

#[test]
fn the_stop_flag_of_rank_0_stops_all() {
    let mut jobs = jobs(3).into_iter();
    let lead = jobs.next().unwrap();
    let stops: Vec<Arc<AtomicBool>> = (0..3).map(|_| Arc::default()).collect();
    lead.listen(Arc::clone(&stops[0]));
    let others: Vec<_> = jobs
        .zip(&stops[1..])
        .map(|(job, stop)| {
            job.listen(Arc::clone(stop));
            let stop = Arc::clone(stop);
            std::thread::spawn(move || {
                let Some(Event::Perform(order)) = job.event(LIMIT) else {
                    panic!("an order comes first");
                };
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                job.answer(order.step, Vec::new(), None);
                serve(&job)
            })
        })
        .collect();
    lead.order(1, None, Vec::new());
    let Some(Event::Perform(order)) = lead.event(LIMIT) else {
        panic!("it is performed here, too");
    };
    stops[0].store(true, Ordering::Relaxed);
    lead.answer(order.step, Vec::new(), None);
    assert!(matches!(lead.event(LIMIT), Some(Event::Done(_, reply)) if reply.items.len() == 3));
    drop(lead);
    for other in others {
        assert_eq!(other.join().unwrap(), End::Finished);
    }
}

#[test]
fn a_library_that_is_none_is_refused_with_its_name() {
    let launch = Launch {
        launcher: Launcher::Mpich,
        size: 2,
        rank: 0,
    };
    let error = Mpi::open(launch, Some(Path::new("/no/such/libmpi.so")))
        .err()
        .unwrap();
    assert!(
        error.0.starts_with("--mpi-library: /no/such/libmpi.so"),
        "{error}"
    );
}
