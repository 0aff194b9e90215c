//! WebSocket frames, as little of them as a client needs.

/// What a frame carries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A message.
    Text,
    /// The other side asks for a sign of life.
    Ping,
    /// The other side has ended it.
    Close,
    /// Anything else.
    Other,
}

/// The first whole frame of what has come: its kind, its payload, and how many bytes it took.
pub fn first(bytes: &[u8]) -> Option<(Kind, &[u8], usize)> {
    let (&head, &short) = (bytes.first()?, bytes.get(1)?);
    let (start, length): (usize, usize) = match short & 0x7f {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?),
        length => (2, usize::from(length)),
    };
    let payload = bytes.get(start..start.checked_add(length)?)?;
    let kind = match head & 0x0f {
        1 => Kind::Text,
        8 => Kind::Close,
        9 => Kind::Ping,
        _ => Kind::Other,
    };
    Some((kind, payload, start + length))
}

/// Appends a frame as a client sends it. The mask is zero; it would protect nothing here.
pub fn push(out: &mut Vec<u8>, opcode: u8, payload: &[u8]) {
    out.push(0x80 | opcode);
    match u16::try_from(payload.len()) {
        Ok(length @ 0..=125) => out.push(0x80 | u8::try_from(length).unwrap_or(0)),
        Ok(length) => {
            out.push(0x80 | 126);
            out.extend_from_slice(&length.to_be_bytes());
        }
        Err(_) => {
            out.push(0x80 | 127);
            out.extend_from_slice(&(payload.len() as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_when_it_is_whole() {
        for length in [0, 5, 125, 126, 70_000] {
            let mut sent = Vec::new();
            push(&mut sent, 1, &vec![b'x'; length]);
            // A server's frame is the same without mask.
            let mask = sent.len() - length - 4;
            sent.drain(mask..mask + 4);
            sent[1] &= 0x7f;
            assert_eq!(first(&sent[..sent.len() - 1]), None);
            let (kind, payload, taken) = first(&sent).unwrap();
            assert_eq!((kind, payload.len(), taken), (Kind::Text, length, sent.len()));
        }
    }
}
