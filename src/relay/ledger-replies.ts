import { isAddress, isHex } from 'viem'
import { z } from 'zod'
import type { SignedRequest } from './forwarder.ts'
import type {
  BlockId,
  Claimed,
  Decided,
  Leased,
  OpenNonce,
  Payment,
  Recorded,
  SignedTransaction,
  Slot,
  Transition,
  Undecided,
  Work,
} from './ledger.ts'

/** What a script answers with, and what that means. Anything else is a fault. */
export type Reply<Answer> = z.ZodType<Answer>

const hex = z.custom<`0x${string}`>((value) => isHex(value), 'is no hex')
const address = z.custom<`0x${string}`>(
  (value) => typeof value === 'string' && isAddress(value, { strict: false }),
  'is no address',
)
const integer = z.union([z.int(), z.string().regex(/^-?[0-9]{1,15}$/)]).transform(Number)
const wei = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform(BigInt)

/** A hash as Redis lists it: each field before its value. */
const fields = z.array(z.string()).transform((list): unknown => {
  const pairs = list.flatMap((field, index) =>
    index % 2 === 0 ? [[field, list[index + 1] ?? '']] : [],
  )
  return Object.fromEntries(pairs)
})

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('is no JSON')
    return z.NEVER
  }
})

const request: Reply<SignedRequest> = json.pipe(
  z.object({
    from: address,
    to: address,
    intentId: hex,
    gas: z.int(),
    deadline: z.int(),
    data: hex,
    signature: hex,
  }),
)

/** A reply that is one word. */
const word = <const Kind extends string>(kind: Kind) =>
  z.tuple([z.literal(kind)]).transform(() => ({ kind }))

const decided: Reply<Decided> = z.union([
  word('pending'),
  word('ended'),
  z
    .tuple([z.literal('answered'), z.string()])
    .transform(([kind, reply]): Decided => ({ kind, reply })),
])

const slot: Reply<Slot> = z
  .tuple([integer, z.union([wei, z.literal('').transform(() => undefined)])])
  .transform(([nonce, priorGasPriceWei]) => ({ nonce, priorGasPriceWei }))

const noSlot = z.tuple([]).transform(() => undefined)

export const names = z.array(z.string())

export const nothing: Reply<void> = z.tuple([]).transform(() => undefined)

export const lookedUp: Reply<Decided | Undecided> = z.union([
  decided,
  z
    .tuple([z.literal('undecided'), z.array(request), integer, integer])
    .transform(([kind, open, seen, busy]): Undecided => ({ kind, open, seen, busy: busy === 1 })),
])

export const refused: Reply<Decided | { kind: 'refused' }> = z.union([decided, word('refused')])

export const claimed: Reply<Decided | Claimed | { kind: 'changed' }> = z.union([
  decided,
  word('changed'),
  z
    .tuple([z.literal('claimed'), z.union([slot, noSlot])])
    .transform(([kind, found]): Claimed => ({ kind, slot: found })),
])

export const fencedOrRecorded: Reply<Recorded> = z.union([word('fenced'), word('recorded')])

export const adopted: Reply<Decided | { kind: 'adopted' }> = z.union([decided, word('adopted')])

export const leased: Reply<Leased | { kind: 'taken' }> = z.union([
  word('taken'),
  z
    .tuple([z.literal('leased'), slot])
    .transform(([kind, found]): Leased => ({ kind, slot: found })),
])

export const blocks: Reply<BlockId[]> = z.array(
  z.tuple([integer, hex]).transform(([number, hash]) => ({ number, hash })),
)

const state = z.enum(['queued', 'signed', 'broadcast', 'mined', 'confirmed', 'reverted', 'expired'])

const payment: Reply<Payment> = fields
  .pipe(
    z.object({
      session: z.string(),
      state,
      request,
      label: z.string(),
      spends: wei,
      nonce: integer.optional(),
      attempts: integer,
      outcome: z.enum(['executed', 'failed']).optional(),
      reason: z.string().default(''),
      hash: hex.optional(),
      block_number: integer.optional(),
      block_hash: hex.optional(),
      accepted_at: integer,
    }),
  )
  .transform((row): Payment => {
    const { outcome, reason, hash, block_number: number, block_hash: blockHash } = row
    const isSettled =
      outcome !== undefined && hash !== undefined && number !== undefined && blockHash !== undefined
    return {
      session: row.session,
      state: row.state,
      order: { request: row.request, label: row.label, spendsWei: row.spends },
      nonce: row.nonce,
      attempts: row.attempts,
      execution: isSettled
        ? { outcome, reason, hash, block: { number, hash: blockHash } }
        : undefined,
      acceptedAt: row.accepted_at,
    }
  })

export const payments: Reply<Payment[]> = z.array(payment)

export const transitions: Reply<Transition[]> = z.array(
  z
    .tuple([
      hex,
      z.string(),
      state,
      state,
      z.union([hex, z.literal('').transform(() => undefined)]),
      z.string(),
    ])
    .transform(([intentId, label, from, to, hash, reason]) => ({
      intentId,
      label,
      from,
      to,
      hash,
      reason,
    })),
)

type KeptTransaction = SignedTransaction & { recordedAt: number; sentAt: number | undefined }

const transaction: Reply<KeptTransaction> = fields
  .pipe(
    z.object({
      hash: hex,
      raw: hex,
      gas_price: wei,
      recorded_at: integer,
      sent_at: integer.optional(),
    }),
  )
  .transform((row) => ({
    hash: row.hash,
    raw: row.raw,
    gasPriceWei: row.gas_price,
    recordedAt: row.recorded_at,
    sentAt: row.sent_at,
  }))

const nonce: Reply<OpenNonce> = z
  .tuple([
    fields.pipe(
      z.object({
        nonce: integer,
        session: z.string().optional(),
        state: z.enum(['leased', 'recorded']),
      }),
    ),
    integer,
    z.array(transaction),
  ])
  .transform(([row, isLive, transactions]) => ({
    nonce: row.nonce,
    session: row.session,
    state: row.state,
    leaseLive: isLive === 1,
    transactions: transactions.sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1)),
  }))

const head = z.union([
  json.pipe(z.object({ number: z.int(), hash: hex })),
  z.literal('').transform(() => undefined),
])

export const work: Reply<Work> = z
  .tuple([
    integer,
    head,
    z.union([integer, z.literal('').transform(() => undefined)]),
    integer,
    z.array(nonce),
    payments,
    payments,
    payments,
    integer,
  ])
  .transform(([now, known, behindSince, nextNonce, nonces, queued, carried, mined, watched]) => ({
    now,
    head: known,
    behindSince,
    nextNonce,
    nonces,
    queued,
    carried,
    mined,
    watching: watched > 0,
  }))
