#!/usr/bin/env bash
# Packages: miniflare 4.20260730.0 with the workerd that it depends on.
# Behaviour: the cursor of a Durable Object's SQL has already read the next row when its loop handles
# one. A row that is deleted in the loop's body is therefore still delivered once, and then no more:
# deleting "the row behind this one" in each turn takes effect one turn late.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund miniflare@4.20260730.0 node@24 >/dev/null
cat > run.mjs <<'JS'
import { Miniflare } from 'miniflare'
const script = `
import { DurableObject } from 'cloudflare:workers'
export class Rows extends DurableObject {
  ask() {
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)')
    for (let n = 1; n <= 6; n++) sql.exec('INSERT INTO t VALUES (' + n + ')')
    const seen = []
    for (const { n } of sql.exec('SELECT n FROM t ORDER BY n')) {
      seen.push(n)
      if (n === 1) sql.exec('DELETE FROM t WHERE n > 1')
    }
    const left = sql.exec('SELECT count(*) AS rows FROM t').one().rows
    return 'delivered ' + seen.join(' ') + ', left ' + left
  }
}
export default { async fetch(_, env) { return new Response(await env.ROWS.get(env.ROWS.idFromName('a')).ask()) } }`
const worker = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', durableObjects: { ROWS: { className: 'Rows', useSQLite: true } }, cf: false })
console.log(await (await worker.dispatchFetch('http://localhost/')).text())
await worker.dispose()
JS
node_modules/.bin/node run.mjs | tee seen
diff seen - <<'SEEN'
delivered 1 2, left 1
SEEN
