//! One HTML file: its style, type and drawings are inside it, and it runs no script.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::plot::{Mark, Stand, draw};
use crate::type_face::Weight;
use crate::{Align, Block, Chart, Paper, Sheet, Table};

const STYLE: &str = include_str!("paper.css");
const CHART_WIDTH: f32 = 720.0;

pub(crate) fn render(paper: &Paper) -> String {
    let mut body = String::new();
    head(&mut body, paper);
    for block in &paper.blocks {
        put(&mut body, block);
    }
    foot(&mut body, paper);
    let sheet = match paper.sheet {
        Sheet::Portrait => "portrait",
        Sheet::Landscape => "landscape",
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{}{}\
         @page {{ size: A4 {sheet}; }}\n</style>\n</head>\n<body class=\"{sheet}\">\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(&paper.title),
        faces(),
        STYLE
    )
}

fn faces() -> String {
    let face = |weight: Weight, number: u16| {
        format!(
            "@font-face {{ font-family: \"Open Sans\"; font-weight: {number}; src: url(data:font/woff2;base64,{}) \
             format(\"woff2\"); }}\n",
            STANDARD.encode(weight.web_file())
        )
    };
    face(Weight::Regular, 400) + &face(Weight::Bold, 600)
}

fn head(body: &mut String, paper: &Paper) {
    body.push_str("<header>\n");
    if !paper.stamp.is_empty() {
        let _ = writeln!(body, "<p class=\"stamp\">{}</p>", escaped(&paper.stamp));
    }
    let _ = writeln!(body, "<h1>{}</h1>", escaped(&paper.title));
    for line in &paper.subtitles {
        let _ = writeln!(body, "<p class=\"subtitle\">{}</p>", escaped(line));
    }
    body.push_str("</header>\n");
}

fn foot(body: &mut String, paper: &Paper) {
    body.push_str("<footer>\n");
    if let Some(anchor) = &paper.anchor {
        let _ = writeln!(body, "<p>{} <code>{}</code></p>", escaped(&anchor.label), escaped(&anchor.value));
    }
    if !paper.made_by.is_empty() {
        let _ = writeln!(body, "<p>{}</p>", escaped(&paper.made_by));
    }
    body.push_str("</footer>\n");
}

fn put(body: &mut String, block: &Block) {
    // Writing into a string cannot fail.
    let _ = match block {
        Block::Heading(words) => writeln!(body, "<h2>{}</h2>", escaped(words)),
        Block::Paragraph(words) => writeln!(body, "<p>{}</p>", escaped(words).replace('\n', "<br>")),
        Block::Note(words) => writeln!(body, "<p class=\"note\">{}</p>", escaped(words).replace('\n', "<br>")),
        Block::Facts(facts) => {
            body.push_str("<dl>\n");
            for (what, value) in facts {
                let _ = writeln!(body, "<dt>{}</dt><dd>{}</dd>", escaped(what), escaped(value));
            }
            writeln!(body, "</dl>")
        }
        Block::Table(table) => {
            put_table(body, table);
            Ok(())
        }
        Block::Chart(chart) => {
            put_chart(body, chart);
            Ok(())
        }
        Block::NewPage => writeln!(body, "<div class=\"new-page\"></div>"),
    };
}

fn put_table(body: &mut String, table: &Table) {
    let class = |align: Align| match align {
        Align::Words => "words",
        Align::Name => "name",
        Align::Figure => "figure",
    };
    body.push_str("<div class=\"table\"><table>\n");
    if !table.title.is_empty() {
        let _ = writeln!(body, "<caption>{}</caption>", escaped(&table.title));
    }
    body.push_str("<thead><tr>");
    for column in &table.columns {
        let _ = write!(body, "<th scope=\"col\" class=\"{}\">{}</th>", class(column.align), escaped(&column.title));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        body.push_str(if row.is_total { "<tr class=\"total\">" } else { "<tr>" });
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            let _ = write!(body, "<td class=\"{}\">{}</td>", class(column.align), escaped(cell));
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody>\n</table></div>\n");
}

fn put_chart(body: &mut String, chart: &Chart) {
    let drawing = draw(chart, CHART_WIDTH);
    let _ = writeln!(
        body,
        "<figure><figcaption>{title}</figcaption>\n<svg viewBox=\"0 0 {CHART_WIDTH} {:.0}\" role=\"img\" aria-label=\"{title}\">",
        drawing.height,
        title = escaped(chart.title())
    );
    drawing.marks.iter().for_each(|mark| put_mark(body, mark));
    body.push_str("</svg></figure>\n");
}

fn put_mark(body: &mut String, mark: &Mark) {
    let path =
        |points: &[(f32, f32)]| points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ");
    let _ = match mark {
        Mark::Area { points, ink } => writeln!(body, "<polygon points=\"{}\" fill=\"{}\"/>", path(points), ink.hex()),
        Mark::Line { points, ink, width, dashed } => writeln!(
            body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{}/>",
            path(points),
            ink.hex(),
            if *dashed { " stroke-dasharray=\"3 2.5\"" } else { "" }
        ),
        Mark::Words { x, y, words, size, weight, ink, stand } => writeln!(
            body,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" fill=\"{}\"{}{}>{}</text>",
            ink.hex(),
            if *weight == Weight::Bold { " font-weight=\"600\"" } else { "" },
            match stand {
                Stand::Start => "",
                Stand::Middle => " text-anchor=\"middle\"",
                Stand::End => " text-anchor=\"end\"",
            },
            escaped(words)
        ),
    };
}

fn escaped(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for sign in words.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            sign => escaped.push(sign),
        }
    }
    escaped
}
