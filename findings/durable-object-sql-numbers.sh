#!/usr/bin/env bash
# Packages: miniflare 4.20260730.0 with the workerd that it depends on.
# Behaviour: every number that is bound in the SQL of a Durable Object is stored as REAL, whole ones
# too, where the same number written into the statement is an INTEGER. So `? / 2` differs from `5 / 2`,
# and a bound number gets another text than a written one in a column without a type.
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
    const one = (query, ...values) => JSON.stringify(sql.exec(query, ...values).one())
    return [
      one('SELECT typeof(5) AS written, typeof(?) AS bound', 5),
      one('SELECT 5 / 2 AS written, ? / 2 AS bound', 5),
      one('SELECT 5 || char(33) AS written, ? || char(33) AS bound', 5),
    ].join('\\n')
  }
}
export default { async fetch(_, env) { return new Response(await env.ROWS.get(env.ROWS.idFromName('a')).ask()) } }`
const worker = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', durableObjects: { ROWS: { className: 'Rows', useSQLite: true } }, cf: false })
console.log(await (await worker.dispatchFetch('http://localhost/')).text())
await worker.dispose()
JS
node_modules/.bin/node run.mjs | tee seen
diff seen - <<'SEEN'
{"written":"integer","bound":"real"}
{"written":2,"bound":2.5}
{"written":"5!","bound":"5.0!"}
SEEN
