#!/usr/bin/env bash
# Packages: forge-std 1.1.2 (npm), @layerzerolabs/toolbox-foundry 0.1.13.
# Behaviour: npm's package "forge-std" says of itself that it is unofficial. Its Test.sol imports
# "ds-test/test.sol"; its own build script copies that file, but its list of files leaves it out, so
# what is installed does not compile. The official 1.9.7, which needs no ds-test, is found inside
# LayerZero's package.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps forge-std@1.1.2 @layerzerolabs/toolbox-foundry@0.1.13 >/dev/null
other=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std
{
  node -p "require('forge-std/package.json').description"
  echo "forge-std: files that import ds-test $(grep -rl '"ds-test/' node_modules/forge-std --include=*.sol | wc -l), files of ds-test $(find node_modules/forge-std -path '*ds-test*' -name '*.sol' | wc -l)"
  echo "toolbox: forge-std $(node -p "require('./$other/package.json').version"), files that import ds-test $(grep -rl '"ds-test/' $other --include=*.sol | wc -l)"
} | tee seen
diff seen - <<'SEEN'
Unofficial NPM distribution of Forge Standard Library
forge-std: files that import ds-test 1, files of ds-test 0
toolbox: forge-std 1.9.7, files that import ds-test 0
SEEN
