//! Creates a floor, or restarts one, before any client is served.

use std::sync::Arc;

use engine::{Engine, Reply};
use floor::{Body, Command, FloorSettings, Moment, Post, Release, Sender};
use rulebook::library;

use super::{Start, StartError, failed};
use crate::anchors;
use crate::clock;
use crate::config::Config;
use crate::demo;
use crate::error::ApiError;
use crate::hub::{Hub, NOBODY};
use crate::store::Store;

/// Creates a floor before any client is served.
pub struct Make<'a> {
    /// The floor.
    pub engine: &'a Engine,
    /// The feeds.
    pub hub: &'a Arc<Hub>,
    /// The program that runs.
    pub release: Release,
}

impl Make<'_> {
    async fn send(&self, sender: Sender, number: u64, body: Body) -> Result<Result<u64, ApiError>, StartError> {
        let (tag, answer) = self.hub.expect();
        let command = Command { sender, number, at: clock::now(), body };
        self.engine.submit(tag, command).map_err(|refused| StartError::Stopped(refused.to_string()))?;
        match answer.await {
            Ok(Reply::Accepted(sequence)) => Ok(Ok(sequence)),
            Ok(Reply::Refused(refusal)) => Ok(Err(refusal.into())),
            Ok(Reply::Stopped(reason)) => Err(StartError::Stopped(reason)),
            Ok(Reply::Untaken(refused)) => Err(StartError::Stopped(refused.to_string())),
            Err(_) => Err(StartError::Stopped("no answer came".to_owned())),
        }
    }

    async fn own(&self, body: Body) -> Result<Result<u64, ApiError>, StartError> {
        let number = self.engine.read(|floor| floor.last_number(Sender::System)).unwrap_or(0) + 1;
        self.send(Sender::System, number, body).await
    }

    /// The requested floor, created or completed.
    pub async fn floor_of(&self, start: &Start) -> Result<(), StartError> {
        if start.demonstration {
            return self.demonstration(start.config.demonstration_pace).await;
        }
        self.floor(&start.config).await
    }

    /// The demonstration, or the rest of it where making it was interrupted.
    async fn demonstration(&self, pace: u32) -> Result<(), StartError> {
        let other = self.engine.read(|floor| floor.settings().is_some_and(|settings| !settings.demonstration));
        if other {
            return Err(StartError::Floor("there is a floor in this folder that is no demonstration".to_owned()));
        }
        let done = self.engine.read(demo::done);
        let commands = demo::commands(pace).map_err(|error| StartError::Floor(error.to_string()))?;
        let waiting: Vec<_> = commands
            .into_iter()
            .zip(1..)
            .skip(done)
            .map(|((sender, body), number)| {
                let (tag, answer) = self.hub.expect();
                let command = Command { sender, number, at: clock::now(), body };
                (self.engine.submit(tag, command), answer)
            })
            .collect();
        for (submitted, answer) in waiting {
            submitted.map_err(|refused| StartError::Stopped(refused.to_string()))?;
            match answer.await {
                Ok(Reply::Accepted(_)) => {}
                Ok(Reply::Refused(refusal)) => return Err(StartError::Floor(refusal.to_string())),
                Ok(Reply::Stopped(reason)) => return Err(StartError::Stopped(reason)),
                Ok(Reply::Untaken(refused)) => return Err(StartError::Stopped(refused.to_string())),
                Err(_) => return Err(StartError::Stopped("no answer came".to_owned())),
            }
        }
        Ok(())
    }

    /// A new floor with its administrator and the rulebooks of this program.
    async fn floor(&self, config: &Config) -> Result<(), StartError> {
        if self.engine.read(|floor| floor.settings().is_none()) {
            let settings = FloorSettings {
                name: config.floor.clone(),
                demonstration: false,
                day_starts: 6 * 60,
                ticket_days: 30,
                ..FloorSettings::default()
            };
            self.must(Body::CreateFloor(settings)).await?;
        }
        // Two people from the first moment: neither can make an account, a post or a threshold alone (D27).
        for name in ADMINISTRATORS {
            let made = |floor: &floor::Floor| {
                floor.staff().iter().filter(|person| person.post() == Post::Administrator).count()
            };
            let wanted = ADMINISTRATORS.iter().position(|of| *of == name).unwrap_or(0);
            if self.engine.read(made) <= wanted {
                self.must(Body::AddStaff { name: name.to_owned(), post: Post::Administrator, witness: None }).await?;
            }
        }
        let installed = self.engine.read(|floor| floor.rulebooks().map(rulebook::Rulebook::hash).collect::<Vec<_>>());
        let books = library::all().map_err(|error| StartError::Floor(error.to_string()))?;
        for book in books.iter().filter(|book| book.identity().approved && !installed.contains(&book.hash())) {
            // A rulebook that cannot be installed is not in the way of the others.
            if let Err(error) =
                self.own(Body::InstallRulebook { canonical: book.canonical().to_owned(), witness: None }).await?
            {
                tracing::warn!(rulebook = book.id(), code = error.error.code, "a rulebook was not installed");
            }
        }
        Ok(())
    }

    async fn must(&self, body: Body) -> Result<(), StartError> {
        let answer = self.own(body).await?;
        answer.map(drop).map_err(|error| StartError::Floor(error.error.message.en))
    }

    /// What a host does when it takes over: it records the program (S10) and the time without a leader (D6).
    pub async fn begin(&self, from: Option<Moment>) -> Result<(), StartError> {
        if let Err(error) = self.own(Body::StartProgram(self.release)).await? {
            tracing::warn!(code = error.error.code, "the start of the program was not recorded");
        }
        let open = self.engine.read(|floor| floor.tables().iter().any(|table| table.round().is_some()));
        if let Some(from) = from.filter(|_| open) {
            // The terminals reconnect by themselves within seconds; a stoppage within the grace is only recorded.
            let _ = self.own(Body::ReportStoppage { from, terminals_back: true }).await?;
        }
        self.links_are_down().await
    }

    /// Compares the journal with the newest anchor in each file of the settings. If it is shorter, or differs, records
    /// are lost, as after restoring an old backup: play is locked until two people have stated what was lost.
    pub async fn compare_anchors(&self, config: &Config, last: u64) -> Result<(), StartError> {
        for file in config.anchors.iter().filter_map(|place| place.file.clone()) {
            let (folder, journal) = (config.data.clone(), self.engine.journal());
            let compared = tokio::task::spawn_blocking(move || anchors::contradiction(&folder, journal, last, &file));
            let Some((record, words)) = compared.await.map_err(failed)? else { continue };
            tracing::error!(words, "records are missing");
            let epoch = self.engine.read(floor::Floor::epoch);
            if let Err(error) = self.own(Body::ReportLoss { epoch, record, words }).await?
                && error.error.code != "nothing_to_do"
            {
                return Err(StartError::Floor(error.error.message.en));
            }
        }
        Ok(())
    }

    /// No terminal is connected to a host that has just started: all are lost until they reconnect (S18).
    async fn links_are_down(&self) -> Result<(), StartError> {
        let (lost, last) = self.engine.read(|floor| {
            let live = floor.terminals().iter().filter(|terminal| terminal.is_live());
            (live.map(floor::Terminal::id).collect::<Vec<_>>(), floor.last_number(Sender::System))
        });
        let mut lost: Vec<_> = lost.into_iter().zip(last.unwrap_or(0) + 1..).collect();
        let waited_for = lost.pop();
        for (terminal, number) in lost {
            let body = Body::TerminalLost { terminal };
            let command = Command { sender: Sender::System, number, at: clock::now(), body };
            self.engine.submit(NOBODY, command).map_err(|refused| StartError::Stopped(refused.to_string()))?;
        }
        // When the last is durable, so are all.
        if let Some((terminal, number)) = waited_for {
            let _ = self.send(Sender::System, number, Body::TerminalLost { terminal }).await?;
        }
        Ok(())
    }
}

