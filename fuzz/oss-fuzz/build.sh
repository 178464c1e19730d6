#!/bin/bash -eu
# Builds every fuzz target, and packs its seeds. Run by OSS-Fuzz, which sets SRC and OUT.
# `.ci/fuzz --oss DIR` runs it here with the nightly toolchain of this machine.
cd "$SRC/swath"
cargo fuzz build -O --debug-assertions
# The target of the C interface is a feature: it enables `rayon`, without which the others run on one thread.
cargo fuzz build -O --debug-assertions --features c c
for target in $(cargo fuzz list); do
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    folder=$(mktemp -d)
    [ ! -f "fuzz/seeds/$target.zip" ] || python3 -m zipfile -e "fuzz/seeds/$target.zip" "$folder"
    [ ! -d "fuzz/regressions/$target" ] || find "fuzz/regressions/$target" -type f -exec cp -t "$folder" {} +
    (cd "$folder" && python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" .)
    rm -rf "$folder"
done
