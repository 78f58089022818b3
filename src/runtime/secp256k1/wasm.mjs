// TypeScript cannot read a source phase import. All runtimes can, and workerd compiles no bytes.
import source libsecp256k1 from '@bitauth/libauth/build/lib/bin/secp256k1/secp256k1.wasm'

function instantiate(pages, values) {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  const table = new WebAssembly.Table({ element: 'anyfunc', initial: 6, maximum: 6 })
  const env = { ...values, memory, table }
  const { exports } = new WebAssembly.Instance(libsecp256k1, { env })
  return { exports, memory: new Uint8Array(memory.buffer) }
}

export { instantiate }