/// The first two people of a floor; their logins have no blank.
const ADMINISTRATORS: [&str; 2] = ["administrator", "administrator 2"];

/// A random password.
fn made_up() -> Result<String, rand::rngs::SysError> {
    use rand::TryRng;
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789z";
    let mut bytes = [0_u8; 16];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes)?;
    let letter = |byte: &u8| char::from(LETTERS.get(usize::from(byte % 32)).copied().unwrap_or(b'x'));
    Ok(bytes.iter().map(letter).collect())
}

/// A login with the password that was made for it just now.
pub type FirstLogin = (String, String);

/// The administrators' passwords, if there were none and they were made just now. Each is for one person, who must
/// change it before anything else, because the person who started the program has seen both (D27). They are shown only
/// once. A start therefore prints them last, so that a failed start prints none.
pub(crate) async fn first_passwords(
    store: &Arc<Store>,
    engine: &Engine,
    given: &[Option<String>; 2],
    anew: NewCredentials,
) -> Result<Vec<FirstLogin>, StartError> {
    // A person who can delete a file must not become the administrators in that way (D27).
    if anew == NewCredentials::Refused && engine.read(in_use) && !knows_anybody(store, engine)? {
        return Err(StartError::NoCredentials);
    }
    let mut made = Vec::new();
    for (name, given) in ADMINISTRATORS.into_iter().zip(given) {
        let person =
            engine.read(|floor| floor.staff().iter().find(|person| person.name() == name).map(floor::Staff::id));
        let Some(person) = person else { continue };
        if store.has_password(person).map_err(|error| StartError::Store(error.to_string()))? {
            continue;
        }
        let password = match given {
            Some(password) => password.clone(),
            None => made_up().map_err(|error| StartError::Store(error.to_string()))?,
        };
        let login = name.replace(' ', "");
        let (store, of, set) = (Arc::clone(store), login.clone(), password.clone());
        tokio::task::spawn_blocking(move || store.reset_password(person, &of, &set))
            .await
            .map_err(failed)?
            .map_err(|error| StartError::Store(error.to_string()))?;
        made.push((login, password));
    }
    Ok(made)
}

/// Whether first passwords may be made for the administrators of a floor in use whose credentials are gone.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum NewCredentials {
    /// They are restored from the backup.
    #[default]
    Refused,
    /// They are made; it is recorded and alerted.
    Made,
}

/// Whether people have worked on this floor: there are more than its first two, or one of them has sent a command.
pub(crate) fn in_use(floor: &floor::Floor) -> bool {
    let sent = |person: &floor::Staff| floor.last_number(Sender::Staff(person.id())).is_some();
    floor.staff().len() > ADMINISTRATORS.len() || floor.staff().iter().any(sent)
}

/// Whether any person of this floor has a password.
fn knows_anybody(store: &Store, engine: &Engine) -> Result<bool, StartError> {
    for person in engine.read(|floor| floor.staff().iter().map(floor::Staff::id).collect::<Vec<_>>()) {
        if store.has_password(person).map_err(|error| StartError::Store(error.to_string()))? {
            return Ok(true);
        }
    }
    Ok(false)
}
