//! Records of a floor that plays: whatever happens to them, they come to what a rebuild gives.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Story, story};
use engine::encode;
use floor::Record;
use journal::{Journal, RealDisk};
use records::{FILE, Follower, FollowerOptions, Reader, Records};
use rusqlite::Connection;
use rusqlite::types::Value;

const SOON: Duration = Duration::from_secs(60);

/// A journal in a folder, and the log that goes into it.
struct Place {
    folder: tempfile::TempDir,
    journal: Option<Journal<RealDisk>>,
    log: Vec<Record>,
    written: usize,
}

impl Place {
    fn new(game: &str) -> Place {
        let Story { house, .. } = story(game);
        let folder = tempfile::tempdir().unwrap();
        let journal = Some(open(folder.path()));
        Place { folder, journal, log: house.log.clone(), written: 0 }
    }

    /// The same place as it is now, somewhere else: a backup.
    fn copy(&self) -> Place {
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(self.path()).unwrap() {
            let name = entry.unwrap().file_name();
            if name != "lock" && !name.to_string_lossy().starts_with(FILE) {
                std::fs::copy(self.path().join(&name), folder.path().join(&name)).unwrap();
            }
        }
        let journal = Some(open(folder.path()));
        Place { folder, journal, log: self.log.clone(), written: self.written }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join(FILE)
    }

    fn sequence(&self) -> u64 {
        self.written as u64
    }

    fn rest(&self) -> usize {
        self.log.len() - self.written
    }

    /// Makes the next records durable, and returns them with the sequence of the first.
    fn write(&mut self, count: usize) -> (u64, Arc<Vec<Record>>) {
        let records = self.log[self.written..][..count].to_vec();
        let mut batch = journal::Batch::new();
        let mut bytes = Vec::new();
        for record in &records {
            bytes.clear();
            encode(record, &mut bytes);
            batch.push(record.at.0, &bytes);
        }
        let journal = self.journal.as_mut().unwrap();
        journal.append(journal.sequence(), &mut batch).unwrap();
        let first = self.sequence() + 1;
        self.written += count;
        (first, Arc::new(records))
    }

    /// Plays so many records in batches of some size, and tells the follower.
    fn play(&mut self, follower: &Follower, count: usize, together: usize) {
        let end = self.written + count;
        while self.written < end {
            let (first, records) = self.write(together.min(end - self.written));
            follower.take_in(first, records);
        }
    }

    fn follow(&self, options: FollowerOptions) -> Follower {
        let follower = Follower::start(self.path(), options).unwrap();
        follower.recovered(self.sequence());
        follower
    }

    /// Every row, as the records that are there have them.
    fn live(&self) -> String {
        contents(&self.file())
    }

    /// Every row, as a rebuild from the log has them.
    fn rebuilt(&self) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        drop(Records::rebuild(&path, self.log[..self.written].iter().cloned(), |_| ()).unwrap());
        contents(&path)
    }

    #[track_caller]
    fn agrees(&self, follower: Follower) {
        assert!(follower.wait_for(self.sequence(), SOON), "at {} of {}", follower.sequence(), self.sequence());
        assert_eq!((follower.sequence(), follower.lag()), (self.sequence(), 0));
        assert_eq!(follower.reader().unwrap().query().sequence().unwrap(), self.sequence());
        drop(follower);
        assert_eq!(self.live(), self.rebuilt());
    }
}

fn open(folder: &Path) -> Journal<RealDisk> {
    let options = journal::Options { segment: 0, checkpoint_every: 1_000_000 };
    Journal::open(RealDisk::new(folder).unwrap(), options, None, |_, _| Ok(())).unwrap().0
}

/// Every row of every table. The changes of a round are one list, however many batches it came in.
fn contents(path: &Path) -> String {
    let connection = Connection::open(path).unwrap();
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() > 20, "{tables:?}");
    let mut text = String::new();
    for table in tables {
        let sql = match table.as_str() {
            "meta" => "SELECT sequence, at, day_starts, mark FROM meta".to_owned(),
            "changes" => "SELECT round, min(first), group_concat(hex(lines), '') FROM \
                          (SELECT * FROM changes ORDER BY round, first) GROUP BY round ORDER BY round"
                .to_owned(),
            table => format!("SELECT * FROM {table}"),
        };
        let mut select = connection.prepare(&sql).unwrap();
        let width = select.column_count();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<Value> = (0..width).map(|column| row.get(column).unwrap()).collect();
            text.push_str(&format!("{table} {values:?}\n"));
        }
    }
    text
}

/// Options that report to a channel and gather nothing.
fn reporting() -> (FollowerOptions, Receiver<String>) {
    let (sender, reports) = channel();
    let sender = Mutex::new(sender);
    let report = move |words: &str| drop(sender.lock().unwrap().send(words.to_owned()));
    let options =
        FollowerOptions { gather: Duration::ZERO, report: Some(Box::new(report)), ..FollowerOptions::default() };
    (options, reports)
}

#[track_caller]
fn next(reports: &Receiver<String>) -> String {
    reports.recv_timeout(SOON).expect("a report")
}

