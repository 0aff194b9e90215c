//! Frames: `FC`, the length of everything, a command, data, and a CRC-16 Kermit with the low byte first.

/// How every frame begins.
const START: u8 = 0xFC;
/// The shortest frame: start, length, command, checksum.
const LEAST: usize = 5;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it says.
    pub command: u8,
    /// With what.
    pub data: Vec<u8>,
}

/// Why bytes were no frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The checksum is wrong.
    Checksum,
    /// The length cannot be right.
    Length(u8),
    /// Bytes outside of any frame: how many.
    Noise(usize),
}

/// CRC-16 Kermit.
#[must_use]
pub fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte), |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0x8408 } else { sum >> 1 })
    })
}

impl Frame {
    /// A frame. Data beyond what a length can say is cut off.
    #[must_use]
    pub fn new(command: u8, data: &[u8]) -> Frame {
        Frame { command, data: data.get(..data.len().min(250)).unwrap_or_default().to_vec() }
    }

    /// As it goes over the line.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let length = u8::try_from(self.data.len() + LEAST).unwrap_or(u8::MAX);
        let mut bytes = vec![START, length, self.command];
        bytes.extend_from_slice(&self.data);
        bytes.extend_from_slice(&crc(&bytes).to_le_bytes());
        bytes
    }
}

/// Finds frames in what comes over the line.
#[derive(Debug, Default)]
pub struct Reader {
    bytes: Vec<u8>,
}

impl Reader {
    /// Takes bytes and gives every frame and flaw in them.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<Frame, Flaw>> {
        self.bytes.extend_from_slice(bytes);
        let mut found = Vec::new();
        while let Some(next) = self.next() {
            found.push(next);
        }
        found
    }

    /// Forgets a frame that is not whole: its rest will not come.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    fn next(&mut self) -> Option<Result<Frame, Flaw>> {
        let start = self.bytes.iter().position(|byte| *byte == START).unwrap_or(self.bytes.len());
        if start > 0 {
            self.bytes.drain(..start);
            return Some(Err(Flaw::Noise(start)));
        }
        let length = *self.bytes.get(1)?;
        if usize::from(length) < LEAST {
            self.bytes.drain(..1);
            return Some(Err(Flaw::Length(length)));
        }
        let frame = self.bytes.get(..usize::from(length))?;
        let (body, sum) = frame.split_at(frame.len() - 2);
        if crc(body).to_le_bytes() != sum {
            // The next frame may begin inside of what was taken for this one.
            self.bytes.drain(..1);
            return Some(Err(Flaw::Checksum));
        }
        let frame = Frame::new(*body.get(2)?, body.get(3..).unwrap_or_default());
        self.bytes.drain(..usize::from(length));
        Some(Ok(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_kermits() {
        assert_eq!(crc(b"123456789"), 0x2189);
    }

    #[test]
    fn frames_have_these_bytes() {
        for (command, data, bytes) in [
            (0x11, &[][..], &[0xFC, 0x05, 0x11, 0x27, 0x56][..]),
            (0x40, &[], &[0xFC, 0x05, 0x40, 0x2B, 0x15]),
            (0x50, &[], &[0xFC, 0x05, 0x50, 0xAA, 0x05]),
            (0x41, &[], &[0xFC, 0x05, 0x41, 0xA2, 0x04]),
            (0x43, &[], &[0xFC, 0x05, 0x43, 0xB0, 0x27]),
            (0xC3, &[0x01], &[0xFC, 0x06, 0xC3, 0x01, 0x8D, 0xC7]),
        ] {
            assert_eq!(Frame::new(command, data).bytes(), bytes, "{command:02X}");
        }
    }

    #[test]
    fn a_frame_is_found_between_noise_however_it_is_cut() {
        let mut line = vec![0x00, 0x55];
        line.extend(Frame::new(0x13, &[0x63]).bytes());
        line.extend([0xFC, 0x02]);
        let mut wrong = Frame::new(0x11, &[]).bytes();
        wrong[3] ^= 1;
        line.extend(wrong);
        line.extend(Frame::new(0x15, &[]).bytes());
        for step in 1..=line.len() {
            let mut reader = Reader::default();
            let found: Vec<Frame> =
                line.chunks(step).flat_map(|part| reader.feed(part)).filter_map(Result::ok).collect();
            assert_eq!(found, [Frame::new(0x13, &[0x63]), Frame::new(0x15, &[])], "{step} bytes at a time");
        }
    }
}
