#!/usr/bin/env bash
# Packages: hono 4.13.19 (`hono/jsx`), bundled and minified by esbuild 0.28.2.
# Behaviour: a page that is rendered on a server has the code of contexts in its bundle already, since
# the runtime that its JSX compiles to needs it. But `createContext` and `useContext` are exported by
# the index of `hono/jsx` alone, and importing them from there more than doubles the bundle: the
# renderer for browsers (`dom/render.js`), its form elements, error boundaries and streaming come
# with it. The package does not declare that its modules have no side effects, and theirs stay.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund hono@4.13.19 esbuild@0.28.2 >/dev/null
cat > plain.jsx <<'JS'
const Page = ({ zone }) => <p>Times in {zone}</p>
export default { fetch: () => new Response(`${<Page zone="Africa/Nairobi" />}`) }
JS
cat > context.jsx <<'JS'
import { createContext, useContext } from 'hono/jsx'
const Zone = createContext('UTC')
const Page = () => <p>Times in {useContext(Zone)}</p>
const page = () => <Zone.Provider value="Africa/Nairobi"><Page /></Zone.Provider>
export default { fetch: () => new Response(`${page()}`) }
JS
cat > build.mjs <<'JS'
import { build } from 'esbuild'
for (const name of ['plain', 'context']) {
  const { metafile } = await build({
    entryPoints: [`${name}.jsx`], outfile: `${name}.js`, bundle: true, minify: true, metafile: true,
    format: 'esm', jsx: 'automatic', jsxImportSource: 'hono/jsx', logLevel: 'error',
  })
  const [{ bytes, inputs }] = Object.values(metafile.outputs)
  const large = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 1_000)
  const names = large.map(([path]) => path.replace(/.*hono\/dist\//, '')).sort()
  console.log(`${name}: ${Math.round(bytes / 1_000)} kB; over 1 kB: ${names.join(' ')}`)
}
JS
node build.mjs | tee seen
diff seen - <<'SEEN'
plain: 12 kB; over 1 kB: jsx/base.js jsx/context.js jsx/intrinsic-element/components.js jsx/utils.js
context: 29 kB; over 1 kB: jsx/base.js jsx/components.js jsx/context.js jsx/dom/intrinsic-element/components.js jsx/dom/render.js jsx/intrinsic-element/components.js jsx/streaming.js jsx/utils.js utils/html.js
SEEN
