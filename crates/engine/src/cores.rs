//! Which core each thread gets: in turn, as listed, or near its device.
//!
//! A core outside the process's mask is refused with what is allowed, never silently replaced: the mask is how
//! containers and `taskset` give cores out. Near means, in this order: no two threads on one physical core while another
//! is without any, because its hardware threads share what executes; and a core on the memory node of the device, because
//! what it reads and writes lies there. Memory follows by itself: a thread is bound before it allocates.
//!
//! In turn, and among equally near cores, the first is one that the device's interrupts come to. Bound elsewhere, a thread
//! with one I/O in flight is woken by another core at each: docs/lab/0016-low-depth.md.

use crate::RunError;
use crate::system::affinity::allowed;
use crate::thread_plan::ThreadPlan;
use model::{CoreOrder, CoreSet, CpuFacts, EfficiencyOrder, Placement, TargetFacts};
use std::collections::HashMap;

/// The cores of each thread; none where the system decides.
pub(crate) fn assign(
    placement: &Placement,
    places: &[ThreadPlan],
    cpus: &[CpuFacts],
    targets: &[TargetFacts],
) -> Result<Vec<Vec<u32>>, RunError> {
    if *placement == Placement::Free {
        return Ok(vec![Vec::new(); places.len()]);
    }
    let allowed = allowed().map_err(|source| RunError::Affinity { source })?;
    let alone = |cores: &[u32]| -> Vec<Vec<u32>> { cores.iter().map(|&core| vec![core]).collect() };
    let masks = match placement {
        Placement::Free | Placement::RoundRobin => {
            let first = places.first();
            let interrupted = first.map_or(&[][..], |place| interrupted(place, targets));
            alone(&in_turn(&allowed, interrupted))
        }
        Placement::Near => {
            let wish = |place: &ThreadPlan| Wish {
                node: node(place, targets),
                interrupted: interrupted(place, targets),
            };
            let wishes: Vec<_> = places.iter().map(wish).collect();
            alone(&near(&allowed, cpus, &wishes))
        }
        Placement::Ordered(order) => {
            let first = places.first();
            let interrupted = first.map_or(&[][..], |place| interrupted(place, targets));
            alone(&ordered(order, &in_turn(&allowed, interrupted), cpus))
        }
        Placement::Cores(asked) => alone(asked),
        Placement::Masks(asked) => asked.clone(),
    };
    let mut asked = masks.iter().flatten();
    if let Some(&read) = asked.find(|core| !allowed.contains(core)) {
        let online = cpus.is_empty() || cpus.iter().any(|facts| facts.cpu == read);
        let allowed = list(&allowed);
        return Err(match online {
            true => RunError::Core { read, allowed },
            false => RunError::NoCore { read, allowed },
        });
    }
    Ok(masks.into_iter().cycle().take(places.len()).collect())
}

/// Note on a placement that fathom chose.
pub(crate) fn note(
    placement: &Placement,
    cores: &[Vec<u32>],
    targets: &[TargetFacts],
) -> Option<String> {
    if *placement == Placement::RoundRobin {
        let first = *cores.first()?.first()?;
        let skipped = allowed().ok()?.first().is_some_and(|&least| least < first);
        let device = targets.first()?.interrupting_device()?;
        return skipped.then(|| {
            let name = &device.name;
            format!("the cores were taken in turn from core {first} on, because the interrupts of {name} come there")
        });
    }
    if *placement != Placement::Near {
        return None;
    }
    let mut used: Vec<u32> = cores.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    Some(format!(
        "each thread was bound to a core near its device: {}",
        list(&used)
    ))
}

/// The memory node of the first device below a thread's first target.
fn node(place: &ThreadPlan, targets: &[TargetFacts]) -> Option<u32> {
    let facts = targets.get(place.seats.first()?.target as usize)?;
    facts.chain.iter().find_map(|device| device.memory_node)
}

/// The cores that the interrupts of a thread's first target come to; none where that is unknown.
fn interrupted<'a>(place: &ThreadPlan, targets: &'a [TargetFacts]) -> &'a [u32] {
    let first = place.seats.first();
    let facts = first.and_then(|seat| targets.get(seat.target as usize));
    let device = facts.and_then(TargetFacts::interrupting_device);
    device.map_or(&[], |device| &device.interrupt_cores)
}

/// All of them in ascending order, from the first one on that interrupts come to.
fn in_turn(allowed: &[u32], interrupted: &[u32]) -> Vec<u32> {
    let first = allowed.iter().position(|core| interrupted.contains(core));
    let (before, after) = allowed.split_at(first.unwrap_or(0));
    [after, before].concat()
}

