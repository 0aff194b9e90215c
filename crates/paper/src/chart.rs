//! Charts: what they show, not how they look.

use serde::Serialize;

/// A chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chart {
    /// A figure for each name.
    Bars(Bars),
    /// Figures along an axis, with bands.
    Lines(Lines),
    /// How often a figure falls where.
    Histogram(Histogram),
}

impl Chart {
    /// What it shows.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Chart::Bars(bars) => &bars.title,
            Chart::Lines(lines) => &lines.title,
            Chart::Histogram(histogram) => &histogram.title,
        }
    }
}

/// A bar.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// Its length; bars below zero grow to the left.
    pub value: f64,
    /// The figure as written beside it.
    pub words: String,
}

impl Bar {
    /// A bar.
    pub fn new(label: impl Into<String>, value: f64, words: impl Into<String>) -> Bar {
        Bar { label: label.into(), value, words: words.into() }
    }
}

/// A figure for each name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// The bars from the top.
    pub bars: Vec<Bar>,
}

impl Bars {
    /// No bars yet.
    pub fn new(title: impl Into<String>) -> Bars {
        Bars { title: title.into(), bars: Vec::new() }
    }
}

/// How an axis is divided.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By factors of ten.
    Logarithmic,
}

/// A line through points.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// Its points by ascending x.
    pub points: Vec<(f64, f64)>,
}

/// A place of a band.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct BandPoint {
    /// Along the axis.
    pub x: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A band between two figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Band {
    /// What it is.
    pub name: String,
    /// Its places by ascending x.
    pub points: Vec<BandPoint>,
}

/// A line across the chart at one figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Rule {
    /// What it is.
    pub name: String,
    /// Where it is.
    pub at: f64,
}

/// Figures along an axis, with bands. Bands are given from the widest to the narrowest.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lines {
    /// What it shows.
    pub title: String,
    /// What runs to the right.
    pub x_label: String,
    /// What runs upwards.
    pub y_label: String,
    /// How the x axis is divided.
    pub x_scale: Scale,
    /// The lines.
    pub lines: Vec<Line>,
    /// The bands under them.
    pub bands: Vec<Band>,
    /// Lines across, at a figure of the y axis.
    pub rules: Vec<Rule>,
}

/// A bin of a histogram.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bin {
    /// From here …
    pub from: f64,
    /// … to here.
    pub to: f64,
    /// The share of all that falls into it.
    pub share: f64,
}

/// How often a figure falls where.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Histogram {
    /// What it shows.
    pub title: String,
    /// What the figure is.
    pub x_label: String,
    /// What the height is.
    pub y_label: String,
    /// The bins from the left.
    pub bins: Vec<Bin>,
    /// Upright lines at figures that matter: the mean, zero.
    pub rules: Vec<Rule>,
    /// Bins from this figure on are drawn in the second colour: what the player wins.
    pub split: Option<f64>,
}
