import { bytesToHex, type Hex, hexToBigInt, numberToBytes, type Signature } from 'viem'
import { instantiate } from './wasm.mjs'

/** Is the order n of the group (SEC 2, section 2.4.1). Private keys are below it, and not 0. */
export const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

type KeyPlace = { memory: Uint8Array; key: number }
type Places = [number, number, number, number, number]

// The layout that Emscripten built it for. A call uses 1,142 bytes of the stack at most.
const memoryPages = 256
const heapEndAt = 1_024 + 67_696 + 16
const stackAt = heapEndAt + 16
const stackBytes = 5 * 1_024 * 1_024
const usedStackBytes = 4_096

const signingContext = 0x201
const uncompressedFlag = 0x02
const compressedFlag = 0x102

let library: ReturnType<typeof startLibrary> | undefined

/** Starts the library, with random blinding against a measuring of its times. */
function startLibrary() {
  const fail = () => {
    throw new Error('libsecp256k1 has failed')
  }
  const { exports, memory } = instantiate(memoryPages, {
    tableBase: 0,
    DYNAMICTOP_PTR: heapEndAt,
    STACKTOP: stackAt,
    getTotalMemory: () => memory.length,
    abort: fail,
    enlargeMemory: fail,
    abortOnCannotGrowMemory: fail,
    ___setErrNo: fail,
    _abort: fail,
    _emscripten_memcpy_big: fail,
  })
  new DataView(memory.buffer).setUint32(heapEndAt, stackAt + stackBytes, true)
  const run = (name: string, ...values: number[]) => exports[`_${name}`]?.(...values) ?? fail()
  const allocate = (count: number) => run('malloc', count) || fail()
  const context = run('secp256k1_context_create', signingContext)
  const call = (name: string, ...values: number[]): number =>
    run(`secp256k1_${name}`, context, ...values)
  const [key, message, made, bytes, number] = [32, 32, 65, 65, 4].map(allocate) as Places
  const opened = { memory, call, key, message, made, bytes, number }
  const seed = crypto.getRandomValues(new Uint8Array(32))
  withKey(opened, seed, () => call('context_randomize', key) || fail())
  return opened
}

function openLibrary() {
  library ??= startLibrary()
  return library
}

/** Calls with a key in the library's memory, and leaves nothing of it there. */
function withKey({ memory, key }: KeyPlace, bytes: Uint8Array, call: () => number): void {
  if (bytes.length !== 32) throw new Error('a private key has 32 bytes')
  try {
    memory.set(bytes, key)
    if (call() === 0) throw new Error('this is no private key')
  } finally {
    memory.fill(0, key, key + 32)
    memory.fill(0, stackAt, stackAt + usedStackBytes)
  }
}

/** Computes the public key of a private one (SEC 1). @throws {Error} it is no private key */
export function getPublicKey(privateKey: Uint8Array, form: 'compressed' | 'whole'): Uint8Array {
  const opened = openLibrary()
  const { memory, call, key, made, bytes, number } = opened
  withKey(opened, privateKey, () => call('ec_pubkey_create', made, key))
  const [count, flag] = form === 'whole' ? [65, uncompressedFlag] : [33, compressedFlag]
  memory.set([count, 0, 0, 0], number)
  call('ec_pubkey_serialize', bytes, number, made, flag)
  return memory.slice(bytes, bytes + count)
}

/** Signs a digest by RFC 6979, with the lower s. @throws {Error} it is no private key */
export function signDigest(digest: Hex, privateKey: Uint8Array): Signature {
  const opened = openLibrary()
  const { memory, call, key, message, made, bytes, number } = opened
  // As RFC 6979 says; the library itself takes the number as it is.
  memory.set(numberToBytes(hexToBigInt(digest) % curveOrder, { size: 32 }), message)
  withKey(opened, privateKey, () => call('ecdsa_sign_recoverable', made, message, key))
  call('ecdsa_recoverable_signature_serialize_compact', bytes, number, made)
  const [r, s] = [0, 32].map((at) => bytesToHex(memory.slice(bytes + at, bytes + at + 32)))
  const yParity = memory[number] ?? 0
  return { r: r as Hex, s: s as Hex, yParity, v: yParity === 0 ? 27n : 28n }
}
