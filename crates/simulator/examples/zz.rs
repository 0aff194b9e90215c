//! x
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let t = std::time::Instant::now();
    match simulator::sweep(a[0]..a[1], a[2] as u32, 2, &|_| {}, &std::sync::atomic::AtomicBool::new(false)) {
        Ok(s) => println!("{s:#?}"),
        Err(f) => println!("{f}"),
    }
    println!("{:?}", t.elapsed());
}
