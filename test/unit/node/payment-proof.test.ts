import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { verified, verifyPayment } from '../../../scripts/ops/verify.ts'
import type { PaymentProof, ProvedPayment } from '../../../src/node/reads/payment-proof.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { forge, showing } from '../../support/rskj-node/forge.ts'
import { type Block, type Rules, readRecording } from '../../support/rskj-node/recording.ts'
import { replay } from '../../support/rskj-node/replay.ts'
import { sampleOf } from '../../support/sample.ts'

const mining = { minDifficulty: 1n, from: 1 }

/** Returns the service's proof of a transaction. */
async function shown(
  hash: string,
  fetch: typeof globalThis.fetch,
  { isMined = true, above = 11 } = {},
) {
  const checks = { mining: isMined ? mining : undefined }
  const { service } = await serve(['http://node/'], 31, fetch, systemClock, checks)
  return JSON.parse(await service.prove(hash, above, AbortSignal.timeout(5_000))) as PaymentProof
}

/** Reads a real RSKj's payment, with its block and proof. */
function recorded(rules: Rules) {
  const recording = readRecording(rules)
  const [block, hash] = recording.pairs.flatMap(({ method, params, result }) => {
    const one = recording.blocks.find((each) => each.hash === params[0])
    const sent = one?.transactions.find((each) => each.hash === params[1])
    const isProof = method === 'rsk_getTransactionReceiptNodesByHash' && result
    return isProof && one && sent && Number(sent.from) !== 0 ? [one, sent.hash] : []
  }) as [Block, string]
  const { fetch } = replay(recording)
  const above = rules === 'regtest' ? 5 : 11
  return {
    ...{ recording, block, hash, fetch },
    proof: shown(hash, fetch, { above }) as Promise<ProvedPayment>,
  }
}

describe.each(['main-network', 'regtest'] as const)("under %s's rules", (rules) => {
  const { recording, block, hash, ...of } = recorded(rules)

  test('a proof shows by itself that a transaction is in a block, and what it did there', async () => {
    const logs = recording.logs.filter((log) => Object(log).transactionHash === hash)
    const proof = await of.proof
    expect(proof.headers.length).toBeGreaterThan(1)
    expect(verifyPayment(hash, proof, mining)).toMatchObject({
      ...{ block: { number: Number(block.number), hash: block.hash }, succeeded: true },
      ...{ blocks: proof.headers.length },
      logs: logs.map(({ address }) => ({ address })),
    })
  })

  test('a proof of which any part is changed is refused', async () => {
    const proof = await of.proof
    expect(() => verifyPayment(`0x${'11'.repeat(32)}`, proof, mining)).toThrow()
    // Every third Bitcoin block has the least work there is: nothing is built on the last one.
    const isBuiltOn = ([path]: readonly [string[], unknown]) =>
      path[0] !== 'headers' || path[1] !== `${proof.headers.length - 1}`
    const changes = [...changesOf(proof)].filter(isBuiltOn)
    expect(changes.length).toBeGreaterThan(30)
    for (const [path, changed] of sampleOf(60, changes, rules)) {
      expect(() => verifyPayment(hash, changed as ProvedPayment, mining), path.join()).toThrow()
    }
  })
})

/** Yields a value with one part changed, and the path of the change. */
function* changesOf(value: unknown): Generator<[path: string[], changed: unknown]> {
  if (typeof value === 'number') yield [[], value + 1]
  if (typeof value === 'string') {
    for (let at = 2; at < value.length; at += 1 + Math.floor(value.length / 9)) {
      const digit = value[at] === '1' ? '2' : '1'
      yield [[`${at}`], `${value.slice(0, at)}${digit}${value.slice(at + 1)}`]
    }
    yield [['longer'], `${value}00`]
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    for (const [path, changed] of changesOf(part)) {
      const copy = structuredClone(value) as Record<string, unknown>
      copy[name] = changed
      yield [[name, ...path], copy]
    }
  }
  if (!Array.isArray(value)) return
  yield [['reversed'], value.toReversed()]
  yield [['more'], [...value, value[0]]]
}

const { hash, block, fetch, proof: proving } = recorded('main-network')

test('headers that were not mined, or are not linked, prove nothing', async () => {
  const proof = await proving
  const [first, ...above] = proof.headers
  const without = { ...proof, headers: [first, ...above.slice(1), first] as typeof proof.headers }
  expect(() => verifyPayment(hash, without, mining)).toThrow('does not name the one before it')
  const strict = { ...mining, minDifficulty: 2n }
  expect(() => verifyPayment(hash, proof, strict)).toThrow('below that of its network')
  expect(() => verifyPayment(hash, proof)).toThrow('an unknown form')
  expect(() => verifyPayment(hash, { ...proof, headers: [] }, mining)).toThrow('no header')
})

test('nothing is proved outside blocks, or on a chain without mining', async () => {
  const nobody = { isProved: false, says: 'nobody mines the blocks of this chain' }
  expect(await shown(hash, fetch, { isMined: false })).toEqual(nobody)
  const none = { isProved: false, says: 'no block has the transaction' }
  expect(
    await shown(
      hash,
      showing(() => [forge(undefined, {})]),
    ),
  ).toEqual(none)
})

test('the command prints the proved facts and the depth, and refuses a false proof', async () => {
  const proof = await proving
  const { lines, isBad } = verified(hash, proof, mining)
  expect(lines[0]).toBe(
    `Transaction ${hash} succeeded in block ${Number(block.number)} of chain 31: ${block.hash}`,
  )
  const headers = proof.headers.slice(0, 11)
  expect(verified(hash, { ...proof, headers }, mining)).toMatchObject({ isBad: true })
  expect([isBad, lines.at(-1)]).toEqual([
    false,
    expect.stringMatching(/^\d+ blocks from it on lead down to it, and took \d+ hashes to mine\./),
  ])
  const raw = `${proof.receipt.raw.slice(0, -2)}00` as Hex
  const changed = { ...proof, receipt: { ...proof.receipt, raw } }
  expect(() => verified(hash, changed, mining)).toThrow('The proof is not true')
  // Recorded of a chain of one's own, whose blocks are easier than the test network's.
  expect(() => verified(hash, proof)).toThrow(
    /^Hashes and work fit together, but not to the public chain 31: .* at least 550000000\. .* --min-difficulty N$/,
  )
  expect(() => verified(hash, changed)).toThrow('The proof is not true')
  const unproved = { isProved: false, says: 'no block has it' }
  expect(() => verified(hash, unproved)).toThrow('Nothing is proved: no block has it.')
  expect(() => verified(hash, undefined)).toThrow('Nothing is proved')
})
