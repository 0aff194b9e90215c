//! The type: Open Sans, and how wide words are in it.

use std::sync::LazyLock;

use rustybuzz::{Face, UnicodeBuffer};

/// A weight of the type.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    pub const fn file(self) -> &'static [u8] {
        match self {
            Weight::Regular => include_bytes!("../fonts/OpenSans-Regular.ttf"),
            Weight::Bold => include_bytes!("../fonts/OpenSans-Semibold.ttf"),
        }
    }

    pub const fn web_file(self) -> &'static [u8] {
        match self {
            Weight::Regular => include_bytes!("../fonts/OpenSans-Regular.woff2"),
            Weight::Bold => include_bytes!("../fonts/OpenSans-Semibold.woff2"),
        }
    }

    fn face(self) -> Option<&'static Face<'static>> {
        static REGULAR: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::from_slice(Weight::Regular.file(), 0));
        static BOLD: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::from_slice(Weight::Bold.file(), 0));
        match self {
            Weight::Regular => REGULAR.as_ref(),
            Weight::Bold => BOLD.as_ref(),
        }
    }
}

/// How wide words are, in points.
pub(crate) fn width(words: &str, weight: Weight, size: f32) -> f32 {
    let Some(face) = weight.face() else { return words.chars().count() as f32 * size * 0.55 };
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(words);
    let shaped = rustybuzz::shape(face, &[], buffer);
    let advance: i32 = shaped.glyph_positions().iter().map(|position| position.x_advance).sum();
    advance as f32 * size / face.units_per_em() as f32
}

/// Whether the type has a sign.
pub(crate) fn has(sign: char) -> bool {
    Weight::Regular.face().is_some_and(|face| face.glyph_index(sign).is_some())
}

/// Words broken into lines no wider than a measure. A word that is too wide by itself is broken between its signs.
pub(crate) fn lines(words: &str, weight: Weight, size: f32, measure: f32) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in words.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if width(&joined, weight, size) <= measure {
                line = joined;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for sign in word.chars() {
                let longer = format!("{line}{sign}");
                if !line.is_empty() && width(&longer, weight, size) > measure {
                    lines.push(std::mem::take(&mut line));
                    line.push(sign);
                } else {
                    line = longer;
                }
            }
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_figures_have_one_width() {
        let one = width("1", Weight::Regular, 10.0);
        assert!(one > 3.0);
        assert!("0123456789".chars().all(|digit| width(&digit.to_string(), Weight::Regular, 10.0) == one));
    }

    #[test]
    fn the_type_has_every_sign_that_papers_use() {
        for sign in "§·…×−±√≤≥≈σχλµ²½–—“”’%‰".chars() {
            assert!(has(sign), "{sign}");
        }
    }

    #[test]
    fn words_are_broken_to_the_measure() {
        let broken = lines("what each figure is computed from", Weight::Regular, 10.0, 60.0);
        assert!(broken.len() > 2 && broken.iter().all(|line| width(line, Weight::Regular, 10.0) <= 60.0));
        assert_eq!(broken.join(" "), "what each figure is computed from");
        assert!(lines(&"f".repeat(64), Weight::Regular, 10.0, 60.0).len() > 1);
    }
}
