//! Every course of the book against the floor.

use scenarios::book::{self, Chapter};

fn chapters() -> Vec<Chapter> {
    book::read(&book::folder()).unwrap_or_else(|wrong| {
        let lines: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        panic!("the book cannot be read:\n{}", lines.join("\n"))
    })
}

#[test]
fn every_course_of_the_book_goes_as_it_is_written() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for chapter in chapters() {
        for course in &chapter.courses {
            for document in &course.at {
                count += 1;
                let place = |line: usize| format!("scenarios/{}:{line} at {document}", chapter.name);
                match (scenarios::on_floor::run(course, document), &course.fails) {
                    (Ok(()), None) | (Err(_), Some(_)) => {}
                    (Ok(()), Some(_)) => {
                        wrong.push(format!("{}: it is expected to fail and does not", place(course.line)))
                    }
                    (Err(failure), None) => wrong.push(format!("{}: {}", place(failure.line), failure.words)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} courses went wrong:\n{}", wrong.len(), wrong.join("\n"));
}
