//! How often a client may ask.

use std::time::Instant;

/// A bucket that fills with time; each message takes one drop.
#[derive(Debug)]
pub struct Bucket {
    drops: f64,
    rate: f64,
    size: f64,
    filled: Instant,
}

impl Bucket {
    /// So many a second, and twice as many at once.
    #[must_use]
    pub fn new(rate: u32) -> Bucket {
        let rate = f64::from(rate.max(1));
        Bucket { drops: rate * 2.0, rate, size: rate * 2.0, filled: Instant::now() }
    }

    /// Whether nothing has been asked for so long that it is as a new one.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.drops + self.filled.elapsed().as_secs_f64() * self.rate >= self.size
    }

    /// Whether one more is within the rate.
    pub fn take(&mut self) -> bool {
        let now = Instant::now();
        let seconds = now.duration_since(self.filled).as_secs_f64();
        self.filled = now;
        self.drops = (self.drops + seconds * self.rate).min(self.size);
        if self.drops < 1.0 {
            return false;
        }
        self.drops -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_taken_and_then_refused() {
        let mut bucket = Bucket::new(5);
        assert_eq!((0..20).filter(|_| bucket.take()).count(), 10);
    }
}
