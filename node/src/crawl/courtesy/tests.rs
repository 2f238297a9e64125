//! CRAWLING's rules 1, 2, 3, 5, 6 and 9, one by one.
