import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Lists the files that a runtime loads by itself; they import all others. */
const entries = {
  worker: 'src/worker.ts',
  objects: 'test/workerd/objects.test.ts',
  paying: 'test/workerd/paying.test.ts',
  'crash-points': 'test/workerd/faults/crash-points.test.ts',
}

const names = new Map(Object.entries(entries).map(([name, path]) => [join(root, path), name]))
const external = /^(vitest$|cloudflare:|node:)|\.wasm$/
let bundle: Promise<string> | undefined

/**
 * Serves the Worker and the tests beside it from one bundle for all runtimes. Vite would transform
 * each module for each runtime and send it alone, which took longer than most of these tests.
 */
export function serveBundle(): Plugin {
  return {
    name: 'workerd-bundle',
    enforce: 'pre',
    // Each call of an object asks for this once more (findings/each-object-call-asks-vite.sh).
    resolveId: (id) => (names.has(id) ? id : undefined),
    async load(id) {
      const name = names.get(id)
      if (name === undefined) return
      bundle ??= makeBundle()
      const path = JSON.stringify(join(await bundle, `${name}.js`))
      return `export * from ${path}\nexport { default } from ${path}`
    },
  }
}

async function makeBundle(): Promise<string> {
  const outDir = join(root, 'out', 'workerd-tests')
  const input = Object.fromEntries([...names].map(([path, name]) => [name, path]))
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: {
      target: 'webworker',
      noExternal: true,
      resolve: { conditions: ['workerd', 'worker', 'browser', 'module'] },
    },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'esnext',
      rolldownOptions: { input, external, output: { entryFileNames: '[name].js' } },
    },
  })
  return outDir
}
