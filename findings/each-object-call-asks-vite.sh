#!/usr/bin/env bash
# Packages: @cloudflare/vitest-plugin 1.5.0, vitest 4.1.11, wrangler 4.156.2, node 24.21.0 (npm).
# Behaviour: each call of a Durable Object asks Vite, in another process, for the Worker's main module
# again, though it is loaded: 100 calls of a method are 100 questions. A suite that
# calls objects thousands of times spends seconds of CPU in Vite's resolver; a plugin with `resolveId` for
# the main module answers it at once.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm pkg set type=module >/dev/null
npm install --silent --no-audit --no-fund node@24.21.0 vitest@4.1.11 wrangler@4.156.2 \
  @cloudflare/vitest-plugin@1.5.0 >/dev/null
cat > wrangler.toml <<'TOML'
name = "counter"
main = "worker.js"
compatibility_date = "2026-10-01"
[[durable_objects.bindings]]
name = "COUNTER"
class_name = "Counter"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["Counter"]
TOML
cat > worker.js <<'JS'
import { DurableObject } from 'cloudflare:workers'
export class Counter extends DurableObject {
  count() {
    return 1
  }
}
export default { fetch: () => new Response('ok') }
JS
cat > vitest.config.js <<'JS'
import { appendFileSync } from 'node:fs'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
const note = {
  name: 'note',
  enforce: 'pre',
  resolveId(id) {
    if (id.endsWith('worker.js')) appendFileSync('asked', '.')
  },
}
export default defineConfig({
  plugins: [note, cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
})
JS
cat > count.test.js <<'JS'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
test('calls', async () => {
  const stub = env.COUNTER.getByName('one')
  for (let call = 0; call < CALLS; call += 1) expect(await stub.count()).toBe(1)
})
JS
export PATH="$dir/node_modules/.bin:$PATH" WRANGLER_SEND_METRICS=false CI=true
for calls in 5 105; do
  : > asked
  sed -i.bak "s/call < [A-Z0-9]*/call < $calls/" count.test.js
  node node_modules/vitest/vitest.mjs run --dir . >out 2>&1 || { cat out; exit 1; }
  wc -c < asked | tr -d ' ' > "asked.$calls"
done
few=$(cat asked.5); many=$(cat asked.105)
echo "5 calls: $few questions, 105 calls: $many"
[ $((many - few)) -ge 100 ]
