//! What the newsroom itself costs, so that a benchmark of a crawler can subtract it: memory for each
//! source, and processor time for each answer.
//!
//!     cargo run --release -p pergola-newsroom --features serve --example serve_cost -- 100000
//!
//! The server has a thread of its own, whose processor time Linux tells; the client is a plain socket.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use pergola_newsroom::serve::{Newsroom, World};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let count = std::env::args().nth(1).map_or(Ok(100_000), |text| text.parse::<usize>())?.max(1);
    let hours = Arc::new(AtomicU64::new(500_000));
    let hand = Arc::clone(&hours);
    let before = resident_bytes()?;
    let newsroom = World::uniform(1, count, 24.0)
        .each(|source| source.text_bytes(620))
        .newsroom(Arc::new(move || hand.load(Ordering::Relaxed) as f64 * 3_600.0))
        .build()?;
    let built = resident_bytes()?;
    let published: u64 = newsroom.truths().map(|truth| truth.published).sum();
    let requested = resident_bytes()?;
    println!("{count} sources, {published} items so far");
    println!("memory, built:     {} bytes per source", (built - before) / count);
    println!("memory, requested: {} bytes per source", (requested - before) / count);

    let (address, thread) = serve(newsroom.clone())?;
    let mut client = TcpStream::connect(address)?;
    client.set_nodelay(true)?;
    // One for each of so few sources that all their documents can be kept.
    let requests = count.min(5_000);
    let mut measure = |what: &str, headers: &str| -> Result<(), Failure> {
        let start = thread_nanoseconds(&thread)?;
        let mut bytes = 0;
        for name in 0..requests {
            let head =
                format!("GET /sources/source-{name:06} HTTP/1.1\r\nhost: a\r\n{headers}\r\n");
            client.write_all(head.as_bytes())?;
            bytes += read_answer(&mut client)?;
        }
        let spent = (thread_nanoseconds(&thread)? - start) / requests as u64;
        println!("{what}: {:.1} µs, {} bytes", spent as f64 / 1e3, bytes / requests);
        Ok(())
    };
    let gzip = "accept-encoding: gzip\r\n";
    measure("200, rendered      ", "")?;
    measure("200, kept          ", "")?;
    measure("200, gzip, packed  ", gzip)?;
    measure("200, gzip, kept    ", gzip)?;
    measure("304                ", "if-none-match: *\r\n")?;
    hours.fetch_add(24, Ordering::Relaxed);
    measure("200, gzip, all new ", gzip)?;
    Ok(())
}

/// Serves on a thread of its own; returns the address and the thread's number.
fn serve(newsroom: Newsroom) -> Result<(std::net::SocketAddr, String), Failure> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
            let own = fs::read_link("/proc/thread-self")?;
            tell.send((listener.local_addr()?, own.display().to_string()))?;
            newsroom.serve(listener, std::future::pending()).await?;
            Ok(())
        })
    });
    Ok(told.recv()?)
}

/// Reads one answer and returns how long its body is.
fn read_answer(client: &mut TcpStream) -> Result<usize, Failure> {
    let mut buffer = vec![0; 128 * 1024];
    let mut filled = 0;
    loop {
        filled += match client.read(&mut buffer[filled..])? {
            0 => return Err("the server hung up".into()),
            more => more,
        };
        let read = &buffer[..filled];
        let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = std::str::from_utf8(&read[..end])?.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(Ok(0), str::parse)?;
        if filled >= end + 4 + length {
            return Ok(length);
        }
    }
}

/// Processor time of a thread of this process.
fn thread_nanoseconds(thread: &str) -> Result<u64, Failure> {
    let line = fs::read_to_string(format!("/proc/{thread}/schedstat"))?;
    Ok(line.split(' ').next().unwrap_or_default().parse()?)
}

fn resident_bytes() -> Result<usize, Failure> {
    let line = fs::read_to_string("/proc/self/statm")?;
    let pages: usize = line.split(' ').nth(1).unwrap_or_default().parse()?;
    Ok(pages * 4096)
}
