//! Shares of connections, counted by hand.

use proptest::prelude::*;

use super::*;

fn places() -> Places {
    Places {
        seats: 10,
        per_address: 3,
        per_network: 5,
        standing: 4,
        proxies: vec!["192.0.2.80".parse().unwrap()],
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Lets so many in from an address; how many got a seat.
fn seated(seats: &mut Seats, from: &str, count: u64) -> usize {
    (0..count).filter(|number| seats.admit(*number, ip(from)) == Admission::Seated).count()
}

#[test]
fn an_address_gets_its_share_and_leaves_the_rest_to_others() {
    let mut seats = Seats::new(places());
    assert_eq!(seated(&mut seats, "198.51.100.1", 8), 3);
    let next = seats.admit(100, ip("198.51.100.1"));
    assert!(matches!(next, Admission::Standing { why: Crowd::Address, .. }), "{next:?}");
    assert_eq!(seated(&mut seats, "203.0.113.1", 1), 1);
    seats.leave(ip("198.51.100.1"));
    assert_eq!(seated(&mut seats, "198.51.100.1", 2), 1);
}

#[test]
fn a_network_gets_its_share_however_many_addresses_it_has() {
    for neighbours in [
        ["198.51.100.1", "198.51.100.2", "198.51.100.3"],
        ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"],
    ] {
        let mut seats = Seats::new(places());
        assert_eq!(seated(&mut seats, neighbours[0], 3), 3);
        assert_eq!(seated(&mut seats, neighbours[1], 3), 2);
        let next = seats.admit(100, ip(neighbours[2]));
        assert!(matches!(next, Admission::Standing { why: Crowd::Network, .. }), "{next:?}");
        assert_eq!(seated(&mut seats, "203.0.113.1", 1), 1);
    }
}

#[test]
fn the_addresses_of_one_ipv6_host_count_as_one_and_mapped_ones_as_what_they_are() {
    let mut seats = Seats::new(places());
    assert_eq!(seated(&mut seats, "2001:db8::1", 2), 2);
    assert_eq!(seated(&mut seats, "2001:db8::2", 2), 1);
    assert_eq!(seated(&mut seats, "198.51.100.1", 3), 3);
    assert_eq!(seated(&mut seats, "::ffff:198.51.100.1", 1), 0);
}

#[test]
fn loopback_and_proxies_are_limited_by_the_seats_only() {
    for from in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.80"] {
        let mut seats = Seats::new(places());
        assert_eq!(seated(&mut seats, from, 12), 10, "{from}");
        assert!(seats.is_full());
        let next = seats.admit(100, ip("203.0.113.1"));
        assert!(matches!(next, Admission::Standing { why: Crowd::Full, .. }), "{next:?}");
        seats.leave(ip(from));
        assert_eq!(seated(&mut seats, "203.0.113.1", 1), 1);
    }
}

#[test]
fn who_stands_in_silence_makes_room_and_the_largest_crowd_first() {
    let mut seats = Seats::new(places());
    seated(&mut seats, "127.0.0.1", 10);
    let mut admit = |number, from: &str| seats.admit(number, ip(from));
    let standing = |instead_of| Admission::Standing { why: Crowd::Full, instead_of };
    assert_eq!(admit(1, "203.0.113.1"), standing(None));
    for number in 2..=4 {
        assert_eq!(admit(number, "198.51.100.1"), standing(None));
    }
    // The crowd's own newcomers push out the crowd's own.
    assert_eq!(admit(5, "198.51.100.1"), standing(Some(2)));
    assert_eq!(admit(6, "203.0.113.9"), standing(Some(3)));
    // Who has spoken stays until its answer is sent.
    for number in [1, 4, 5] {
        seats.heard(number);
    }
    assert_eq!(seats.admit(7, ip("203.0.113.2")), standing(Some(6)));
    seats.heard(7);
    assert_eq!(seats.admit(8, ip("203.0.113.2")), Admission::Refused { why: Crowd::Full });
    seats.go(7);
    assert_eq!(seats.admit(9, ip("203.0.113.2")), standing(None));
}

proptest! {
    #[test]
    fn places_are_never_exceeded_and_all_are_free_in_the_end(
        events in prop::collection::vec((any::<bool>(), 0u8..4, 0u8..4), 0..200)
    ) {
        let mut seats = Seats::new(places());
        let (mut open, mut standing): (Vec<IpAddr>, Vec<u64>) = (Vec::new(), Vec::new());
        for (number, (comes, network, host)) in (0u64..).zip(events) {
            let from = IpAddr::from([198, 51, network, host]);
            if !comes {
                if let Some(from) = open.pop() {
                    seats.leave(from);
                }
                continue;
            }
            match seats.admit(number, from) {
                Admission::Seated => open.push(from),
                Admission::Standing { instead_of, .. } => {
                    standing.retain(|one| Some(*one) != instead_of);
                    standing.push(number);
                }
                Admission::Refused { .. } => prop_assert!(false, "somebody silent could have gone"),
            }
            let of_it = open.iter().filter(|one| **one == from).count();
            prop_assert!(of_it <= 3 && open.len() <= 10 && standing.len() <= 4);
            prop_assert_eq!(seats.taken(), open.len());
        }
        open.into_iter().for_each(|from| seats.leave(from));
        standing.into_iter().for_each(|number| seats.go(number));
        prop_assert!(seats.by_address.is_empty() && seats.by_network.is_empty());
        prop_assert!(seats.taken() == 0 && seats.standing.is_empty());
    }
}
