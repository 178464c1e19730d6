//! The machine and the versions of a record.

const LOCK: &str = include_str!("../Cargo.lock");

/// The version of a crate with which this one was built, by its lock file, or of a Debian package.
pub fn version(package: &str) -> String {
    #[cfg(feature = "engines")]
    if let Some(version) = engines::debian_version(package) {
        return version.to_owned();
    }
    let block = |name: &str| {
        let head = format!("name = \"{name}\"\n");
        LOCK.split("[[package]]").filter(move |block| block.contains(&head))
    };
    // If a crate is there twice, our dependency is listed with its version.
    let mut own = block(env!("CARGO_PKG_NAME")).flat_map(str::lines);
    let line = own.find_map(|line| line.trim().strip_prefix(&format!("\"{package} ")));
    if let Some(version) = line {
        return version.trim_end_matches(['"', ',']).to_owned();
    }
    let mut lines = block(package).flat_map(str::lines);
    let version = lines.find_map(|line| line.strip_prefix("version = \""));
    version.map_or("unknown", |version| version.trim_end_matches('"')).to_owned()
}

/// The name of the CPU, if it can be queried, and its number of threads.
pub fn this_machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model =
        model.map_or(std::env::consts::ARCH, |model| model.trim_start_matches([':', '\t', ' ']));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}; {threads} threads")
}
