//! The serial port, and the thread that reads it.

use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use floor::Moment;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{ControlModes, InputModes, OptionalActions, ioctl_tiocexcl, tcgetattr, tcsetattr};

use super::{Cammegh, Report};

const SPEED: u32 = 9600;
/// How long a read waits, so that the thread can look at the time.
const WAIT: Duration = Duration::from_millis(100);
/// The pauses between attempts to open a port that is gone: doubled from one to the next.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A serial port at 9600 8N1, to be listened to. A read waits a tenth of a second at most and then says
/// [`ErrorKind::TimedOut`]; it says zero bytes when the port is gone.
#[derive(Debug)]
pub struct SerialPort(OwnedFd);

impl SerialPort {
    /// Opens a port.
    ///
    /// # Errors
    /// When there is none, or it is no serial port.
    pub fn open(path: impl AsRef<Path>) -> io::Result<SerialPort> {
        // Without waiting for a carrier, and without becoming the terminal of this process.
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let port = rustix::fs::open(path.as_ref(), flags, Mode::empty())?;
        let mut settings = tcgetattr(&port)?;
        settings.make_raw();
        settings.set_speed(SPEED)?;
        settings.control_modes &= !(ControlModes::CSIZE | ControlModes::PARENB | ControlModes::CSTOPB);
        settings.control_modes |= ControlModes::CS8 | ControlModes::CLOCAL | ControlModes::CREAD;
        settings.input_modes &= !(InputModes::IXON | InputModes::IXOFF);
        tcsetattr(&port, OptionalActions::Now, &settings)?;
        // Two who listen would each hear half of every line.
        ioctl_tiocexcl(&port)?;
        Ok(SerialPort(port))
    }
}

impl Read for SerialPort {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(WAIT.subsec_nanos()) };
        let mut ports = [PollFd::new(&self.0, PollFlags::IN)];
        if poll(&mut ports, Some(&wait))? == 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(rustix::io::read(&self.0, buffer)?)
    }
}

/// A thread that reads a wheel, reports what it says, and opens the port again when it goes away. It ends when this
/// value does.
#[derive(Debug)]
pub struct Reader {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts to read. `open` opens the port, now and whenever it has gone; a read of it must not wait for long, and
    /// says [`ErrorKind::TimedOut`] or [`ErrorKind::WouldBlock`] when nothing came. `report` is called in order.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn start<Port: Read>(
        open: impl FnMut() -> io::Result<Port> + Send + 'static,
        wheel: Cammegh,
        clock: impl Fn() -> Moment + Send + 'static,
        report: impl FnMut(Report) + Send + 'static,
    ) -> io::Result<Reader> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut reading = Reading { wheel, clock, report, stop: Arc::clone(&stop) };
        let thread = thread::Builder::new().name("wheel".to_owned()).spawn(move || reading.run(open))?;
        Ok(Reader { stop, thread: Some(thread) })
    }

    /// Starts to read the serial port at a path.
    ///
    /// # Errors
    /// As [`Reader::start`]. That the port cannot be opened is none: it is tried again, and the wheel is silent.
    pub fn listen(
        path: impl AsRef<Path>,
        wheel: Cammegh,
        clock: impl Fn() -> Moment + Send + 'static,
        report: impl FnMut(Report) + Send + 'static,
    ) -> io::Result<Reader> {
        let path = path.as_ref().to_owned();
        Reader::start(move || SerialPort::open(&path), wheel, clock, report)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic in there has been printed.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct Reading<Clock, Tell> {
    wheel: Cammegh,
    clock: Clock,
    report: Tell,
    stop: Arc<AtomicBool>,
}

impl<Clock: Fn() -> Moment, Tell: FnMut(Report)> Reading<Clock, Tell> {
    fn run<Port: Read>(&mut self, mut open: impl FnMut() -> io::Result<Port>) {
        let mut pause = SHORTEST_PAUSE;
        while !self.is_stopped() {
            match open() {
                Ok(port) => {
                    tracing::info!("the wheel's port is open");
                    if self.read(port) {
                        pause = SHORTEST_PAUSE;
                    }
                }
                Err(error) => tracing::warn!(%error, "the wheel's port cannot be opened"),
            }
            self.rest(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Reads until the port is gone; says whether anything came.
    fn read(&mut self, mut port: impl Read) -> bool {
        self.wheel.reopened();
        let mut buffer = [0; 256];
        let mut came = false;
        while !self.is_stopped() {
            let read = match port.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => buffer.get(..length).unwrap_or_default(),
                Err(error) => match error.kind() {
                    ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted => &[],
                    _ => {
                        tracing::warn!(%error, "the wheel's port is gone");
                        break;
                    }
                },
            };
            came |= !read.is_empty();
            let reports = self.wheel.feed(read, (self.clock)());
            reports.into_iter().for_each(&mut self.report);
        }
        came
    }

    /// Waits, and keeps watching the time: a port that is gone is silent.
    fn rest(&mut self, pause: Duration) {
        let mut left = pause;
        while !left.is_zero() && !self.is_stopped() {
            let step = left.min(WAIT);
            thread::sleep(step);
            left -= step;
            let reports = self.wheel.elapse((self.clock)());
            reports.into_iter().for_each(&mut self.report);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
