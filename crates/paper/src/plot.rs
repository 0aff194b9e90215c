//! Charts as lines, areas and words at a place, for HTML and PDF alike. The origin is at the top left.

use crate::ink::Ink;
use crate::type_face::{Weight, width};
use crate::{Bars, Chart, Histogram, Lines, Scale};

/// Where words stand in relation to their place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// They begin there.
    Start,
    /// They are centred there.
    Middle,
    /// They end there.
    End,
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    Area { points: Vec<(f32, f32)>, ink: Ink },
    Line { points: Vec<(f32, f32)>, ink: Ink, width: f32, dashed: bool },
    Words { x: f32, y: f32, words: String, size: f32, weight: Weight, ink: Ink, stand: Stand },
}

/// Marks and how much room they take.
pub(crate) struct Drawing {
    pub height: f32,
    pub marks: Vec<Mark>,
}

const SIZE: f32 = 8.0;
const BAR: f32 = 13.0;
const HEIGHT: f32 = 190.0;

pub(crate) fn draw(chart: &Chart, width: f32) -> Drawing {
    match chart {
        Chart::Bars(chart) => bars(chart, width),
        Chart::Lines(chart) => lines(chart, width),
        Chart::Histogram(chart) => histogram(chart, width),
    }
}

pub(crate) fn rectangle(x: f32, y: f32, width: f32, height: f32, ink: Ink) -> Mark {
    Mark::Area { points: vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)], ink }
}

pub(crate) fn rule(from: (f32, f32), to: (f32, f32), ink: Ink, width: f32) -> Mark {
    Mark::Line { points: vec![from, to], ink, width, dashed: false }
}

fn label(x: f32, y: f32, words: impl Into<String>, ink: Ink, stand: Stand) -> Mark {
    Mark::Words { x, y, words: words.into(), size: SIZE, weight: Weight::Regular, ink, stand }
}

fn bars(chart: &Bars, width_of_all: f32) -> Drawing {
    let measure = |words: &str| width(words, Weight::Regular, SIZE);
    let left = chart.bars.iter().map(|bar| measure(&bar.label)).fold(0.0, f32::max) + 8.0;
    let right = chart.bars.iter().map(|bar| measure(&bar.words)).fold(0.0, f32::max) + 8.0;
    let room = (width_of_all - left - right).max(20.0);
    let low = chart.bars.iter().map(|bar| bar.value).fold(0.0, f64::min);
    let high = chart.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let span = if high > low { high - low } else { 1.0 };
    let place = |value: f64| left + ((value - low) / span) as f32 * room;
    let zero = place(0.0);
    let mut marks = Vec::new();
    for (bar, n) in chart.bars.iter().zip(0_u16..) {
        let top = f32::from(n) * BAR;
        let end = place(bar.value);
        let ink = if bar.value < 0.0 { Ink::Second } else { Ink::Main };
        marks.push(label(left - 6.0, top + BAR - 4.0, &bar.label, Ink::Text, Stand::End));
        marks.push(rectangle(zero.min(end), top + 2.5, (end - zero).abs().max(0.5), BAR - 4.5, ink));
        marks.push(label(zero.max(end) + 4.0, top + BAR - 4.0, &bar.words, Ink::Faint, Stand::Start));
    }
    let height = chart.bars.len() as f32 * BAR;
    marks.push(rule((zero, 0.0), (zero, height), Ink::Strong, 0.7));
    Drawing { height: height + 4.0, marks }
}

/// The lowest and highest figure of a chart of lines, with a little room.
pub(crate) fn y_range(chart: &Lines) -> (f64, f64) {
    let bands = chart.bands.iter().flat_map(|band| band.points.iter().flat_map(|point| [point.low, point.high]));
    let lines = chart.lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let rules = chart.rules.iter().map(|rule| rule.at);
    range(bands.chain(lines).chain(rules))
}

fn range(figures: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = figures
        .filter(|figure| figure.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), figure| (low.min(figure), high.max(figure)));
    match high - low {
        // What cannot be negative is not shown with room for it.
        span if span > 0.0 && low >= 0.0 => ((low - span * 0.03).max(0.0), high + span * 0.03),
        span if span > 0.0 => (low - span * 0.03, high + span * 0.03),
        _ if low.is_finite() => (low - 1.0, high + 1.0),
        _ => (0.0, 1.0),
    }
}

