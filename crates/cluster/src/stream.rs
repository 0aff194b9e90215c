//! The stream of a floor: one message opens it, each further one is a batch or a checkpoint.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::context::{GetStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, StorageType};
use async_nats::jetstream::{self, ErrorCode};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use journal::Position;
use tokio::time::timeout;

use crate::connection::{Connection, REQUEST};
use crate::identity::{of_header, to_header};
use crate::requests::{self, NO_ANSWER, Published, Requests};
use crate::{Error, HostId, HostKey};

/// What a message may take: a batch with its header.
const MAX_MESSAGE: i32 = 1 << 20;
/// The header with the signature of the host that wrote a message.
const SIGNATURE: &str = "Croupier-Signature";
/// The tail is looked after when nothing has come for so long.
const QUIET: Duration = Duration::from_secs(1);

/// The journal of a floor as the cluster keeps it.
#[derive(Clone, Debug)]
pub struct Stream {
    connection: Connection,
    stream: jetstream::stream::Stream<()>,
    subject: String,
    journal: [u8; 16],
    /// Signs what is appended.
    key: Option<Arc<HostKey>>,
}

/// A message of a stream.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its number.
    pub number: u64,
    /// A batch or a checkpoint.
    pub bytes: Bytes,
    /// Whose signature it bears, if it bears one and that is genuine.
    pub by: Option<HostId>,
}

/// How the cluster keeps a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The number of the last message.
    pub messages: u64,
    /// What they take on each machine.
    pub bytes: u64,
    /// On how many machines it is to be kept.
    pub wanted: usize,
    /// The machines that keep it, by name. A server that stands alone names none.
    pub replicas: Vec<Replica>,
}

/// A machine that keeps a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The name of its server.
    pub server: String,
    /// Whether it leads the others.
    pub leads: bool,
    /// Whether it is there and has everything.
    pub current: bool,
    /// How many messages it lacks.
    pub behind: u64,
}

fn name_of(floor: &str) -> String {
    format!("CROUPIER_{floor}")
}

fn subject_of(floor: &str) -> String {
    format!("croupier.{floor}.journal")
}

impl Stream {
    /// The stream of a floor; `None` if the cluster has none.
    ///
    /// # Errors
    /// When the cluster cannot be asked, or what opens the stream is no journal's.
    pub async fn open(connection: &Connection, floor: &str) -> Result<Option<Stream>, Error> {
        let stream = match connection.jetstream.get_stream(name_of(floor)).await {
            Ok(_) => connection.jetstream.get_stream_no_info(name_of(floor)).await.map_err(Error::unreachable)?,
            Err(error) => match error.kind() {
                GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => {
                    return Ok(None);
                }
                _ => return Err(Error::unreachable(error)),
            },
        };
        let mut stream =
            Stream { connection: connection.clone(), stream, subject: subject_of(floor), journal: [0; 16], key: None };
        // The host may have failed between creating the stream and its first message.
        let Some(opening) = stream.get(1).await? else { return Ok(None) };
        let position = Position::opened(&opening)
            .ok_or_else(|| Error::Damaged { message: 1, what: "it does not open a journal".to_owned() })?;
        stream.journal = position.journal;
        Ok(Some(stream))
    }