/// The cores of an order by hardware threads, groups and classes, `in_turn` those that may be used. The key of each is
/// what the order puts first; the place in the list decides what it leaves open. A group without a core that may be used
/// gives its first core, which is refused by name.
fn ordered(order: &CoreOrder, in_turn: &[u32], cpus: &[CpuFacts]) -> Vec<u32> {
    let listed = |set: &CoreSet| -> Vec<u32> {
        let group = match *set {
            CoreSet::One(core) => return vec![core],
            CoreSet::Group(group) => group,
        };
        let own = |core: &&u32| **core / CoreOrder::GROUP == group;
        let mut cores: Vec<u32> = in_turn.iter().filter(own).copied().collect();
        cores.sort_unstable();
        match cores.is_empty() {
            true => vec![group.saturating_mul(CoreOrder::GROUP)],
            false => cores,
        }
    };
    let cores: Vec<u32> = match order.cores.is_empty() {
        true => in_turn.to_vec(),
        false => order.cores.iter().flat_map(listed).collect(),
    };
    let facts_of = |core: u32| cpus.iter().find(|facts| facts.cpu == core);
    let class_of = |core: u32| {
        let class = facts_of(core).and_then(|facts| facts.efficiency_class);
        let class = class.unwrap_or(0);
        match order.efficiency {
            EfficiencyOrder::Unordered => 0,
            EfficiencyOrder::PerformanceFirst | EfficiencyOrder::FillPerformance => {
                u32::MAX - class
            }
            EfficiencyOrder::EfficientFirst | EfficiencyOrder::FillEfficient => class,
        }
    };
    let fills = matches!(
        order.efficiency,
        EfficiencyOrder::FillPerformance | EfficiencyOrder::FillEfficient
    );
    let mut seen = HashMap::new();
    let mut keyed = Vec::with_capacity(cores.len());
    for core in cores {
        // A core of which nothing is known is one by itself.
        let physical = match facts_of(core) {
            Some(CpuFacts {
                core: Some(number),
                socket,
                ..
            }) => (socket.unwrap_or(0), Some(*number), 0),
            _ => (0, None, core),
        };
        let before = seen.entry(physical).or_insert(0u32);
        let pass = if order.core_first { *before } else { 0 };
        *before += 1;
        let (class, group) = (class_of(core), core / CoreOrder::GROUP);
        let within = if fills { (class, pass) } else { (pass, class) };
        let (outer, inner) = if order.span_groups {
            (0, group)
        } else {
            (group, 0)
        };
        keyed.push(((outer, within, inner), core));
    }
    keyed.sort_by_key(|(key, _)| *key); // stable: the list decides on the rest
    keyed.into_iter().map(|(_, core)| core).collect()
}

/// Where a thread's core is best.
#[derive(Clone, Copy)]
struct Wish<'a> {
    node: Option<u32>,
    interrupted: &'a [u32],
}

/// One core for each thread.
fn near(allowed: &[u32], cpus: &[CpuFacts], wishes: &[Wish<'_>]) -> Vec<u32> {
    let mut used = vec![0u32; allowed.len()];
    let facts: Vec<Option<&CpuFacts>> = allowed
        .iter()
        .map(|core| cpus.iter().find(|facts| facts.cpu == *core))
        .collect();
    // A core of which nothing is known is one by itself.
    let physical = |place: usize| match facts[place] {
        Some(CpuFacts {
            core: Some(core),
            socket,
            ..
        }) => (true, socket.unwrap_or(0), *core),
        _ => (false, 0, allowed[place]),
    };
    let mut given = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let best = (0..allowed.len()).min_by_key(|&place| {
            let siblings = (0..allowed.len()).filter(|&other| physical(other) == physical(place));
            let crowd: u32 = siblings.map(|other| used[other]).sum();
            let far = wish.node.is_some() && facts[place].and_then(|facts| facts.node) != wish.node;
            let woken = !wish.interrupted.contains(&allowed[place]);
            (crowd, far, used[place], woken, allowed[place])
        });
        let best = best.expect("a process may use at least one core");
        used[best] += 1;
        given.push(allowed[best]);
    }
    given
}

