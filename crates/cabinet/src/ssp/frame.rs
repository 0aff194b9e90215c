//! Frames: `7F`, the address with a bit that alternates, the length of the data, the data, and a CRC-16 with the low byte
//! first. A `7F` inside is sent twice.

/// How every frame begins.
const START: u8 = 0x7F;
/// Address, length and checksum.
const AROUND: usize = 4;

/// A frame. The address is always that of the only device on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The bit that alternates: a repeated one asks for the same answer again.
    pub sequence: bool,
    /// A command or an answer, and what belongs to it.
    pub data: Vec<u8>,
}

/// Why bytes were no frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The checksum is wrong.
    Checksum,
    /// Another frame began inside of it.
    Cut,
    /// It is for another address, or without data.
    Foreign,
    /// Bytes outside of any frame: how many.
    Noise(usize),
}

/// The CRC-16 with polynomial 8005, from FFFF, the highest bit first.
#[must_use]
pub fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte) << 8, |sum, _| if sum & 0x8000 == 0 { sum << 1 } else { sum << 1 ^ 0x8005 })
    })
}

impl Frame {
    /// A frame. Data beyond what a length can say is cut off.
    #[must_use]
    pub fn new(sequence: bool, data: &[u8]) -> Frame {
        Frame { sequence, data: data.get(..data.len().min(255)).unwrap_or_default().to_vec() }
    }

    /// As it goes over the line.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut body = vec![u8::from(self.sequence) << 7, u8::try_from(self.data.len()).unwrap_or(u8::MAX)];
        body.extend_from_slice(&self.data);
        let sum = crc(&body).to_le_bytes();
        body.extend_from_slice(&sum);
        let mut bytes = vec![START];
        for byte in body {
            bytes.extend(std::iter::repeat_n(byte, if byte == START { 2 } else { 1 }));
        }
        bytes
    }
}

/// Finds frames in what comes over the line.
#[derive(Debug, Default)]
pub struct Reader {
    /// A frame that has begun, without its start.
    frame: Option<Vec<u8>>,
    /// The last byte was a start, or the first of two.
    start: bool,
    noise: usize,
}

impl Reader {
    /// Takes bytes and gives every frame and flaw in them.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<Frame, Flaw>> {
        bytes.iter().filter_map(|byte| self.take(*byte)).collect()
    }

    /// Forgets a frame that is not whole: its rest will not come.
    pub fn clear(&mut self) {
        *self = Reader::default();
    }

    fn take(&mut self, byte: u8) -> Option<Result<Frame, Flaw>> {
        if byte == START && !self.start {
            self.start = true;
            return None;
        }
        let starts = std::mem::take(&mut self.start) && byte != START;
        if starts {
            let cut = self.frame.replace(vec![byte]).is_some();
            let noise = std::mem::take(&mut self.noise);
            return match (cut, noise) {
                (true, _) => Some(Err(Flaw::Cut)),
                (false, 0) => None,
                (false, noise) => Some(Err(Flaw::Noise(noise))),
            };
        }
        let Some(frame) = &mut self.frame else {
            self.noise = self.noise.saturating_add(1);
            return None;
        };
        frame.push(byte);
        let length = usize::from(*frame.get(1)?);
        if frame.len() < length + AROUND {
            return None;
        }
        let frame = self.frame.take()?;
        let (body, sum) = frame.split_at(frame.len() - 2);
        if crc(body).to_le_bytes() != sum {
            return Some(Err(Flaw::Checksum));
        }
        match body {
            [address @ (0x00 | 0x80), _, data @ ..] if !data.is_empty() => Some(Ok(Frame::new(*address != 0, data))),
            _ => Some(Err(Flaw::Foreign)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_protocol() {
        // The sync command, as every description of the protocol has it.
        assert_eq!(crc(&[0x80, 0x01, 0x11]), 0x8265);
    }

    #[test]
    fn frames_have_these_bytes() {
        for (sequence, data, bytes) in [
            (true, &[0x11][..], &[0x7F, 0x80, 0x01, 0x11, 0x65, 0x82][..]),
            (false, &[0x07], &[0x7F, 0x00, 0x01, 0x07, 0x11, 0x88]),
            (true, &[0x07], &[0x7F, 0x80, 0x01, 0x07, 0x12, 0x02]),
            (true, &[0xF0], &[0x7F, 0x80, 0x01, 0xF0, 0x23, 0x80]),
        ] {
            assert_eq!(Frame::new(sequence, data).bytes(), bytes, "{data:02X?}");
        }
        // A start inside is doubled, and the length counts it once.
        let bytes = Frame::new(false, &[0xF0, 0x7F]).bytes();
        assert_eq!(bytes.get(..6), Some(&[0x7F, 0x00, 0x02, 0xF0, 0x7F, 0x7F][..]));
    }

    #[test]
    fn a_frame_is_found_between_noise_however_it_is_cut() {
        let frames = [Frame::new(true, &[0xF0, 0xEF, 3]), Frame::new(false, &[0xF0, 0x7F]), Frame::new(true, &[0xF0])];
        let mut line = vec![0x00, 0x55];
        line.extend(frames[0].bytes());
        line.extend([0x7F, 0x00, 0x03, 0xF0]);
        let mut wrong = frames[2].bytes();
        wrong[4] ^= 1;
        line.extend(wrong);
        line.extend(frames[1].bytes());
        line.extend(frames[2].bytes());
        for step in 1..=line.len() {
            let mut reader = Reader::default();
            let found: Vec<Frame> =
                line.chunks(step).flat_map(|part| reader.feed(part)).filter_map(Result::ok).collect();
            assert_eq!(found, frames, "{step} bytes at a time");
        }
    }
}