/// Round figures across a range.
fn ticks(low: f64, high: f64, about: f64) -> Vec<f64> {
    let raw = (high - low) / about;
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= raw);
    let step = step.unwrap_or(raw);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|n| n as f64 * step).collect()
}

/// A figure on an axis: as short as it can be, thousands set off.
pub(crate) fn figure(value: f64) -> String {
    let magnitude = value.abs();
    let places = match magnitude {
        m if m >= 100.0 || m == 0.0 => 0,
        m if m >= 10.0 => 1,
        m if m >= 1.0 => 2,
        _ => 4,
    };
    let text = format!("{magnitude:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (whole, rest) = text.split_once('.').map_or((text, String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 && grouped.chars().chain(rest.chars()).any(|digit| digit.is_ascii_digit() && digit != '0')
    {
        "−"
    } else {
        ""
    };
    format!("{sign}{grouped}{rest}")
}

/// The frame of a chart with two axes.
struct Frame {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
    x: (f64, f64),
    y: (f64, f64),
    scale: Scale,
}

impl Frame {
    fn x(&self, x: f64) -> f32 {
        let (value, low, high) = match self.scale {
            Scale::Linear => (x, self.x.0, self.x.1),
            Scale::Logarithmic => (x.max(f64::MIN_POSITIVE).log10(), self.x.0.log10(), self.x.1.log10()),
        };
        let span = if high > low { high - low } else { 1.0 };
        self.left + ((value - low) / span) as f32 * (self.right - self.left)
    }

    fn y(&self, y: f64) -> f32 {
        self.bottom - ((y - self.y.0) / (self.y.1 - self.y.0)) as f32 * (self.bottom - self.top)
    }

    fn axes(&self, marks: &mut Vec<Mark>, y_words: impl Fn(f64) -> String, labels: [&str; 2]) {
        for tick in ticks(self.y.0, self.y.1, 6.0) {
            let y = self.y(tick);
            marks.push(rule((self.left, y), (self.right, y), Ink::Grid, 0.6));
            marks.push(label(self.left - 5.0, y + 3.0, y_words(tick), Ink::Faint, Stand::End));
        }
        let along = match self.scale {
            Scale::Linear => ticks(self.x.0, self.x.1, 8.0),
            Scale::Logarithmic => {
                let (low, high) = (self.x.0.log10().floor() as i32, self.x.1.log10().ceil() as i32);
                // Between few powers of ten, their doubles and halves are shown too.
                let digits: &[f64] = if self.x.1 / self.x.0 < 300.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let all = (low..=high).flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
                all.filter(|x| *x >= self.x.0 && *x <= self.x.1).collect()
            }
        };
        for tick in along {
            let x = self.x(tick);
            marks.push(rule((x, self.bottom), (x, self.bottom + 3.0), Ink::Strong, 0.6));
            marks.push(label(x, self.bottom + 12.5, figure(tick), Ink::Faint, Stand::Middle));
        }
        marks.push(rule((self.left, self.bottom), (self.right, self.bottom), Ink::Strong, 0.7));
        marks.push(label(self.right, self.bottom + 24.0, labels[0], Ink::Text, Stand::End));
        marks.push(label(self.left - 5.0, self.top - 8.0, labels[1], Ink::Text, Stand::Start));
    }
}

fn lines(chart: &Lines, width_of_all: f32) -> Drawing {
    let xs = chart.bands.iter().flat_map(|band| band.points.iter().map(|point| point.x));
    let xs = xs.chain(chart.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)));
    let x = xs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let x = if x.0.is_finite() { x } else { (0.0, 1.0) };
    let frame = Frame {
        left: 52.0,
        top: 18.0,
        right: width_of_all - 18.0,
        bottom: HEIGHT,
        x,
        y: y_range(chart),
        scale: chart.x_scale,
    };
    let mut marks = Vec::new();
    for (band, ink) in chart.bands.iter().zip([Ink::Wide, Ink::Narrow]) {
        let upper = band.points.iter().map(|point| (frame.x(point.x), frame.y(point.high)));
        let lower = band.points.iter().rev().map(|point| (frame.x(point.x), frame.y(point.low)));
        marks.push(Mark::Area { points: upper.chain(lower).collect(), ink });
    }
    frame.axes(&mut marks, figure, [&chart.x_label, &chart.y_label]);
    for across in &chart.rules {
        let y = frame.y(across.at);
        let points = vec![(frame.left, y), (frame.right, y)];
        marks.push(Mark::Line { points, ink: Ink::Second, width: 0.9, dashed: true });
    }
    for (line, ink) in chart.lines.iter().zip([Ink::Main, Ink::Second, Ink::Strong]) {
        let points = line.points.iter().map(|(x, y)| (frame.x(*x), frame.y(*y))).collect();
        marks.push(Mark::Line { points, ink, width: 1.4, dashed: false });
    }
    legend(&mut marks, chart, &frame);
    Drawing { height: HEIGHT + 30.0, marks }
}