/// `0-3, 8`.
fn list(cores: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &core in cores {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == core => *last = core,
            _ => runs.push((core, core)),
        }
    }
    let words: Vec<String> = runs
        .iter()
        .map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::affinity::bind;

    #[test]
    fn a_bound_thread_may_use_its_core_only() {
        let core = *allowed().unwrap().last().unwrap();
        let seen = std::thread::spawn(move || {
            bind(&[core]).unwrap();
            allowed().unwrap()
        });
        assert_eq!(seen.join().unwrap(), [core]);
    }

    #[test]
    fn a_thread_may_have_several_cores() {
        let both = allowed().unwrap();
        let two = vec![both[0], *both.last().unwrap()];
        let mut own = two.clone();
        own.dedup();
        let seen = std::thread::spawn(move || {
            bind(&two).unwrap();
            allowed().unwrap()
        });
        assert_eq!(seen.join().unwrap(), own);
    }

    #[test]
    fn lists_are_short() {
        assert_eq!(list(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }

    /// Two sockets, each a memory node, with two physical cores of two hardware threads; numbered as usual: first all
    /// first threads, then all second ones.
    fn machine() -> Vec<CpuFacts> {
        let cpu = |cpu: u32| CpuFacts {
            cpu,
            core: Some(cpu % 2),
            socket: Some(cpu / 2 % 2),
            node: Some(cpu / 2 % 2),
            governor: None,
            efficiency_class: None,
        };
        (0..8).map(cpu).collect()
    }

    fn on(node: Option<u32>) -> Wish<'static> {
        Wish {
            node,
            interrupted: &[],
        }
    }

    #[test]
    fn cores_in_turn_begin_where_the_interrupts_come() {
        assert_eq!(in_turn(&[0, 1, 2, 3], &[2, 3]), [2, 3, 0, 1]);
        assert_eq!(in_turn(&[0, 1], &[0, 1]), [0, 1]);
        assert_eq!(in_turn(&[0, 2], &[1]), [0, 2]);
        assert_eq!(in_turn(&[4, 5], &[]), [4, 5]);
    }

    #[test]
    fn of_equally_near_cores_the_one_with_the_interrupts_comes_first() {
        let all: Vec<u32> = (0..8).collect();
        let wish = Wish {
            node: Some(1),
            interrupted: &[3],
        };
        assert_eq!(near(&all, &machine(), &[wish; 2]), [3, 2]);
        let far = Wish {
            node: Some(0),
            interrupted: &[3],
        };
        assert_eq!(near(&all, &machine(), &[far]), [0], "the node counts more");
    }

    #[test]
    fn near_cores_come_first_then_far_ones_and_second_hardware_threads_last() {
        let all: Vec<u32> = (0..8).collect();
        let given = |wish, threads| near(&all, &machine(), &vec![on(wish); threads]);
        assert_eq!(given(Some(1), 9), [2, 3, 0, 1, 6, 7, 4, 5, 2]);
        assert_eq!(given(Some(0), 4), [0, 1, 2, 3]);
        assert_eq!(given(None, 5), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn each_thread_is_near_its_own_device() {
        let all: Vec<u32> = (0..8).collect();
        let wishes = [1, 0, 1, 0].map(|node| on(Some(node)));
        assert_eq!(near(&all, &machine(), &wishes), [2, 0, 3, 1]);
    }

    #[test]
    fn only_allowed_cores_are_given_known_or_not() {
        let given = near(&[1, 5, 7], &machine(), &[on(Some(0)); 4]);
        assert_eq!(given, [1, 7, 5, 7], "5 shares its core with 1");
        assert_eq!(near(&[3, 9], &[], &[on(None); 3]), [3, 9, 3]);
    }

    /// Cores by their classes and hardware threads: `&[(class, threads)]`, numbered one after another.
    fn kinds(cores: &[(u32, u32)]) -> Vec<CpuFacts> {
        let mut cpus = Vec::new();
        for (&(class, threads), number) in cores.iter().zip(0..) {
            for _ in 0..threads {
                cpus.push(CpuFacts {
                    cpu: cpus.len() as u32,
                    core: Some(number),
                    socket: Some(0),
                    efficiency_class: Some(class),
                    ..CpuFacts::default()
                });
            }
        }
        cpus
    }

    fn order(letters: &str, cores: &[u32]) -> CoreOrder {
        CoreOrder {
            cores: cores.iter().map(|&core| CoreSet::One(core)).collect(),
            core_first: letters.contains('c'),
            span_groups: letters.contains('s'),
            efficiency: match letters.trim_matches(['c', 's']) {
                "p" => EfficiencyOrder::PerformanceFirst,
                "P" => EfficiencyOrder::FillPerformance,
                "e" => EfficiencyOrder::EfficientFirst,
                "E" => EfficiencyOrder::FillEfficient,
                _ => EfficiencyOrder::Unordered,
            },
        }
    }

    fn taken(letters: &str, cores: &[u32], cpus: &[CpuFacts]) -> Vec<u32> {
        let all: Vec<u32> = cpus.iter().map(|facts| facts.cpu).collect();
        ordered(&order(letters, cores), &all, cpus)
    }

    #[test]
    fn first_hardware_threads_come_first_among_those_listed() {
        let four = kinds(&[(0, 2); 4]);
        assert_eq!(taken("c", &[], &four), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert_eq!(taken("c", &[3, 4, 5, 6], &four), [3, 4, 6, 5]);
        assert_eq!(taken("c", &[0, 2, 1, 5], &four), [0, 2, 5, 1]);
        assert_eq!(taken("c", &[1, 3], &four), [1, 3]);
        assert_eq!(taken("", &[5, 0, 0], &four), [5, 0, 0]);
    }

    #[test]
    fn classes_of_cores_are_in_the_order_asked_for() {
        let intel = kinds(&[(1, 2), (1, 2), (0, 1), (0, 1)]);
        assert_eq!(taken("cp", &[], &intel), [0, 2, 4, 5, 1, 3]);
        assert_eq!(taken("cP", &[], &intel), [0, 2, 1, 3, 4, 5]);
        assert_eq!(taken("ce", &[], &intel), [4, 5, 0, 2, 1, 3]);
        assert_eq!(taken("cE", &[], &intel), [4, 5, 0, 2, 1, 3]);
        assert_eq!(taken("c", &[], &intel), [0, 2, 4, 5, 1, 3]);
        assert_eq!(taken("e", &[], &intel), [4, 5, 0, 1, 2, 3]);
        let arm = kinds(&[(0, 1), (0, 1), (1, 2), (1, 2)]);
        assert_eq!(taken("p", &[], &arm), [2, 3, 4, 5, 0, 1]);
        assert_eq!(taken("cp", &[], &arm), [2, 4, 0, 1, 3, 5]);
        assert_eq!(taken("cE", &[], &arm), [0, 1, 2, 4, 3, 5]);
    }

    #[test]
    fn groups_are_filled_one_after_another_or_taken_together() {
        let both = kinds(&[(0, 2); 64]);
        let four = [0, 1, 2, 3, 64, 65, 66, 67];
        assert_eq!(taken("c", &four, &both), [0, 2, 1, 3, 64, 66, 65, 67]);
        assert_eq!(taken("cs", &four, &both), [0, 2, 64, 66, 1, 3, 65, 67]);
        let groups = CoreOrder {
            cores: vec![CoreSet::Group(1), CoreSet::Group(0)],
            ..CoreOrder::default()
        };
        assert_eq!(ordered(&groups, &[0, 1, 64, 70], &both), [0, 1, 64, 70]);
        let absent = CoreOrder {
            cores: vec![CoreSet::Group(2)],
            ..CoreOrder::default()
        };
        assert_eq!(ordered(&absent, &[0, 1], &both), [128]);
    }

    fn places(count: usize) -> Vec<ThreadPlan> {
        let place = ThreadPlan {
            thread: 0,
            seats: Vec::new(),
            slots: 1,
            draws: false,
            content_seed: 0,
        };
        vec![place; count]
    }

    /// Case O026: `-a0x5 -t2` puts both threads on processors 0 and 2.
    #[test]
    fn o026_a_mask_is_for_each_thread_and_an_empty_one_leaves_it_to_the_system() {
        let mine = allowed().unwrap();
        let two = vec![mine[0], *mine.last().unwrap()];
        let given = |masks: Vec<Vec<u32>>, count| {
            assign(&Placement::Masks(masks), &places(count), &[], &[])
        };
        let dealt = given(vec![two.clone()], 2).unwrap();
        assert_eq!(dealt, [two.clone(), two.clone()]);
        let mixed = given(vec![vec![], two.clone()], 3).unwrap();
        assert_eq!(mixed, [vec![], two, vec![]]);
        assert!(given(vec![vec![], vec![8000]], 1).is_err());
    }

    #[test]
    fn threads_take_cores_in_turn_and_only_allowed_ones() {
        let mine = allowed().unwrap();
        let places = places(mine.len() + 1);
        let given = |placement: Placement| assign(&placement, &places, &[], &[]);
        assert!(given(Placement::Free).unwrap().iter().all(Vec::is_empty));
        let dealt = given(Placement::RoundRobin).unwrap();
        assert_eq!(
            (&dealt[0], &dealt[mine.len()]),
            (&vec![mine[0]], &vec![mine[0]])
        );
        let reported = given(Placement::Cores(vec![mine[0], 8000])).unwrap_err();
        let reported = reported.to_string();
        assert!(
            reported.starts_with("core 8000: this process may use"),
            "{reported}"
        );
        let one = CpuFacts {
            cpu: mine[0],
            ..CpuFacts::default()
        };
        let reported = assign(&Placement::Cores(vec![8000]), &places, &[one], &[]).unwrap_err();
        assert!(reported.to_string().contains("is not online"), "{reported}");
    }
}
