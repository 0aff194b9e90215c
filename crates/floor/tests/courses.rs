//! What the scenario book plays, as far as the table of clauses needs to know. The book itself is read and run by the
//! crate `scenarios`.

use crate::clauses::Clause;

/// A course of the book.
pub struct Course {
    /// Whether everything in it is as it should be.
    pub honest: bool,
    /// Whether it is known to fail.
    pub fails: bool,
    /// What it is about, as far as it is run at a table of that document.
    pub clauses: Vec<Clause>,
}

/// The courses of a file.
pub fn read(text: &str) -> Vec<Course> {
    let (mut courses, mut section, mut within): (Vec<Course>, Vec<Clause>, bool) = (Vec::new(), Vec::new(), false);
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if let Some(step) = line.strip_prefix("  ") {
            let Some(course) = courses.last_mut() else { continue };
            course.fails |= step.starts_with("expected failure: ");
            if let Some(documents) = step.strip_prefix("at ") {
                let at: Vec<&str> = documents.split(',').map(str::trim).collect();
                course.clauses.retain(|(document, _)| document == "D" || at.contains(&document.as_str()));
            }
        } else if let Some(cited) = line.strip_prefix("paragraph ").or_else(|| line.strip_prefix("decision ")) {
            if std::mem::take(&mut within) {
                section.clear();
            }
            match cited.split_once(' ') {
                Some((document, numbers)) => {
                    section.extend(numbers.split(',').map(|number| (document.to_owned(), number.trim().to_owned())))
                }
                None => section.push(("D".to_owned(), cited.trim_start_matches('D').to_owned())),
            }
        } else {
            within = true;
            courses.push(Course { honest: line.starts_with("honest: "), fails: false, clauses: section.clone() });
        }
    }
    courses
}