/// Numbers from a seed.
fn random(seed: &mut u64, below: usize) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed % below as u64) as usize
}

#[test]
fn live_is_the_same_as_rebuilt() {
    for game in crate::support::ALL {
        for together in [1, 7, 1_000] {
            let mut place = Place::new(game);
            let (options, reports) = reporting();
            let follower = place.follow(options);
            place.play(&follower, place.rest(), together);
            place.agrees(follower);
            assert_eq!(reports.try_iter().collect::<Vec<_>>(), [""; 0], "{game} in batches of {together}");
        }
    }
}

#[test]
fn what_is_not_known_to_be_durable_is_not_in_the_records() {
    let mut place = Place::new("rws-sicbo");
    place.write(50);
    let follower = Follower::start(place.path(), reporting().0).unwrap();
    // The journal has 50 records, of which the floor has said 30 to be durable.
    follower.recovered(30);
    assert!(follower.wait_for(30, SOON));
    assert!(!follower.wait_for(31, Duration::from_millis(20)));
    assert_eq!((follower.sequence(), follower.lag()), (30, 0));
    follower.recovered(50);
    let (first, records) = place.write(10);
    follower.take_in(first, records);
    place.agrees(follower);
}

#[test]
fn nothing_is_opened_before_the_floor_has_come_up() {
    let mut place = Place::new("rws-sicbo");
    place.write(10);
    let follower = Follower::start(place.path(), FollowerOptions::default()).unwrap();
    assert!(!follower.wait_for(1, Duration::from_millis(20)));
    assert!(follower.reader().is_err());
    drop(follower);
    assert!(!place.file().exists());
}

#[test]
fn stopped_at_random_and_resumed_is_the_same() {
    for start in 1..=12_u64 {
        let mut seed = start.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let game = crate::support::ALL[random(&mut seed, crate::support::ALL.len())];
        let mut place = Place::new(game);
        while place.rest() > 0 {
            // Part of it is played while no records are kept.
            let count = random(&mut seed, place.rest().min(60) + 1);
            if count > 0 && random(&mut seed, 3) == 0 {
                place.write(count);
            }
            let (mut options, reports) = reporting();
            options.queue = 1 + random(&mut seed, 100);
            options.transaction = 1 + random(&mut seed, 50);
            let follower = place.follow(options);
            let (count, together) = (random(&mut seed, place.rest() + 1), 1 + random(&mut seed, 9));
            place.play(&follower, count, together);
            drop(follower);
            let reader = Reader::open(place.file()).unwrap();
            assert_eq!(reader.query().sequence().unwrap(), place.sequence(), "what waits at the end is written");
            assert_eq!(reports.try_iter().collect::<Vec<_>>(), [""; 0], "seed {start}");
        }
        assert_eq!(place.live(), place.rebuilt(), "seed {start}");
    }
}