fn legend(marks: &mut Vec<Mark>, chart: &Lines, frame: &Frame) {
    let mut x = frame.left;
    let y = frame.bottom + 24.0;
    let mut entry = |mark: &dyn Fn(f32) -> Mark, name: &str, marks: &mut Vec<Mark>| {
        marks.push(mark(x));
        marks.push(label(x + 16.0, y, name, Ink::Faint, Stand::Start));
        x += 16.0 + width(name, Weight::Regular, SIZE) + 14.0;
    };
    for (line, ink) in chart.lines.iter().zip([Ink::Main, Ink::Second, Ink::Strong]) {
        entry(&|x| rule((x, y - 3.0), (x + 12.0, y - 3.0), ink, 1.4), &line.name, marks);
    }
    for (band, ink) in chart.bands.iter().zip([Ink::Wide, Ink::Narrow]) {
        entry(&|x| rectangle(x, y - 7.0, 12.0, 8.0, ink), &band.name, marks);
    }
    for across in &chart.rules {
        let dash = |x: f32| Mark::Line {
            points: vec![(x, y - 3.0), (x + 12.0, y - 3.0)],
            ink: Ink::Second,
            width: 0.9,
            dashed: true,
        };
        entry(&dash, &across.name, marks);
    }
}

fn histogram(chart: &Histogram, width_of_all: f32) -> Drawing {
    let (Some(first), Some(last)) = (chart.bins.first(), chart.bins.last()) else {
        return Drawing { height: 0.0, marks: Vec::new() };
    };
    let most = chart.bins.iter().map(|bin| bin.share).fold(0.0, f64::max);
    let frame = Frame {
        left: 52.0,
        top: 18.0,
        right: width_of_all - 18.0,
        bottom: HEIGHT,
        x: (first.from, last.to),
        y: (0.0, if most > 0.0 { most * 1.08 } else { 1.0 }),
        scale: Scale::Linear,
    };
    let mut marks = Vec::new();
    let percent = |share: f64| format!("{} %", figure(share * 100.0));
    frame.axes(&mut marks, percent, [&chart.x_label, &chart.y_label]);
    for bin in &chart.bins {
        let (left, right, top) = (frame.x(bin.from), frame.x(bin.to), frame.y(bin.share));
        let gap = if right - left > 3.0 { 0.5 } else { 0.0 };
        let second = chart.split.is_some_and(|split| (bin.from + bin.to) / 2.0 > split);
        let ink = if second { Ink::Second } else { Ink::Main };
        marks.push(rectangle(left, top, (right - left - gap).max(0.2), frame.bottom - top, ink));
    }
    let mut rules = chart.rules.clone();
    rules.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut free = [f32::NEG_INFINITY; 2];
    for upright in rules.iter().filter(|upright| upright.at >= frame.x.0 && upright.at <= frame.x.1) {
        let x = frame.x(upright.at);
        let words = format!("{} {}", upright.name, figure(upright.at));
        let half = width(&words, Weight::Regular, SIZE) / 2.0 + 3.0;
        // Two rows for the words, so that neighbours do not run into each other.
        let row = usize::from(x - half < free[0]);
        free[row] = x + half;
        let y = frame.top - 2.0 - 9.0 * row as f32;
        marks.push(Mark::Line {
            points: vec![(x, frame.top), (x, frame.bottom)],
            ink: Ink::Text,
            width: 0.7,
            dashed: true,
        });
        marks.push(label(x.clamp(frame.left + half, frame.right - half), y, words, Ink::Text, Stand::Middle));
    }
    Drawing { height: HEIGHT + 30.0, marks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_on_axes_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.5, "−0.5"),
            (12_500.0, "12,500"),
            (-1_000_000.0, "−1,000,000"),
            (0.0278, "0.0278"),
            (2.5, "2.5"),
        ];
        for (value, words) in cases {
            assert_eq!(figure(value), words);
        }
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let drawn = ticks(-3.1, 9.7, 6.0);
        assert_eq!(drawn, [-2.5, 0.0, 2.5, 5.0, 7.5]);
    }
}
