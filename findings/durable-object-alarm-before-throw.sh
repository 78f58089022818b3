#!/usr/bin/env bash
# Packages: miniflare 4.20260730.0 with the workerd that it depends on.
# Behaviour: an alarm() that throws is tried again with a growing pause. But an alarm that was set
# before the throw takes the place of that retry: the next run comes at the time that was set, and its
# retryCount is 0, as if nothing had failed.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund miniflare@4.20260730.0 node@24 >/dev/null
cat > run.mjs <<'JS'
import { Miniflare } from 'miniflare'
const script = `
import { DurableObject } from 'cloudflare:workers'
export class Clock extends DurableObject {
  runs = []
  async start(setsFirst) { this.setsFirst = setsFirst; await this.ctx.storage.setAlarm(Date.now()) }
  async alarm(info) {
    this.runs.push(info?.retryCount)
    if (this.runs.length > 1) return
    if (this.setsFirst) await this.ctx.storage.setAlarm(Date.now() + 100)
    throw new Error('the first run fails')
  }
  see() { return this.runs }
}
export default { async fetch(request, env) {
  const setsFirst = new URL(request.url).pathname === '/set'
  const clock = env.CLOCK.get(env.CLOCK.idFromName(request.url))
  await clock.start(setsFirst)
  for (let turn = 0; turn < 600; turn++) {
    const runs = await clock.see()
    if (runs.length > 1) return new Response(runs.join(' '))
    await scheduler.wait(50)
  }
  return new Response('no second run')
} }`
const worker = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', durableObjects: { CLOCK: { className: 'Clock', useSQLite: true } }, cf: false, handleRuntimeStdio: (out, err) => { out.resume(); err.resume() } })
for (const way of ['retry', 'set']) console.log(`${way}: retryCount of the runs ${await (await worker.dispatchFetch(`http://localhost/${way}`)).text()}`)
await worker.dispose()
JS
node_modules/.bin/node run.mjs 2>/dev/null | tee seen
diff seen - <<'SEEN'
retry: retryCount of the runs 0 1
set: retryCount of the runs 0 0
SEEN
