//! Serial ports, and pseudo-terminals in their place.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{ControlModes, InputModes, OptionalActions, ioctl_tiocexcl, tcgetattr, tcsetattr};
use serde::{Deserialize, Serialize};

/// The parity bit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parity {
    /// None.
    None,
    /// Even.
    Even,
}

/// How bytes go over a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Bits a second.
    pub speed: u32,
    /// The parity bit.
    pub parity: Parity,
    /// Seven data bits in place of eight.
    pub seven: bool,
    /// Two stop bits in place of one.
    pub two_stops: bool,
}

/// A line to a device. Reads and writes never wait.
#[derive(Debug)]
pub struct Port(OwnedFd);

impl Port {
    /// Opens a serial port that no one else may open.
    ///
    /// # Errors
    /// When there is none, or it is no serial port.
    pub fn open(path: &Path, framing: Framing) -> io::Result<Port> {
        // Without waiting for a carrier, and without becoming the terminal of this process.
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let port = rustix::fs::open(path, flags, Mode::empty())?;
        let mut settings = tcgetattr(&port)?;
        settings.make_raw();
        settings.set_speed(framing.speed)?;
        settings.control_modes &=
            !(ControlModes::CSIZE | ControlModes::PARENB | ControlModes::PARODD | ControlModes::CSTOPB);
        settings.control_modes |= if framing.seven { ControlModes::CS7 } else { ControlModes::CS8 };
        settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
        settings.control_modes.set(ControlModes::PARENB, framing.parity == Parity::Even);
        settings.control_modes.set(ControlModes::CSTOPB, framing.two_stops);
        settings.input_modes &= !(InputModes::IXON | InputModes::IXOFF);
        tcsetattr(&port, OptionalActions::Now, &settings)?;
        // Two who listen would each hear half of every frame.
        ioctl_tiocexcl(&port)?;
        Ok(Port(port))
    }

    /// A pseudo-terminal for a simulated device, with a link to its other end at a path.
    ///
    /// # Errors
    /// When there is none to be had, or something else is at the path.
    pub fn pseudo(path: &Path) -> io::Result<Port> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        rustix::fs::fcntl_setfl(&master, OFlags::NONBLOCK)?;
        let name = ptsname(&master, Vec::new())?;
        if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            std::fs::remove_file(path)?;
        }
        std::os::unix::fs::symlink(Path::new(name.to_str().map_err(io::Error::other)?), path)?;
        Ok(Port(master))
    }

    /// Reads what has come. Nothing has come: `WouldBlock`; the other end is gone: zero bytes.
    ///
    /// # Errors
    /// When the port is gone.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, buffer)?)
    }

    /// Writes what fits; the rest is lost, as on a line that is not listened to.
    ///
    /// # Errors
    /// When the port is gone.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(&self.0, rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl std::os::fd::AsRawFd for Port {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.0.as_raw_fd()
    }
}
