#!/usr/bin/env bash
# Packages: @foundry-rs/cast 1.7.1 and @foundry-rs/cast-linux-amd64 1.7.1 (forge's behave alike).
# Behaviour: npm's wrapper ends with 0 when the tool that it starts ends with an error; the binary of
# the platform's package ends with 1. A script that trusts `npx cast ...` takes failures as success.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @foundry-rs/cast@1.7.1 @foundry-rs/cast-linux-amd64@1.7.1 >/dev/null
binary=$(find node_modules/@foundry-rs/cast-linux-amd64 -type f -name 'cast*' -path '*bin*' | head -1)
code=0; "$binary" to-dec no-number >/dev/null 2>binary-error || code=$?
grep -q . binary-error && echo "binary printed an error and ended with $code" | tee seen
code=0; npx --no-install cast to-dec no-number >/dev/null 2>wrapper-error || code=$?
grep -q . wrapper-error && echo "wrapper printed an error and ended with $code" | tee -a seen
diff seen - <<'SEEN'
binary printed an error and ended with 1
wrapper printed an error and ended with 0
SEEN
