import { type Address, encodeAbiParameters, type Hex, keccak256, slice } from 'viem'
import type { PhoneNumber } from '../../../../src/account/phone.ts'
import type { Answer } from '../../../../src/ussd/answer.ts'
import { africasTalking } from '../../../../src/ussd/gateways/africas-talking.ts'
import { demonstration } from '../../../../src/ussd/messages/demonstration.ts'
import { english } from '../../../../src/ussd/messages/en.ts'
import type { Screen } from '../../../../src/ussd/screens/screen.ts'
import { createScreenReader } from '../../oracle/screen-reader.ts'
import type { Actor } from '../actors.ts'
import { poorWei } from '../ground.ts'
import type { Delivery } from '../history.ts'
import { lenderProduct } from '../lender/product.ts'
import { type Dial, phoneOf } from '../plan.ts'
import type { World } from '../world.ts'
import { createService, gatewayName, intentKey, sessionKey } from './programs.ts'

/** The Workers that deliveries come to. */
export type Workers = {
  deliver(dial: Dial, phase: 0 | 1, isProbe: boolean): void
  /** Ends a Worker with everything that runs in it; the next delivery finds a new one. */
  restart(worker: number): void
  /** Nothing that runs in a Worker goes on for some time. */
  freeze(worker: number, forMs: number): void
  deliveries(): readonly Delivery[]
}

type Isolate = { answer: Answer; actors: Set<Actor> }

/** A Worker lives so long after its reply. */
const afterReplyMs = 30_000

export function createWorkers(world: World): Workers {
  const { scheduler, actors, story, parts } = world
  const isolates = new Map<number, Isolate>()
  const deliveries: Delivery[] = []

  function isolateOf(worker: number): Isolate {
    const known = isolates.get(worker)
    if (known !== undefined) return known
    const skewMs = parts.knobs.skewsMs[worker] ?? 0
    const clock = actors.clock(skewMs)
    const product = parts.knobs.isLender ? lenderProduct(world.wires.memory, clock) : undefined
    const isolate = {
      answer: createService({ ...parts, product }, clock),
      actors: new Set<Actor>(),
    }
    isolates.set(worker, isolate)
    return isolate
  }

  function restart(worker: number): void {
    for (const actor of isolates.get(worker)?.actors ?? []) actor.isAlive = false
    isolates.delete(worker)
  }

  const read = createScreenReader(parts.knobs.isLender ? english : demonstration)

  function answered(delivery: Delivery, screen: Screen): void {
    const { actor, dial } = delivery
    const body = africasTalking.render(screen)
    delivery.reply = body
    delivery.said = read(screen.lines.join('\n'), screen.kind)
    delivery.isHopeless &&= showsNoHope(world)
    delivery.repliedAt = scheduler.now()
    story.tell(() => `${actor.name} is answered: ${body.replaceAll('\n', ' / ')}`)
    scheduler.at(
      scheduler.now() + afterReplyMs,
      () => {
        actor.isAlive = false
        isolates.get(dial.worker)?.actors.delete(actor)
      },
      'quiet',
    )
  }

  function freeze(worker: number, forMs: number): void {
    for (const actor of isolates.get(worker)?.actors ?? []) {
      actor.stalledUntil = scheduler.now() + forMs
      actor.troubles.add('stalls')
    }
  }

  return {
    restart,
    freeze,
    deliveries: () => deliveries,
    deliver(dial, phase, isProbe) {
      const isolate = isolateOf(dial.worker)
      const actor = actors.create(`${isProbe ? 'probe' : 'delivery'} ${dial.id}`, (scope) => {
        if (scope === 'process') restart(dial.worker)
        actor.isAlive = false
      })
      isolate.actors.add(actor)
      const delivery = begun(world, { dial, phase, isProbe, actor })
      deliveries.push(delivery)
      story.tell(
        () =>
          `${actor.name}: Worker ${dial.worker} gets "${dial.text}" from caller ${dial.caller} in session ${dial.session}.`,
      )
      const request = {
        gateway: gatewayName,
        sessionId: dial.session,
        phone: phoneOf(dial.caller) as PhoneNumber,
        text: dial.text,
      }
      actors
        .run(actor, () => isolate.answer(request))
        .then(
          ({ screen }) => answered(delivery, screen),
          (error) => world.records.noticed.push(['uncaught', `${error}`]),
        )
    },
  }
}

/** A delivery that nobody has answered yet. */
function begun(
  world: World,
  own: Pick<Delivery, 'dial' | 'phase' | 'isProbe' | 'actor'>,
): Delivery {
  const { dial } = own
  const account = world.callers[dial.caller]
  if (account === undefined) throw new Error('the plan has a caller without an account')
  return {
    ...own,
    text: dial.text,
    account,
    session: sessionKey(gatewayName, dial.session, account),
    intentId: intentOf(world.parts.forwarder, dial.session, account),
    startedAt: world.scheduler.now(),
    isHopeless: showsNoHope(world),
    reply: undefined,
    said: undefined,
    repliedAt: undefined,
  }
}

/** What a Worker knows of the key's money and of the price is no older than its rules say, but for what a call takes. */
const callMs = 10_000

/**
 * Whether the chain shows, and has shown to every replica, that the key can pay for nothing or that the
 * price is above the operator's limit.
 */
function showsNoHope({ chain, scheduler, plan, records }: World): boolean {
  if (records.reorganizations.length > 0) return false
  const { rules, maxBehindMs } = plan.knobs
  const since = chain.headAt(scheduler.now() - rules.meansMs - callMs - maxBehindMs)
  const ends = [since, chain.head()]
  const isPoor = ends.every(({ state }) => state.relayerWei <= poorWei)
  const isDear = ends.every(({ minGasPriceWei }) => minGasPriceWei > plan.knobs.maxGasPriceWei)
  return isPoor || isDear
}

const intents = new Map<string, Hex>()

/**
 * What a session's payment is called on the chain, written down a second time: the promise is that
 * it never changes.
 */
function intentOf(
  forwarder: { chainId: number; address: Address },
  sessionId: string,
  account: Address,
): Hex {
  const key = `${sessionId} ${account}`
  const known = intents.get(key)
  if (known !== undefined) return known
  const parameters = ['uint256', 'address', 'bytes32'].map((type) => ({ type }))
  const ownKey = intentKey(gatewayName, sessionId, account)
  const values = [BigInt(forwarder.chainId), forwarder.address, ownKey]
  const intent = slice(keccak256(encodeAbiParameters(parameters, values)), 0, 22)
  intents.set(key, intent)
  return intent
}
