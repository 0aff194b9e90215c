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
            count += course.at.len();
            let place = |line: usize| format!("scenarios/{}:{line}", chapter.name);
            let run = |document: &String| {
                let failure = scenarios::on_floor::run(course, document).err()?;
                Some(format!("{} at {document}: {}", place(failure.line), failure.words))
            };
            let failures: Vec<String> = course.at.iter().filter_map(run).collect();
            match &course.fails {
                None => wrong.extend(failures),
                Some(why) if failures.is_empty() => {
                    wrong.push(format!("{}: it no longer fails, take the line out: {why}", place(course.line)));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} runs went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_list_of_steps_is_up_to_date() {
    let path = book::folder().join("STEPS.md");
    let list = format!(
        "# Steps of the scenario book\n\nEvery sentence a scenario may use. What stands in `<>` is filled in, what stands \
         in `[]` may be left out.\nMade from `crates/scenarios/src/steps.rs`; `UPDATE_GOLDEN=1 cargo test -p scenarios` \
         writes it anew.\n\n{}\n",
        scenarios::vocabulary().lines().map(|line| format!("- `{line}`")).collect::<Vec<_>>().join("\n")
    );
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &list).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == list, "scenarios/STEPS.md is stale: UPDATE_GOLDEN=1 cargo test -p scenarios writes it anew");
}
