//! Tiles of C2SP tlog-tiles: 256 hashes of a level, or the first of them.

/// Hashes of a full tile.
pub const WIDTH: u64 = 256;

/// The path of a tile: `tile/LEVEL/INDEX`, with `.p/WIDTH` where it is partial. For tiles of entries the level is
/// `entries`.
#[must_use]
pub fn path(level: Option<u8>, index: u64, width: u64) -> String {
    let level = level.map_or_else(|| "entries".to_owned(), |level| level.to_string());
    let mut parts = vec![format!("{:03}", index % 1_000)];
    let mut rest = index / 1_000;
    while rest > 0 {
        parts.push(format!("x{:03}", rest % 1_000));
        rest /= 1_000;
    }
    parts.reverse();
    let index = parts.join("/");
    if width == WIDTH { format!("tile/{level}/{index}") } else { format!("tile/{level}/{index}.p/{width}") }
}

/// Reads such a path, without the `tile/` at its beginning: level (`None` for entries), index and width.
#[must_use]
pub fn parse(path: &str) -> Option<(Option<u8>, u64, u64)> {
    let (level, rest) = path.split_once('/')?;
    let level = if level == "entries" { None } else { Some(level.parse::<u8>().ok().filter(|level| *level < 64)?) };
    let (name, width) = match rest.split_once(".p/") {
        Some((name, width)) => (name, width.parse::<u64>().ok().filter(|width| (1..WIDTH).contains(width))?),
        None => (rest, WIDTH),
    };
    let mut index = 0u64;
    for part in name.split('/') {
        let digits = part.strip_prefix('x').unwrap_or(part);
        let digits = Some(digits).filter(|digits| digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()))?;
        index = index.checked_mul(1_000)?.checked_add(digits.parse().ok()?)?;
    }
    let canonical = self::path(level, index, width);
    (canonical.strip_prefix("tile/") == Some(path)).then_some((level, index, width))
}

/// The tiles of the hashes of a tree of that size: level, index and width.
pub fn all(size: u64) -> impl Iterator<Item = (u8, u64, u64)> {
    (0..8u8).flat_map(move |level| {
        let hashes = size >> (8 * level);
        (0..hashes.div_ceil(WIDTH)).map(move |index| (level, index, (hashes - index * WIDTH).min(WIDTH)))
    })
}
