import { type Address, type Hex, hexToBytes, numberToHex } from 'viem'
import { z } from 'zod'
import { fixedPrices, precompilePrices, rootstockPrices as prices } from './rootstock-prices.ts'

/** One operation of geth's default tracer: the stack is as it was before, its top last. */
export type Step = { op: string; depth: number; stack: readonly string[] }

/** A transaction, what it did, and what the state was before it as far as it touched that. */
export type Trace = {
  to: Address
  data: Hex
  steps: readonly Step[]
  before: Readonly<Record<Address, AccountBefore>>
}

/** An account that does not exist is one without balance, nonce and code. */
export type AccountBefore = z.output<typeof accountBefore>

/** What Rootstock charges for it, in gas. */
export type Price = {
  gasUsed: number
  /** Each call that the transaction made of its own, in their order. */
  calls: readonly { to: Address; leastGas: number }[]
}

const accountBefore = z.object({
  balance: z.string().optional(),
  nonce: z.number().optional(),
  code: z.string().optional(),
  storage: z.record(z.string(), z.string()).optional(),
})

/** What geth's `prestateTracer` answers. */
export const stateBefore = z.record(z.string().toLowerCase(), accountBefore)

type Frame = {
  /** Whose storage it reads and writes. */
  owner: Address
  memoryWords: number
  used: number
  /** The most that was used or had to be left at any moment. */
  peak: number
  refund: number
  /** How to undo its writes. */
  undo: (() => void)[]
}

type State = {
  frames: Frame[]
  storage: Map<string, bigint>
  accounts: Set<string>
  before: Trace['before']
}

/**
 * Computes what a transaction costs on Rootstock from a trace of it that any node has made, operation
 * by operation. Nothing in it may depend on the gas that is left.
 * @throws UnpricedOperationError for what the contracts never do: CREATE, DELEGATECALL, running out of gas…
 */
export function priceOnRootstock({ to, data, steps, before }: Trace): Price {
  const state: State = {
    frames: [newFrame(to.toLowerCase() as Address)],
    storage: new Map(),
    accounts: new Set(existing(before)),
    before,
  }
  const calls: { to: Address; leastGas: number }[] = []
  for (const [index, step] of steps.entries()) {
    const ended = endedFrame(state, step, steps[index - 1]?.op)
    if (ended !== undefined && state.frames.length === 1) {
      calls.push({ to: ended.owner, leastGas: ended.peak })
    }
    execute(state, step, steps[index + 1])
  }
  const [root] = state.frames
  const end = steps.at(-1)?.op ?? 'STOP'
  if (root === undefined || state.frames.length !== 1 || !isGoodEnd(end)) {
    throw new UnpricedOperationError(`a transaction that ends with ${end}`)
  }
  const gross = transactionPrice(data) + root.used
  return {
    gasUsed: gross - Math.min(root.refund, Math.floor(gross / prices.refundQuotient)),
    calls,
  }
}

/** What a transaction costs before its first operation, in gas, on both networks. */
export function transactionPrice(data: Hex): number {
  return hexToBytes(data).reduce(
    (sum, byte) => sum + (byte === 0 ? prices.zeroByte : prices.otherByte),
    prices.transaction,
  )
}

/** Closes the frame that the step before was the last of, if it was one; its caller pays for it. */
function endedFrame(
  state: State,
  { depth, stack }: Step,
  end: string | undefined,
): Frame | undefined {
  if (state.frames.length === depth) return undefined
  if (end === undefined || !(isGoodEnd(end) || end === 'REVERT')) {
    throw new UnpricedOperationError(`a call that ends with ${end}`)
  }
  const ended = state.frames.pop() as Frame
  const caller = last(state.frames)
  // What needed more gas than it used had to be given that.
  caller.peak = Math.max(caller.peak, caller.used + ended.peak)
  caller.used += ended.used
  if (word(stack, 0) === 0n) {
    for (const undo of ended.undo.reverse()) undo()
  } else {
    caller.refund += ended.refund
    caller.undo.push(...ended.undo)
  }
  return ended
}

function isGoodEnd(op: string): boolean {
  return op === 'STOP' || op === 'RETURN'
}

function execute(state: State, step: Step, next: Step | undefined): void {
  const frame = last(state.frames)
  spend(frame, priceOf(state, frame, step))
  if (step.op === 'SSTORE') store(state, frame, step)
  if (!isCall(step.op)) return
  const { value, address, inputLength } = callOf(step)
  if (value > 0n) {
    frame.peak = Math.max(frame.peak, frame.used + prices.callStipend)
    state.accounts.add(address)
  }
  if (next !== undefined && next.depth === step.depth + 1) {
    state.frames.push(newFrame(address))
    return
  }
  const precompile = BigInt(address) < 16n ? precompilePrices[Number(BigInt(address))] : () => 0
  if (precompile === undefined) throw new UnpricedOperationError(`${step.op} of ${address}`)
  spend(frame, precompile(inputLength))
}