#[test]
fn far_behind_it_reads_the_journal_and_catches_up() {
    let mut place = Place::new("rws-roulette-000");
    let (mut options, reports) = reporting();
    // There is room for next to nothing, so that play runs away from it all the time.
    options.queue = 3;
    let follower = place.follow(options);
    place.play(&follower, place.rest(), 2);
    place.agrees(follower);
    assert_eq!(reports.try_iter().collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn there_is_no_time_to_catch_up_and_the_next_start_goes_on() {
    let mut place = Place::new("rws-roulette-000");
    let all = place.rest();
    place.write(all);
    let (mut options, _reports) = reporting();
    (options.finish, options.transaction) = (Duration::ZERO, 10);
    let follower = place.follow(options);
    assert!(follower.wait_for(1, SOON));
    drop(follower);
    let place_it_stopped_at = Reader::open(place.file()).unwrap().query().sequence().unwrap();
    assert!(place_it_stopped_at >= 10);
    place.agrees(place.follow(reporting().0));
}

#[test]
fn records_of_another_journal_are_made_anew() {
    let mut one = Place::new("rws-sicbo");
    let follower = one.follow(reporting().0);
    one.play(&follower, 60, 7);
    drop(follower);
    let mut other = Place::new("rws-sicbo");
    other.write(80);
    std::fs::copy(one.file(), other.file()).unwrap();
    let (options, reports) = reporting();
    let follower = other.follow(options);
    assert_eq!(next(&reports), "the records are rebuilt: they are of another journal");
    other.play(&follower, 20, 7);
    other.agrees(follower);
}

#[test]
fn records_beyond_the_end_or_of_another_course_are_made_anew() {
    let mut place = Place::new("rws-sicbo");
    place.write(50);
    let (earlier, mut course) = (place.copy(), place.copy());
    let follower = place.follow(reporting().0);
    place.play(&follower, 20, 7);
    drop(follower);

    std::fs::copy(place.file(), earlier.file()).unwrap();
    let (options, reports) = reporting();
    let follower = earlier.follow(options);
    assert_eq!(next(&reports), "the records are rebuilt: they are ahead of the journal");
    earlier.agrees(follower);

    // The backup was played on, and at other times.
    for record in &mut course.log[50..] {
        record.at.0 += 1;
    }
    course.write(30);
    std::fs::copy(place.file(), course.file()).unwrap();
    let (options, reports) = reporting();
    let follower = course.follow(options);
    assert_eq!(next(&reports), "the records are rebuilt: they are of another course of this journal");
    course.agrees(follower);
}

#[test]
fn damaged_records_are_made_anew() {
    let mut place = Place::new("mbs-sicbo");
    let follower = place.follow(reporting().0);
    place.play(&follower, 60, 7);
    drop(follower);
    std::fs::write(place.file(), "no database, but long enough to be taken for one at the first look").unwrap();
    let (options, reports) = reporting();
    let follower = place.follow(options);
    assert_eq!(next(&reports), "the records are rebuilt: they cannot be read");
    assert!(follower.wait_for(60, SOON));

    // The files are damaged while they are being written.
    Connection::open(place.file()).unwrap().execute_batch("DROP TABLE money; DROP TABLE events").unwrap();
    place.play(&follower, place.rest(), 7);
    assert!(next(&reports).contains("no such table"));
    place.agrees(follower);
}

#[test]
fn what_cannot_be_written_is_reported_and_tried_again() {
    let mut place = Place::new("rws-sicbo");
    let elsewhere = place.path().join("elsewhere");
    let (mut options, reports) = reporting();
    options.file = Some(elsewhere.join("here.sqlite"));
    let follower = place.follow(options);
    place.play(&follower, 60, 7);
    assert!(next(&reports).starts_with("the records: "));
    assert_eq!((follower.sequence(), follower.lag()), (0, 60), "play goes on, and the lag is known");
    std::fs::create_dir(&elsewhere).unwrap();
    assert!(follower.wait_for(60, SOON));
    place.play(&follower, place.rest(), 7);
    assert!(follower.wait_for(place.sequence(), SOON));
    drop(follower);
    assert_eq!(contents(&elsewhere.join("here.sqlite")), place.rebuilt());
}

#[test]
fn archived_records_are_asked_for() {
    let mut place = Place::new("rws-sicbo");
    // Segments of the smallest size hold some 500 batches.
    let log = place.log.clone();
    let padding =
        Record { event: floor::Event::TerminalBack { terminal: crate::support::T0 }, ..log.last().unwrap().clone() };
    place.log.extend(std::iter::repeat_n(Record { origin: None, ..padding }, 400));
    while place.rest() > 0 {
        place.write(1);
    }
    let archive = tempfile::tempdir().unwrap();
    let first = "000000000001.segment";
    assert!(place.path().join("000000000002.segment").exists());
    std::fs::rename(place.path().join(first), archive.path().join(first)).unwrap();
    let (options, reports) = reporting();
    let follower = place.follow(options);
    assert!(next(&reports).contains("name the folder of its archived segments"));
    drop(follower);
    let (mut options, _reports) = reporting();
    options.archives = vec![archive.path().to_owned()];
    place.agrees(place.follow(options));
}

#[test]
fn what_is_old_is_forgotten_and_the_rest_stays() {
    let story = story("rws-sicbo");
    let (_folder, path) = crate::support::file();
    let mut records = Records::rebuild(&path, story.house.log.iter().cloned(), |_| ()).unwrap();
    let totals = records.query().tables(&records::TotalsFilter::default()).unwrap();
    let last = records.query().round(story.voided_later).unwrap().expect("there");
    let day = records::gaming_day(last.summary.begun_at, 360);
    assert!(records.forget_before("the day before").is_err());
    assert_eq!(records.forget_before(&day).unwrap(), 3);
    assert_eq!(records.forget_before(&day).unwrap(), 0);
    let query = records.query();
    assert_eq!(query.forgotten_before().unwrap(), Some(day.clone()));
    for gone in [story.settled, story.void, story.corrected] {
        assert!(query.round(gone).unwrap().is_none());
    }
    assert_eq!(query.round(story.voided_later).unwrap().as_ref(), Some(&last));
    assert_eq!(query.tables(&records::TotalsFilter::default()).unwrap(), totals, "totals stay");
    drop(records);
    let connection = Connection::open(&path).unwrap();
    for table in ["settlements", "bets", "changes", "corrections"] {
        let sql = format!("SELECT count(*) FROM {table} WHERE round <> {}", story.voided_later.0);
        assert_eq!(connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "{table}");
    }
}

#[test]
fn a_follower_forgets_by_itself_and_comes_to_the_same_again() {
    let mut place = Place::new("rws-sicbo");
    let options = || FollowerOptions { keep_days: Some(1), ..reporting().0 };
    let follower = place.follow(options());
    place.play(&follower, place.rest(), 7);
    assert!(follower.wait_for(place.sequence(), SOON));
    let reader = follower.reader().unwrap();
    let rounds = reader.query().rounds(&records::RoundFilter::default()).unwrap().rows;
    assert_eq!(rounds.len(), 1, "{rounds:?}");
    drop((reader, follower));
    let kept = place.live();
    std::fs::remove_file(place.file()).unwrap();
    let follower = place.follow(options());
    assert!(follower.wait_for(place.sequence(), SOON));
    drop(follower);
    assert_eq!(place.live(), kept);
}
