//! Text for a terminal or a plain file.

use unicode_width::UnicodeWidthStr;

use crate::{Align, Bars, Block, Chart, Histogram, Lines, Paper, Table};

/// Below this, columns are too narrow to read; the terminal then breaks the lines.
const NARROWEST: usize = 40;
const GUTTER: usize = 2;

pub(crate) fn render(paper: &Paper, width: usize) -> String {
    let mut page = Page { text: String::new(), width: width.max(NARROWEST) };
    page.title(&paper.title, '═');
    for line in &paper.subtitles {
        page.words(line);
    }
    if !paper.stamp.is_empty() {
        page.words(&format!("[{}]", paper.stamp));
    }
    for block in &paper.blocks {
        page.block(block);
    }
    page.foot(paper);
    page.text
}

struct Page {
    text: String,
    width: usize,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn words(&mut self, words: &str) {
        for line in broken(words, self.width) {
            self.line(&line);
        }
    }

    fn title(&mut self, words: &str, rule: char) {
        self.words(words);
        let width = words.width().min(self.width);
        self.line(&rule.to_string().repeat(width));
    }

    fn block(&mut self, block: &Block) {
        self.gap();
        match block {
            Block::Heading(words) => self.title(words, '═'),
            Block::Paragraph(words) | Block::Note(words) => self.words(words),
            Block::Facts(facts) => self.facts(facts),
            Block::Table(table) => self.table(table),
            Block::Chart(chart) => {
                self.words(chart.title());
                match chart {
                    Chart::Bars(bars) => self.bars(bars),
                    Chart::Lines(lines) => self.lines(lines),
                    Chart::Histogram(histogram) => self.histogram(histogram),
                }
            }
            Block::NewPage => {}
        }
    }

    fn facts(&mut self, facts: &[(String, String)]) {
        let left = facts.iter().map(|(what, _)| what.width()).max().unwrap_or(0).min(self.width / 2);
        for (what, value) in facts {
            let room = self.width.saturating_sub(left + GUTTER);
            for (place, line) in broken(value, room).iter().enumerate() {
                let what = if place == 0 { what.as_str() } else { "" };
                self.line(&format!("{}  {line}", padded(what, left, false)));
            }
        }
    }

    fn table(&mut self, table: &Table) {
        if !table.title.is_empty() {
            self.words(&table.title);
        }
        let shown: Vec<usize> = (0..table.columns.len())
            .filter(|place| table.rows.is_empty() || table.rows.iter().any(|row| !row.cells[*place].is_empty()))
            .collect();
        let widths = self.widths(table, &shown);
        let figure = |place: usize| table.columns[place].align == Align::Figure;
        let row = |cells: &dyn Fn(usize) -> String| -> Vec<String> {
            let cells: Vec<Vec<String>> = shown
                .iter()
                .zip(&widths)
                .map(|(place, width)| match table.columns[*place].align {
                    Align::Words => broken(&cells(*place), *width),
                    Align::Name | Align::Figure => vec![cells(*place)],
                })
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(1);
            let line = |n: usize| {
                let parts = shown.iter().zip(&widths).zip(&cells);
                parts
                    .map(|((place, width), lines)| {
                        padded(lines.get(n).map_or("", String::as_str), *width, figure(*place))
                    })
                    .collect::<Vec<_>>()
                    .join("  ")
            };
            (0..height).map(line).collect()
        };
        let rule = "─".repeat(widths.iter().sum::<usize>() + GUTTER * widths.len().saturating_sub(1));
        row(&|place| table.columns[place].title.clone()).iter().for_each(|line| self.line(line));
        self.line(&rule);
        for each in &table.rows {
            if each.is_total && table.rows.len() > 1 {
                self.line(&rule);
            }
            row(&|place| each.cells[place].clone()).iter().for_each(|line| self.line(line));
        }
    }

    /// Names and figures get what they need, words share what is left.
    fn widths(&self, table: &Table, shown: &[usize]) -> Vec<usize> {
        let natural = |place: &usize| {
            let cells = table.rows.iter().map(|row| row.cells[*place].width()).max().unwrap_or(0);
            cells.max(table.columns[*place].title.width())
        };
        let mut widths: Vec<usize> = shown.iter().map(natural).collect();
        let gutters = GUTTER * widths.len().saturating_sub(1);
        let words: Vec<usize> = (0..shown.len()).filter(|n| table.columns[shown[*n]].align == Align::Words).collect();
        let mut over = (widths.iter().sum::<usize>() + gutters).saturating_sub(self.width);
        while over > 0 {
            let Some(widest) = words.iter().copied().max_by_key(|n| widths[*n]).filter(|n| widths[*n] > 12) else {
                break;
            };
            widths[widest] -= 1;
            over -= 1;
        }
        widths
    }

    fn bars(&mut self, bars: &Bars) {
        let left = bars.bars.iter().map(|bar| bar.label.width()).max().unwrap_or(0);
        let right = bars.bars.iter().map(|bar| bar.words.width()).max().unwrap_or(0);
        let room = self.width.saturating_sub(left + right + 2 * GUTTER).max(8);
        let most = bars.bars.iter().map(|bar| bar.value.abs()).fold(0.0, f64::max);
        for bar in &bars.bars {
            let length = if most > 0.0 { bar.value.abs() / most * room as f64 } else { 0.0 };
            let drawn = eighths(length);
            self.line(&format!(
                "{}  {}  {}",
                padded(&bar.label, left, false),
                padded(&drawn, room, false),
                padded(&bar.words, right, true)
            ));
        }
    }