/** Without what the callee uses. */
function priceOf(state: State, frame: Frame, { op, stack }: Step): number {
  const fixed = fixedPrices.get(op)
  const top = (index: number) => word(stack, index)
  const grown = (...spans: [offset: bigint, length: bigint][]) => growth(frame, spans)
  const words = (length: bigint) => Math.ceil(Number(length) / 32)
  switch (op) {
    case 'SLOAD':
    case 'TLOAD':
    case 'TSTORE':
    case 'BALANCE':
    case 'EXTCODESIZE':
    case 'EXTCODEHASH':
      return prices[op.toLowerCase() as 'sload']
    case 'SSTORE':
      return stored(state, frame, top(0)) === 0n && top(1) !== 0n
        ? prices.sstoreSet
        : prices.sstoreReset
    case 'EXP':
      return prices.exp + prices.expByte * bytesOf(top(1))
    case 'KECCAK256':
    case 'SHA3':
      return prices.keccak256 + prices.keccak256Word * words(top(1)) + grown([top(0), top(1)])
    case 'MLOAD':
    case 'MSTORE':
      return (fixed ?? 0) + grown([top(0), 32n])
    case 'MSTORE8':
      return (fixed ?? 0) + grown([top(0), 1n])
    case 'CALLDATACOPY':
    case 'CODECOPY':
    case 'RETURNDATACOPY':
      return (fixed ?? 0) + prices.copyWord * words(top(2)) + grown([top(0), top(2)])
    case 'MCOPY':
      return (
        (fixed ?? 0) + prices.copyWord * words(top(2)) + grown([top(0), top(2)], [top(1), top(2)])
      )
    case 'RETURN':
    case 'REVERT':
      return grown([top(0), top(1)])
    case 'CALL':
    case 'STATICCALL':
      return callPrice(state, frame, { op, stack })
    default:
      if (/^LOG[0-4]$/.test(op)) {
        const topics = Number(op.slice(3))
        const bytes = Number(top(1))
        return (
          prices.log + prices.logTopic * topics + prices.logByte * bytes + grown([top(0), top(1)])
        )
      }
      if (fixed === undefined) throw new UnpricedOperationError(op)
      return fixed
  }
}

function callPrice(state: State, frame: Frame, step: Pick<Step, 'op' | 'stack'>): number {
  const { value, address, spans } = callOf(step)
  const isNew = step.op === 'CALL' && !state.accounts.has(address)
  return (
    prices.call +
    (isNew ? prices.callNewAccount : 0) +
    (value > 0n ? prices.callValue : 0) +
    growth(frame, spans)
  )
}

function isCall(op: string): op is 'CALL' | 'STATICCALL' {
  return op === 'CALL' || op === 'STATICCALL'
}

/** The arguments of CALL and STATICCALL; the latter has no value among them. */
function callOf({ op, stack }: Pick<Step, 'op' | 'stack'>) {
  const at = (index: number) => word(stack, index)
  const shift = op === 'CALL' ? 3 : 2
  const spans: [bigint, bigint][] = [
    [at(shift), at(shift + 1)],
    [at(shift + 2), at(shift + 3)],
  ]
  return {
    address: addressOf(at(1)),
    value: op === 'CALL' ? at(2) : 0n,
    inputLength: Number(at(shift + 1)),
    spans,
  }
}

function store(state: State, frame: Frame, { stack }: Step): void {
  const [slot, value] = [word(stack, 0), word(stack, 1)]
  const [place, old] = [`${frame.owner} ${slot}`, stored(state, frame, slot)]
  if (old !== 0n && value === 0n) frame.refund += prices.sstoreRefund
  state.storage.set(place, value)
  frame.undo.push(() => state.storage.set(place, old))
}

function stored({ storage, before }: State, { owner }: Frame, slot: bigint): bigint {
  const written = storage.get(`${owner} ${slot}`)
  return written ?? BigInt(before[owner]?.storage?.[numberToHex(slot, { size: 32 })] ?? 0)
}

function spend(frame: Frame, gas: number): void {
  frame.used += gas
  frame.peak = Math.max(frame.peak, frame.used)
}

/** What memory costs that reaches further than before: linear, and quadratic beyond some length. */
function growth(frame: Frame, spans: readonly (readonly [bigint, bigint])[]): number {
  const ends = spans.map(([offset, length]) => (length === 0n ? 0 : Number(offset + length)))
  const reached = Math.max(frame.memoryWords, ...ends.map((end) => Math.ceil(end / 32)))
  const added = memoryPrice(reached) - memoryPrice(frame.memoryWords)
  frame.memoryWords = reached
  return added
}

function memoryPrice(words: number): number {
  return prices.memoryWord * words + Math.floor((words * words) / prices.memoryQuotient)
}

function existing(before: Trace['before']): string[] {
  return Object.entries(before)
    .filter(([, { balance, nonce, code }]) => {
      const hasCode = code !== undefined && code !== '0x'
      return BigInt(balance ?? 0) !== 0n || (nonce ?? 0) !== 0 || hasCode
    })
    .map(([address]) => address)
}

function newFrame(owner: Address): Frame {
  return { owner, memoryWords: 0, used: 0, peak: 0, refund: 0, undo: [] }
}

function last<T>(list: readonly T[]): T {
  const found = list.at(-1)
  if (found === undefined) throw new UnpricedOperationError('nothing runs')
  return found
}

/** By its place from the top. */
function word(stack: readonly string[], index: number): bigint {
  const found = stack[stack.length - 1 - index]
  if (found === undefined) throw new UnpricedOperationError('an operation without its arguments')
  return BigInt(found)
}

function addressOf(value: bigint): Address {
  return numberToHex(value & ((1n << 160n) - 1n), { size: 20 })
}

function bytesOf(value: bigint): number {
  return value === 0n ? 0 : Math.ceil(value.toString(16).length / 2)
}

/** A trace has something in it that this knows no price of on Rootstock. */
export class UnpricedOperationError extends Error {
  override readonly name = 'UnpricedOperationError'

  constructor(operation: string) {
    super(`no price on Rootstock is known: ${operation}`)
  }
}
