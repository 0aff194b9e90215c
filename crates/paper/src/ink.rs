//! Colours, chosen to be told apart on paper, on a screen and without colour.

/// What a colour is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Words.
    Text,
    /// Words that matter less.
    Faint,
    /// Lines that guide the eye.
    Grid,
    /// A firm line: under a heading, at a zero.
    Strong,
    /// The first colour of charts, and of the paper's head.
    Main,
    /// The second.
    Second,
    /// A wide band.
    Wide,
    /// A narrow band on it.
    Narrow,
    /// Every other row of a table.
    Row,
}

impl Ink {
    pub const fn rgb(self) -> [u8; 3] {
        match self {
            Ink::Text => [0x1d, 0x24, 0x2c],
            Ink::Faint => [0x5b, 0x66, 0x72],
            Ink::Grid => [0xdb, 0xe0, 0xe5],
            Ink::Strong => [0x8a, 0x95, 0xa1],
            Ink::Main => [0x1f, 0x4e, 0x79],
            Ink::Second => [0xb4, 0x53, 0x09],
            Ink::Wide => [0xdd, 0xe8, 0xf2],
            Ink::Narrow => [0xb5, 0xcd, 0xe3],
            Ink::Row => [0xf5, 0xf7, 0xf9],
        }
    }

    pub fn hex(self) -> String {
        let [r, g, b] = self.rgb();
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}
