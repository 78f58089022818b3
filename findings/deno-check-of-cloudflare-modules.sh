#!/usr/bin/env bash
# Package: deno 2.9.6 (npm).
# Behaviour: `deno check` passes a file that imports "cloudflare:workers", a module that Deno does not
# have; `deno run` of the same file refuses its scheme. So a check of types does not tell whether a
# module that is shared with a Worker can be loaded: only running it does.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund deno@2.9.6 >/dev/null
cat > object.ts <<'TS'
import { DurableObject } from 'cloudflare:workers'
export class Ledger extends DurableObject {}
TS
export NO_COLOR=1 DENO_DIR="$dir/cache"
for verb in check run; do
  code=0; node_modules/.bin/deno "$verb" object.ts >out 2>&1 || code=$?
  echo "$verb ends with $code $(grep -o 'Unsupported scheme "cloudflare"' out || true)"
done | tee seen
diff seen - <<'SEEN'
check ends with 0 
run ends with 1 Unsupported scheme "cloudflare"
SEEN
