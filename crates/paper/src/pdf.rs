//! PDF: the paper laid out on sheets of A4, and drawn.

mod layout;

use krilla::Data;
use krilla::color::rgb;
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};

use crate::Paper;
use crate::ink::Ink;
use crate::plot::{Mark, Stand};
use crate::type_face::{Weight, has, width};

/// The PDF library does not take a paper.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no PDF can be made: {0}")]
pub struct PdfError(String);

struct Fonts {
    regular: Font,
    bold: Font,
}

pub(crate) fn render(paper: &Paper) -> Result<Vec<u8>, PdfError> {
    let font = |weight: Weight| {
        Font::new(Data::from(weight.file().to_vec()), 0).ok_or_else(|| PdfError("the type cannot be read".to_owned()))
    };
    let fonts = Fonts { regular: font(Weight::Regular)?, bold: font(Weight::Bold)? };
    let laid = layout::lay_out(paper);
    let mut document = krilla::Document::new();
    let settings = PageSettings::from_wh(laid.width, laid.height).ok_or_else(|| PdfError("no sheet".to_owned()))?;
    for marks in &laid.pages {
        let mut page = document.start_page_with(settings.clone());
        let mut surface = page.surface();
        marks.iter().for_each(|mark| draw(&mut surface, &fonts, mark));
        surface.finish();
        page.finish();
    }
    let mut outline = Outline::new();
    for (words, page, y) in laid.headings {
        outline.push_child(OutlineNode::new(words, XyzDestination::new(page, Point::from_xy(0.0, y))));
    }
    document.set_outline(outline);
    let mut metadata = Metadata::new().title(paper.title.clone()).language("en".to_owned());
    if !paper.made_by.is_empty() {
        metadata = metadata.creator(paper.made_by.clone());
    }
    document.set_metadata(metadata);
    document.finish().map_err(|error| PdfError(format!("{error:?}")))
}

fn draw(surface: &mut Surface<'_>, fonts: &Fonts, mark: &Mark) {
    match mark {
        Mark::Area { points, ink } => {
            surface.set_fill(Some(fill(*ink)));
            surface.set_stroke(None);
            draw_path(surface, points, true);
        }
        Mark::Line { points, ink, width, dashed } => {
            surface.set_fill(None);
            let dash = dashed.then(|| StrokeDash { array: vec![3.0, 2.5], offset: 0.0 });
            let stroke = Stroke { paint: colour(*ink).into(), width: *width, dash, ..Stroke::default() };
            surface.set_stroke(Some(stroke));
            draw_path(surface, points, false);
        }
        Mark::Words { x, y, words, size, weight, ink, stand } => {
            // A sign that the type does not have would be an empty box.
            let words: String = words.chars().map(|sign| if has(sign) { sign } else { '?' }).collect();
            let x = match stand {
                Stand::Start => *x,
                Stand::Middle => *x - width(&words, *weight, *size) / 2.0,
                Stand::End => *x - width(&words, *weight, *size),
            };
            surface.set_fill(Some(fill(*ink)));
            surface.set_stroke(None);
            let font = match weight {
                Weight::Regular => &fonts.regular,
                Weight::Bold => &fonts.bold,
            };
            surface.draw_text(Point::from_xy(x, *y), font.clone(), *size, &words, false, TextDirection::Auto);
        }
    }
}

fn draw_path(surface: &mut Surface<'_>, points: &[(f32, f32)], closed: bool) {
    let Some(((x, y), rest)) = points.split_first() else { return };
    let mut path = PathBuilder::new();
    path.move_to(*x, *y);
    rest.iter().for_each(|(x, y)| path.line_to(*x, *y));
    if closed {
        path.close();
    }
    if let Some(path) = path.finish() {
        surface.draw_path(&path);
    }
}

fn colour(ink: Ink) -> rgb::Color {
    let [r, g, b] = ink.rgb();
    rgb::Color::new(r, g, b)
}

fn fill(ink: Ink) -> Fill {
    Fill { paint: colour(ink).into(), opacity: NormalizedF32::ONE, rule: krilla::paint::FillRule::default() }
}
