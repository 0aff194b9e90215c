//! One paper in its four forms.

use paper::{
    Band, BandPoint, Bar, Bars, Bin, Chart, Column, Format, Histogram, Line, Lines, Paper, Rule, Scale, Table,
};

fn sample() -> Paper {
    let mut paper = Paper::new("Gaming day <31>");
    paper.subtitle("Table 3 & others").stamp("demonstration").anchor("Checkpoint", "croupier checkpoint 4711 ab12");
    paper.made_by("Croupier");
    paper.heading("Turnover").paragraph("Words that say \"why\".").note("Small words.");
    paper.facts([("Rounds", "412"), ("Hold", "2.78 %")]);
    let mut table = Table::new("Bets", [Column::name("Spot"), Column::figure("Stake"), Column::words("Remark")]);
    for n in 0..120 {
        table.row([format!("single/{n}"), format!("{n}.00"), "comma, \"quote\" and <tag>".to_owned()]);
    }
    table.total(["Total", "7140.00", ""]);
    paper.table(table);
    paper.chart(Chart::Bars(Bars {
        bars: vec![Bar::new("small", 2.78, "2.78 %"), Bar::new("pair", -29.2, "−29.2 %")],
        ..Bars::new("Edges")
    }));
    paper.chart(Chart::Lines(Lines {
        title: "Hold".to_owned(),
        x_label: "rounds".to_owned(),
        y_label: "%".to_owned(),
        x_scale: Scale::Logarithmic,
        lines: vec![Line { name: "median".to_owned(), points: vec![(1.0, 2.0), (10.0, 3.0), (1000.0, 2.8)] }],
        bands: vec![Band {
            name: "95 %".to_owned(),
            points: vec![BandPoint { x: 1.0, low: -90.0, high: 90.0 }, BandPoint { x: 1000.0, low: 0.0, high: 5.0 }],
        }],
        rules: vec![Rule { name: "edge".to_owned(), at: 2.78 }],
    }));
    let bins = (0..40).map(|n| Bin { from: f64::from(n), to: f64::from(n + 1), share: 0.025 });
    paper.chart(Chart::Histogram(Histogram {
        title: "Result".to_owned(),
        x_label: "units".to_owned(),
        y_label: "probability".to_owned(),
        bins: bins.collect(),
        rules: vec![Rule { name: "even".to_owned(), at: 12.0 }],
        split: Some(12.0),
    }));
    paper
}

#[test]
fn text_keeps_to_its_width_and_says_everything() {
    for width in [60, 80, 110] {
        let text = sample().text(width);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}");
        for words in [
            "Gaming day <31>",
            "[demonstration]",
            "Rounds  412",
            "single/119",
            "Total",
            "croupier checkpoint 4711 ab12",
        ] {
            assert!(text.contains(words), "{words}");
        }
    }
}

#[test]
fn csv_has_every_table_under_its_title() {
    let csv = sample().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "Turnover");
    assert!(lines.contains(&"Hold,2.78 %"));
    assert!(lines.contains(&"Spot,Stake,Remark"));
    assert!(lines.contains(&"single/7,7.00,\"comma, \"\"quote\"\" and <tag>\""));
    assert!(lines.contains(&"Checkpoint,croupier checkpoint 4711 ab12"));
    let mut alone = Paper::new("One");
    let mut table = Table::new("t", [Column::name("a"), Column::figure("b")]);
    table.row(["x"]);
    alone.table(table);
    assert_eq!(alone.csv(), "a,b\nx,\n", "one table is plain CSV");
}

#[test]
fn html_is_whole_in_itself() {
    let html = sample().html();
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    assert!(html.contains("Gaming day &lt;31&gt;") && html.contains("Table 3 &amp; others"));
    for absent in ["<script", "http://", "https://", "<link", "@import", "<tag>"] {
        assert!(!html.contains(absent), "{absent}");
    }
    assert_eq!(html.matches("<svg").count(), 3);
    assert_eq!(html.matches("<tr").count(), 122);
    assert!(html.contains("@media print") && html.contains("size: A4 portrait"));
}

#[test]
fn pdf_is_the_same_bytes_for_the_same_paper() {
    let pdf = sample().render(Format::Pdf).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    assert_eq!(pdf, sample().pdf().unwrap());
}

#[test]
fn a_paper_that_says_nothing_can_be_printed() {
    let mut paper = Paper::new("");
    paper.table(Table::new("", []));
    paper.chart(Chart::Bars(Bars::default())).chart(Chart::Lines(Lines::default()));
    paper.chart(Chart::Histogram(Histogram::default())).facts([("", ""); 0]).new_page().new_page();
    for format in [Format::Text, Format::Csv, Format::Html, Format::Pdf] {
        paper.render(format).unwrap();
    }
}

#[test]
fn signs_that_the_type_lacks_do_no_harm() {
    let mut paper = Paper::new("骰宝 ✓");
    paper.paragraph("大小 \u{1F3B2}");
    assert!(paper.pdf().is_ok());
    assert!(paper.html().contains("骰宝"));
}

#[test]
fn a_very_wide_table_is_set_smaller_and_still_printed() {
    let mut paper = Paper::new("Wide");
    let mut table = Table::new("", (0..30).map(|n| Column::figure(format!("Column {n}"))));
    table.row((0..30).map(|n| format!("{n}.000000")));
    paper.landscape().table(table);
    assert!(paper.pdf().is_ok());
}
