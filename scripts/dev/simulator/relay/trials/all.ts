import { isOpen } from '../../../../../src/relay/ledger/port.ts'
import { blockOf, bytesOf, createDesk, type Desk, type DeskOptions } from './desk.ts'
import {
  tryAttachments,
  tryGaps,
  tryLeases,
  tryMany,
  tryOwnOrder,
  tryReplacements,
  tryTaken,
} from './nonces.ts'
import {
  tryAttempts,
  tryBlocks,
  tryDeadlines,
  tryFailures,
  tryForgetting,
  tryIntents,
  tryLostRows,
  tryMeans,
  tryMessages,
  tryOneBlock,
  tryOrphans,
  tryTwoOrphans,
  tryWatching,
} from './payments.ts'
import {
  tryCarrying,
  tryEnds,
  tryFilling,
  tryFollowing,
  tryOffers,
  tryOutcomes,
  tryPassed,
  tryReach,
  tryRefused,
  tryRepairs,
  tryTurns,
} from './plans.ts'
import { tryReserves } from './reserves.ts'
import {
  tryClaims,
  tryForeignCount,
  tryObstacles,
  tryOrder,
  tryOthers,
  tryQueue,
  tryRefusals,
  tryRoom,
  tryShown,
  tryViews,
  tryViewsOfExecuted,
} from './sessions.ts'

const enoughToOutbidWei = 10n ** 12n

const trials: readonly ((desk: Desk) => void)[] = [
  ...[tryClaims, tryRefusals, tryViews, tryViewsOfExecuted, tryRoom, tryObstacles],
  ...[tryForeignCount, tryOthers],
  ...[tryShown, tryQueue, tryOrder, tryIntents, tryMessages],
  ...[tryLeases, tryAttachments, tryTaken, tryReplacements, tryGaps, tryOwnOrder, tryMany],
  ...[
    tryBlocks,
    tryOneBlock,
    tryOrphans,
    tryTwoOrphans,
    tryDeadlines,
    tryFailures,
    tryAttempts,
    tryForgetting,
    tryLostRows,
  ],
  ...[tryMeans, tryWatching, tryReserves],
  ...[tryFollowing, tryRepairs, tryPassed, tryOutcomes, tryEnds, tryReach, tryOffers],
  ...[tryCarrying, tryTurns, tryFilling, tryRefused],
]

/**
 * What a ledger that has lived through a history answers to calls whose answers its port promises: also
 * what few histories come to. Nothing is open before and after it.
 */
export function tryLedger(options: DeskOptions): string[] {
  const wrong: string[] = []
  const desk = createDesk(options, (words) => wrong.push(words))
  for (const trial of trials) {
    const { length } = wrong
    passUsed(desk)
    try {
      trial(desk)
    } catch (error) {
      return [...wrong, `${trial.name} fails: ${error}`]
    }
    releaseAll(desk)
    desk.expect(`what ${trial.name} leaves open`, isOpen(options.ledger.work()), false)
    // What is wrong leaves things open, which others would meet.
    if (wrong.length > length) return wrong
  }
  return wrong
}

/** Gives back what is leased, and fills what was signed for and given up: the next nonce has nothing to outbid. */
function passUsed(desk: Desk): void {
  const { ledger, next } = desk
  for (let isUsed = true; isUsed; ) {
    releaseAll(desk)
    const nonce = next()
    const token = 'to pass'
    const leased = ledger.lease({ nonce, token, chainNonce: nonce, session: undefined })
    isUsed = leased.kind === 'leased' && leased.slot.priorGasPriceWei !== undefined
    if (!isUsed) continue
    const transaction = bytesOf(`passes ${nonce}`, enoughToOutbidWei)
    ledger.attach({ nonce, token, transaction })
    const report = { nonce, session: undefined, block: blockOf(1), execution: undefined }
    ledger.mined({ ...report, hash: transaction.hash })
  }
  releaseAll(desk)
}

function releaseAll({ ledger, rules, pass, next }: Desk): void {
  pass(rules.leaseMs + 1)
  const leased = ledger.work().nonces.filter(({ state }) => state === 'leased')
  ledger.release(
    leased.map(({ nonce }) => nonce),
    next(),
  )
}