    /// Creates the stream of a floor for a journal, or finds the one that another host has just created.
    ///
    /// # Errors
    /// When the cluster cannot make it.
    pub async fn create(connection: &Connection, floor: &str, journal: [u8; 16]) -> Result<Stream, Error> {
        let config = Config {
            name: name_of(floor),
            subjects: vec![subject_of(floor)],
            description: Some(format!("the journal of the floor '{floor}'")),
            storage: StorageType::File,
            num_replicas: connection.options.replicas,
            discard: DiscardPolicy::New,
            max_message_size: MAX_MESSAGE,
            deny_delete: true,
            allow_direct: true,
            ..Config::default()
        };
        let mut last = String::new();
        for _ in 0..20 {
            match connection.jetstream.get_or_create_stream(config.clone()).await {
                Ok(_) => {
                    let stream = connection.jetstream.get_stream_no_info(name_of(floor)).await;
                    let stream = Stream {
                        connection: connection.clone(),
                        stream: stream.map_err(Error::unreachable)?,
                        subject: subject_of(floor),
                        journal,
                        key: None,
                    };
                    let opening = Bytes::from(Position::opening(journal));
                    return match stream.append(0, opening, Duration::from_secs(10)).await {
                        Ok(_) => Ok(stream),
                        Err(Error::Fenced) => {
                            Stream::open(connection, floor).await?.ok_or_else(|| Error::NoFloor(floor.to_owned()))
                        }
                        Err(error) => Err(error),
                    };
                }
                Err(error) => last = error.to_string(),
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        Err(Error::Unreachable(last))
    }

    /// The floors that the cluster keeps.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    pub async fn floors(connection: &Connection) -> Result<Vec<String>, Error> {
        let mut names = connection.jetstream.stream_names();
        let mut floors = Vec::new();
        while let Some(name) = names.next().await {
            let name = name.map_err(Error::unreachable)?;
            floors.extend(name.strip_prefix("CROUPIER_").map(str::to_owned));
        }
        floors.sort();
        Ok(floors)
    }

    /// The same, whose messages are signed from now on.
    #[must_use]
    pub fn signed_by(self, key: Arc<HostKey>) -> Stream {
        Stream { key: Some(key), ..self }
    }

    /// The content of a message's signature: it is valid in this place of this journal and nowhere else.
    fn whose(&self, number: u64, bytes: &[u8], signature: Option<&str>) -> Option<HostId> {
        of_header(signature?, &[b"batch", &self.journal, &number.to_le_bytes()], bytes)
    }

    /// The journal's own id.
    #[must_use]
    pub fn journal(&self) -> [u8; 16] {
        self.journal
    }

    /// The number of the last message.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    pub async fn last(&self) -> Result<u64, Error> {
        requests::last(self).await
    }

