//! Frames: `02`, the length of everything, control, data, `03`, and the exclusive or of all between the two.

/// How every frame begins.
const START: u8 = 0x02;
/// What stands before the sum.
const END: u8 = 0x03;
/// The shortest frame: start, length, control, end, sum.
const LEAST: usize = 5;
/// The longest data of any message that is used.
const MOST: usize = 120;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The type of the message (bits 4 to 6), the device (1 to 3), and the bit that alternates (0).
    pub control: u8,
    /// With what.
    pub data: Vec<u8>,
}

/// Why bytes were no frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The sum or the end is wrong.
    Sum,
    /// The length cannot be right.
    Length(u8),
    /// Bytes outside of any frame: how many.
    Noise(usize),
}

/// The exclusive or of all bytes.
#[must_use]
pub fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum ^ byte)
}

impl Frame {
    /// A frame. Data beyond what a length can say is cut off; a byte has seven bits on this line.
    #[must_use]
    pub fn new(control: u8, data: &[u8]) -> Frame {
        let data = data.get(..data.len().min(MOST)).unwrap_or_default();
        Frame { control: control & 0x7F, data: data.iter().map(|byte| byte & 0x7F).collect() }
    }

    /// The type of the message.
    #[must_use]
    pub fn kind(&self) -> u8 {
        self.control >> 4
    }

    /// The bit that alternates.
    #[must_use]
    pub fn mark(&self) -> bool {
        self.control & 1 == 1
    }

    /// As it goes over the line.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let length = u8::try_from(self.data.len() + LEAST).unwrap_or(0x7F);
        let mut bytes = vec![START, length, self.control];
        bytes.extend_from_slice(&self.data);
        let sum = sum(bytes.get(1..).unwrap_or_default());
        bytes.extend_from_slice(&[END, sum]);
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
        if !(LEAST..=MOST + LEAST).contains(&usize::from(length)) {
            self.bytes.drain(..1);
            return Some(Err(Flaw::Length(length)));
        }
        let frame = self.bytes.get(..usize::from(length))?;
        let (body, tail) = frame.split_at(frame.len() - 2);
        if tail != [END, sum(body.get(1..)?)] || body.iter().any(|byte| *byte > 0x7F) {
            // The next frame may begin inside of what was taken for this one.
            self.bytes.drain(..1);
            return Some(Err(Flaw::Sum));
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
    fn frames_have_these_bytes() {
        for (control, data, bytes) in [
            // All denominations enabled; and the empty reply.
            (0x10, &[0x7F, 0x00, 0x00][..], &[0x02, 0x08, 0x10, 0x7F, 0x00, 0x00, 0x03, 0x67][..]),
            (0x20, &[0, 0, 0, 0, 0, 0], &[0x02, 0x0B, 0x20, 0, 0, 0, 0, 0, 0, 0x03, 0x2B]),
            // The alternating bit; and stack.
            (0x11, &[0x7F, 0x18, 0x06], &[0x02, 0x08, 0x11, 0x7F, 0x18, 0x06, 0x03, 0x78]),
            (0x10, &[0x7F, 0x38, 0x06], &[0x02, 0x08, 0x10, 0x7F, 0x38, 0x06, 0x03, 0x59]),
        ] {
            assert_eq!(Frame::new(control, data).bytes(), bytes, "{control:02X}");
        }
    }

    #[test]
    fn a_frame_is_found_between_noise_however_it_is_cut() {
        let (one, two) = (Frame::new(0x20, &[1, 0x10, 0, 0, 0, 0]), Frame::new(0x21, &[0x10, 0x10, 8, 0, 0, 0]));
        let mut line = vec![0x00, 0x55];
        line.extend(one.bytes());
        line.extend([0x02, 0x01]);
        let mut wrong = two.bytes();
        wrong[10] ^= 1;
        line.extend(wrong);
        line.extend(two.bytes());
        for step in 1..=line.len() {
            let mut reader = Reader::default();
            let found: Vec<Frame> =
                line.chunks(step).flat_map(|part| reader.feed(part)).filter_map(Result::ok).collect();
            assert_eq!(found, [one.clone(), two.clone()], "{step} bytes at a time");
        }
    }
}