    fn histogram(&mut self, histogram: &Histogram) {
        const HEIGHT: usize = 10;
        let columns = self.width.saturating_sub(12).clamp(20, 96);
        let (Some(first), Some(last)) = (histogram.bins.first(), histogram.bins.last()) else { return };
        let (from, to) = (first.from, last.to);
        // Each column shows the bin under its middle.
        let under = |column: usize| {
            let x = from + (column as f64 + 0.5) / columns as f64 * (to - from);
            histogram.bins.iter().find(|bin| x < bin.to).map_or(0.0, |bin| bin.share)
        };
        let shares: Vec<f64> = (0..columns).map(under).collect();
        let most = shares.iter().copied().fold(0.0, f64::max);
        for level in (0..HEIGHT).rev() {
            let signs: String = shares.iter().map(|share| block(share / most * HEIGHT as f64 - level as f64)).collect();
            let label = if level == HEIGHT - 1 { format!("{:>8.2} %", most * 100.0) } else { String::new() };
            self.line(&format!("{}  {signs}", padded(&label, 10, true)));
        }
        let mut axis: Vec<char> = "─".repeat(columns).chars().collect();
        for rule in &histogram.rules {
            let place = ((rule.at - from) / (to - from) * columns as f64).floor();
            if place >= 0.0 && (place as usize) < columns {
                axis[place as usize] = '┴';
            }
        }
        self.line(&format!("{}  {}", " ".repeat(10), axis.into_iter().collect::<String>()));
        let (low, high) = (crate::plot::figure(from), crate::plot::figure(to));
        let between = columns.saturating_sub(low.width() + high.width());
        self.line(&format!("{}  {low}{}{high}", " ".repeat(10), " ".repeat(between)));
        let rules: Vec<String> =
            histogram.rules.iter().map(|rule| format!("{} {}", rule.name, crate::plot::figure(rule.at))).collect();
        let label = if rules.is_empty() { String::new() } else { format!("; ┴ {}", rules.join(", ")) };
        self.words(&format!("{}{}{label}", " ".repeat(12), histogram.x_label));
    }

    /// A band is a stretch of signs in the row of its x, a line a sign in it.
    fn lines(&mut self, chart: &Lines) {
        let mut xs: Vec<f64> = chart.bands.iter().flat_map(|band| band.points.iter().map(|point| point.x)).collect();
        xs.extend(chart.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)));
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let every = xs.len().div_ceil(24).max(1);
        let bounds = crate::plot::y_range(chart);
        let room = self.width.saturating_sub(28).max(20);
        let place = |y: f64| (((y - bounds.0) / (bounds.1 - bounds.0) * (room - 1) as f64).round().max(0.0)) as usize;
        let head = [crate::plot::figure(bounds.0), crate::plot::figure(bounds.1)];
        let between = room.saturating_sub(head[0].width() + head[1].width());
        self.line(&format!("{}  {}{}{}", padded(&chart.x_label, 24, false), head[0], " ".repeat(between), head[1]));
        for (_, x) in xs.iter().enumerate().filter(|(n, _)| n % every == 0 || *n == xs.len() - 1) {
            let mut signs = vec![' '; room];
            for (band, sign) in chart.bands.iter().zip(['░', '▒', '▓']) {
                if let Some(point) = band.points.iter().find(|point| point.x == *x) {
                    signs[place(point.low)..=place(point.high).min(room - 1)].fill(sign);
                }
            }
            chart.rules.iter().for_each(|rule| signs[place(rule.at).min(room - 1)] = '│');
            for (line, sign) in chart.lines.iter().zip(['●', '○', '◆', '◇']) {
                if let Some(point) = line.points.iter().find(|point| point.0 == *x) {
                    signs[place(point.1).min(room - 1)] = sign;
                }
            }
            let label = crate::plot::figure(*x);
            self.line(&format!("{}  {}", padded(&label, 24, true), signs.into_iter().collect::<String>()));
        }
        let bands = chart.bands.iter().zip(["░", "▒", "▓"]).map(|(band, sign)| format!("{sign} {}", band.name));
        let lines = chart.lines.iter().zip(["●", "○", "◆", "◇"]).map(|(line, sign)| format!("{sign} {}", line.name));
        let rules = chart.rules.iter().map(|rule| format!("│ {}", rule.name));
        let legend: Vec<String> = lines.chain(bands).chain(rules).collect();
        self.words(&format!("{}: {}", chart.y_label, legend.join(", ")));
    }

    fn foot(&mut self, paper: &Paper) {
        self.gap();
        if let Some(anchor) = &paper.anchor {
            self.line(&format!("{} {}", anchor.label, anchor.value));
        }
        if !paper.made_by.is_empty() {
            self.line(&paper.made_by);
        }
        while self.text.ends_with("\n\n") {
            self.text.pop();
        }
    }
}

fn padded(words: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(words.width()));
    if right { format!("{blanks}{words}") } else { format!("{words}{blanks}") }
}

fn broken(words: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in words.split('\n') {
        let mut line = String::new();
        // Blanks that a paragraph begins with stay: they are there to set it off.
        let indent: String = paragraph.chars().take_while(|sign| *sign == ' ').collect();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            if line.is_empty() {
                line = format!("{}{word}", if lines.is_empty() { indent.as_str() } else { "" });
            } else {
                line.push(' ');
                line.push_str(word);
            }
        }
        lines.push(line);
    }
    lines
}

fn eighths(length: f64) -> String {
    let whole = length.max(0.0).floor();
    let rest = ((length - whole) * 8.0).round() as usize;
    let mut drawn = "█".repeat(whole as usize);
    drawn.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"][rest.min(8)]);
    drawn
}

fn block(height: f64) -> char {
    let eighths = (height * 8.0).round().clamp(0.0, 8.0) as usize;
    [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][eighths]
}
