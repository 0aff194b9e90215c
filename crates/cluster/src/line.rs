//! Messages between hosts: a follower sends a request, the leader answers.

use std::time::Duration;

use async_nats::{Client, Message, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::{Connection, Error};

fn subject_of(floor: &str) -> String {
    format!("croupier.{floor}.ask")
}

/// Where all hosts of a floor hear about links of terminals and devices.
fn links_of(floor: &str) -> String {
    format!("croupier.{floor}.links")
}

/// The questions to the host that leads a floor.
pub struct Questions {
    client: Client,
    subscriber: Subscriber,
}

/// A question, with where its answer goes.
pub struct Question {
    client: Client,
    message: Message,
}

impl Connection {
    /// Sends a request to the leader of a floor.
    ///
    /// # Errors
    /// When there is no answer in time. It is then unknown whether the request arrived.
    pub async fn ask(&self, floor: &str, question: Vec<u8>, within: Duration) -> Result<Bytes, Error> {
        match timeout(within, self.client.request(subject_of(floor), question.into())).await {
            Ok(Ok(answer)) => Ok(answer.payload),
            Ok(Err(error)) => Err(Error::unreachable(error)),
            Err(_) => Err(Error::Unreachable("no answer in time".to_owned())),
        }
    }

    /// Receives the requests to the leader of a floor.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub async fn hear(&self, floor: &str) -> Result<Questions, Error> {
        self.hear_at(subject_of(floor)).await
    }

    /// Hears the questions about links, which go to every host of a floor.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub async fn hear_links(&self, floor: &str) -> Result<Questions, Error> {
        self.hear_at(links_of(floor)).await
    }

    /// Asks every host of a floor about a link. This host hears the question too.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub async fn ask_about_link(&self, floor: &str, question: Vec<u8>) -> Result<Answers, Error> {
        let inbox = self.client.new_inbox();
        let subscriber = self.client.subscribe(inbox.clone()).await.map_err(Error::unreachable)?;
        let sent = self.client.publish_with_reply(links_of(floor), inbox, question.into()).await;
        sent.map_err(Error::unreachable)?;
        Ok(Answers(subscriber))
    }

    async fn hear_at(&self, subject: String) -> Result<Questions, Error> {
        let subscriber = self.client.subscribe(subject).await.map_err(Error::unreachable)?;
        self.client.flush().await.map_err(Error::unreachable)?;
        Ok(Questions { client: self.client.clone(), subscriber })
    }
}

/// The answers to a question that went to every host.
pub struct Answers(Subscriber);

impl Answers {
    /// The next; none when the connection has ended.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.0.next().await.map(|message| message.payload)
    }
}

impl Questions {
    /// The next; none when the connection has ended.
    pub async fn next(&mut self) -> Option<Question> {
        let message = self.subscriber.next().await?;
        Some(Question { client: self.client.clone(), message })
    }
}

impl Question {
    /// What is asked.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.message.payload
    }

    /// Answers.
    pub async fn answer(self, answer: Vec<u8>) {
        if let Some(reply) = self.message.reply {
            let _ = self.client.publish(reply, answer.into()).await;
        }
    }
}
