//! Whoever asks: a few connections for pages, many streams over some connections.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use pergola_node::wire::MESSAGE_BYTES;
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use prost::Message;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::transport::Channel;

use super::Got;
use crate::bench::roles;

/// Connections that fetch at the same time.
const CONNECTIONS: usize = 2;
/// Streams on one connection.
const STREAMS: usize = 100;
/// Seconds in which every stream must have been told.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) async fn connect(address: &str) -> Result<SyndicationClient<Channel>> {
    let client = SyndicationClient::connect(address.to_owned()).await?;
    Ok(client.max_decoding_message_size(MESSAGE_BYTES))
}

/// Everything from the beginning.
pub(super) fn first_question() -> v1::FetchRequest {
    v1::FetchRequest { newest: u32::MAX, ..next_question(String::new()) }
}

pub(super) fn next_question(cursor: String) -> v1::FetchRequest {
    v1::FetchRequest { feed: super::node::FEED.into(), cursor, ..v1::FetchRequest::default() }
}

/// Asks as it is told until the input ends.
pub(super) fn run() -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut audience = None;
        roles::answer(async |line| {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["fetch", address, seconds] => {
                    Ok(serde_json::to_value(fetch(address, seconds.parse()?).await?)?)
                }
                ["watch", address, count] => {
                    audience = Some(Audience::gather(address, count.parse()?).await?);
                    Ok(serde_json::Value::Null)
                }
                ["told"] => {
                    let audience: &mut Audience = audience.as_mut().context("nobody watches")?;
                    audience.told().await?;
                    Ok(serde_json::Value::Null)
                }
                ["leave"] => {
                    audience = None;
                    Ok(serde_json::Value::Null)
                }
                _ => bail!("an odd order: {line}"),
            }
        })
        .await
    })
}

/// Fetches the whole feed again and again for some seconds.
async fn fetch(address: &str, seconds: f64) -> Result<Got> {
    let until = tokio::time::Instant::now() + Duration::from_secs_f64(seconds);
    let mut tasks = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let mut client = connect(address).await?;
        tasks.spawn(async move {
            let (mut got, mut question) = (Got::default(), first_question());
            while tokio::time::Instant::now() < until {
                let answer = client.fetch(question).await?.into_inner();
                got.items += answer.entries.len() as u64;
                got.bytes += answer.encoded_len() as u64;
                got.answers += 1;
                question = match answer.more {
                    true => next_question(answer.cursor),
                    false => first_question(),
                };
            }
            anyhow::Ok(got)
        });
    }
    let mut all = Got::default();
    while let Some(got) = tasks.join_next().await {
        let got = got??;
        all.items += got.items;
        all.bytes += got.bytes;
        all.answers += got.answers;
    }
    Ok(all)
}

/// Streams that are open, each read by a task of its own.
struct Audience {
    size: usize,
    messages: mpsc::Receiver<()>,
    _readers: JoinSet<()>,
}

impl Audience {
    /// Opens streams and waits until each has had its first message.
    async fn gather(address: &str, size: usize) -> Result<Self> {
        let (heard, messages) = mpsc::channel(size.max(1));
        let mut readers = JoinSet::new();
        let mut client = connect(address).await?;
        for number in 0..size {
            if number % STREAMS == 0 {
                client = connect(address).await?;
            }
            let request =
                v1::WatchRequest { feed: super::node::FEED.into(), cursor: String::new() };
            let mut stream = client.watch(request).await?.into_inner();
            let heard = heard.clone();
            readers.spawn(async move {
                while let Ok(Some(_)) = stream.message().await {
                    if heard.send(()).await.is_err() {
                        return;
                    }
                }
            });
        }
        let mut audience = Self { size, messages, _readers: readers };
        audience.told().await?;
        Ok(audience)
    }

    /// Waits until every stream has had one message more.
    async fn told(&mut self) -> Result<()> {
        let everybody = async {
            for _ in 0..self.size {
                self.messages.recv().await.context("the streams have ended")?;
            }
            Ok(())
        };
        tokio::time::timeout(PATIENCE, everybody).await.context("not everybody was told")?
    }
}