    /// How the cluster keeps it, as the server that leads it sees it.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    pub async fn state(&self) -> Result<State, Error> {
        let info = timeout(REQUEST, self.stream.get_info()).await.map_err(Error::unreachable)?;
        let info = info.map_err(Error::unreachable)?;
        let cluster = info.cluster.unwrap_or_default();
        let leader = cluster.leader.map(|server| Replica { server, leads: true, current: true, behind: 0 });
        let others = cluster.replicas.into_iter().map(|peer| Replica {
            server: peer.name,
            leads: false,
            current: peer.current && !peer.offline,
            behind: peer.lag.unwrap_or(0),
        });
        let mut replicas: Vec<Replica> = leader.into_iter().chain(others).collect();
        replicas.sort_by(|a, b| a.server.cmp(&b.server));
        let (messages, bytes, wanted) = (info.state.last_sequence, info.state.bytes, info.config.num_replicas);
        Ok(State { messages, bytes, wanted, replicas })
    }

    /// A message, if it is there.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    pub async fn get(&self, message: u64) -> Result<Option<Bytes>, Error> {
        requests::get(self, message).await
    }

    /// Appends a message after the one of that number, once. Even if the acknowledgement is lost, the message is either
    /// there or can never appear later. When this returns, a quorum has it.
    ///
    /// # Errors
    /// [`Error::Fenced`] when something else is there; [`Error::Unknown`] when it could not be found out within the time
    /// given.
    pub async fn append(&self, after: u64, bytes: Bytes, patience: Duration) -> Result<u64, Error> {
        requests::append(self, after, bytes, patience).await
    }

    /// The message after which a copy that has reached a place continues.
    ///
    /// # Errors
    /// When the cluster cannot be asked, or the place is not in the stream: then copy and stream differ.
    pub async fn find(&self, place: &Position) -> Result<u64, Error> {
        requests::find(self, self.journal, place).await
    }

    /// The messages after one, as they come.
    #[must_use]
    pub fn tail(&self, after: u64) -> Tail {
        Tail {
            stream: self.clone(),
            next: after + 1,
            listening: None,
            messages: None,
            heard: Instant::now(),
            behind: 0,
        }
    }

    /// Begins to listen from a message on, however long it takes.
    async fn listen(self, from: u64) -> pull::Ordered {
        loop {
            let config = pull::OrderedConfig {
                deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from },
                ..pull::OrderedConfig::default()
            };
            let consumer = timeout(REQUEST, self.stream.create_consumer(config)).await;
            if let Ok(Ok(consumer)) = consumer
                && let Ok(Ok(messages)) = timeout(REQUEST, consumer.messages()).await
            {
                return messages;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Requests for Stream {
    async fn publish(&self, after: u64, bytes: Bytes) -> Result<(), Published> {
        let mut message = PublishMessage::build().expected_last_sequence(after);
        if let Some(key) = &self.key {
            let about: [&[u8]; 3] = [b"batch", &self.journal, &(after + 1).to_le_bytes()];
            message = message.header(SIGNATURE, to_header(key, &about, &bytes).as_str());
        }
        let message = message.payload(bytes);
        let sent = self.connection.jetstream.send_publish(self.subject.clone(), message);
        let answered = async { sent.await?.await };
        match timeout(REQUEST, answered).await {
            Ok(Ok(ack)) if ack.sequence == after + 1 => Ok(()),
            Ok(Ok(_)) => Err(Published::Elsewhere),
            Ok(Err(error)) => Err(match error.kind() {
                PublishErrorKind::WrongLastSequence => Published::Elsewhere,
                PublishErrorKind::MaxPayloadExceeded => Published::Never(error.to_string()),
                _ => Published::Failed(error.to_string()),
            }),
            Err(_) => Err(Published::Failed("no acknowledgement in time".to_owned())),
        }
    }

    async fn look(&self, message: u64) -> Result<Option<Bytes>, String> {
        match timeout(REQUEST, self.stream.get_raw_message(message)).await {
            Ok(Ok(found)) => Ok(Some(found.payload)),
            Ok(Err(error)) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(NO_ANSWER.to_owned()),
        }
    }

    async fn count(&self) -> Result<u64, String> {
        match timeout(REQUEST, self.stream.get_info()).await {
            Ok(Ok(info)) => Ok(info.state.last_sequence),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(NO_ANSWER.to_owned()),
        }
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    async fn rest(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }
}

/// The messages of a stream, in order, without end.
pub struct Tail {
    stream: Stream,
    next: u64,
    /// The subscription is being set up. This may take longer than the caller wants to wait for the next message.
    listening: Option<BoxFuture<'static, pull::Ordered>>,
    messages: Option<pull::Ordered>,
    heard: Instant,
    /// How many messages were waiting behind the last.
    behind: u64,
}

impl Tail {
    /// How many messages were waiting when the last was taken.
    #[must_use]
    pub fn behind(&self) -> u64 {
        self.behind
    }

    /// The number of the last message that was taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.next - 1
    }

    /// The stream.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The next message, or none within the time. A server that fails in between does not matter.
    pub async fn next(&mut self, within: Duration) -> Option<Bytes> {
        self.told(within).await.map(|told| told.bytes)
    }

    /// The same, with whose signature it bears.
    pub async fn told(&mut self, within: Duration) -> Option<Told> {
        let until = Instant::now() + within;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Some(messages) = &mut self.messages else {
                let (stream, next) = (&self.stream, self.next);
                let listening = self.listening.get_or_insert_with(|| Box::pin(stream.clone().listen(next)));
                self.messages = Some(timeout(left, listening).await.ok()?);
                self.listening = None;
                self.heard = Instant::now();
                continue;
            };
            match timeout(left, messages.next()).await {
                Ok(Some(Ok(message))) if message.info().is_ok_and(|info| info.stream_sequence == self.next) => {
                    self.heard = Instant::now();
                    let number = self.next;
                    self.next += 1;
                    self.behind = message.info().map_or(0, |info| info.pending);
                    let headers = message.message.headers.as_ref();
                    let signature = headers.and_then(|headers| headers.get(SIGNATURE)).map(|value| value.as_str());
                    let by = self.stream.whose(number, &message.message.payload, signature);
                    return Some(Told { number, bytes: message.message.payload, by });
                }
                // Something was left out, or comes again from the beginning.
                Ok(_) => self.messages = None,
                Err(_) if self.is_behind().await => self.messages = None,
                Err(_) => return None,
            }
        }
    }

    /// It may be quiet, or the one that should tell us is gone.
    async fn is_behind(&mut self) -> bool {
        if self.heard.elapsed() <= QUIET {
            return false;
        }
        self.heard = Instant::now();
        matches!(self.stream.look(self.next).await, Ok(Some(_)))
    }
}
