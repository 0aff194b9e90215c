//! The forms a paper can take, told by the end of a file's name.

use std::path::Path;

/// A form of a paper.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.txt`
    Text,
    /// `.csv`
    Csv,
    /// `.html`
    Html,
    /// `.pdf`
    Pdf,
}

/// A file's name does not say which form is wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}: the name must end in .html, .pdf, .csv or .txt, which says what is written")]
pub struct UnknownFormat(pub String);

impl Format {
    /// The width of a text that goes into a file.
    pub const TEXT_WIDTH: usize = 110;

    /// The form that a file's name asks for.
    ///
    /// # Errors
    /// When it ends in none of the four.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Format, UnknownFormat> {
        let path = path.as_ref();
        let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
        match end.as_deref() {
            Some("txt") => Ok(Format::Text),
            Some("csv") => Ok(Format::Csv),
            Some("html" | "htm") => Ok(Format::Html),
            Some("pdf") => Ok(Format::Pdf),
            _ => Err(UnknownFormat(path.display().to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_name_says_the_form() {
        let of = |name: &str| Format::of_file(name).ok();
        assert_eq!(of("a.PDF"), Some(Format::Pdf));
        assert_eq!(of("folder.csv/a.html"), Some(Format::Html));
        assert_eq!(of("a.txt"), Some(Format::Text));
        for name in ["", "pdf", ".pdf", "a.docx", "a.", "a.pdf/"] {
            assert_eq!(of(name), if name == "a.pdf/" { Some(Format::Pdf) } else { None }, "{name:?}");
        }
    }
}
