import { type Address, encodeAbiParameters, type Hex, keccak256, slice } from 'viem'
import type { PhoneNumber } from '../../../../src/account/phone.ts'
import type { AcceptPayment } from '../../../../src/relay/ledger/acceptance.ts'
import { createAcceptor } from '../../../../src/relay/pay/acceptor.ts'
import { africasTalking } from '../../../../src/ussd/gateways/presets.ts'
import { demonstration } from '../../../../src/ussd/messages/demonstration.ts'
import { english } from '../../../../src/ussd/messages/en.ts'
import type { Screen } from '../../../../src/ussd/screens/screen.ts'
import { createScreenReader } from '../../oracle/screen-reader.ts'
import { type Actor, createActor, currentActor, runAs } from '../actors.ts'
import type { Delivery } from '../history.ts'
import { lenderProduct } from '../lender/product.ts'
import { type Dial, getPhone } from '../plan.ts'
import { forwarderAddress, poorWei, simulatedChainId } from '../setting.ts'
import { findAccount, type World } from '../world.ts'
import { createParts, memoryLine } from './lines.ts'
import { acceptAs, acceptLine, ledgerLine, restartWorker } from './object.ts'
import { createRelayer, createService, gatewayName, intentKey, sessionKey } from './programs.ts'

const afterReplyMs = 30_000

export function deliver(world: World, dial: Dial, phase: 0 | 1, isProbe: boolean): void {
  const { records, transcript } = world
  const isolate = isolateOf(world, dial.worker)
  const actor = createActor(`${isProbe ? 'probe' : 'delivery'} ${dial.id}`, (scope) => {
    if (scope === 'process') restartWorker(world, dial.worker)
    actor.isAlive = false
  })
  isolate.actors.add(actor)
  const account = findAccount(world, dial.caller)
  const delivery: Delivery = {
    dial,
    phase,
    isProbe,
    actor,
    account,
    text: dial.text,
    session: sessionKey(gatewayName, dial.session, account),
    intentId: intentOf(dial.session, account),
    startedAt: world.scheduler.now(),
    isHopeless: showsNoHope(world),
    reply: undefined,
    said: undefined,
    repliedAt: undefined,
  }
  records.deliveries.push(delivery)
  transcript.tell(
    () =>
      `${actor.name}: Worker ${dial.worker} gets "${dial.text}" from caller ${dial.caller} in session ${dial.session}.`,
  )
  const request = {
    gateway: gatewayName,
    sessionId: dial.session,
    phone: getPhone(dial.caller) as PhoneNumber,
    text: dial.text,
  }
  runAs(actor, () => isolate.answer(request)).then(
    ({ screen }) => answered(world, delivery, screen),
    (error) => records.uncaught.push(`${error}`),
  )
}

function isolateOf(world: World, worker: number) {
  const { isolates, plan } = world
  const known = isolates.get(worker)
  if (known !== undefined) return known
  const ledger = ledgerLine(world)
  const parts = createParts(world, plan.setup.skewsMs[worker])
  const product = plan.setup.isLender ? lenderProduct(memoryLine(world), plan.setup) : undefined
  const actor = createActor(`acceptor of Worker ${worker}`, () => restartWorker(world, worker))
  const own = acceptAs(world, actor, createAcceptor(createRelayer(parts, ledger)))
  const accept: AcceptPayment = plan.setup.hasOwnAcceptors
    ? (offer) => own(offer, currentActor())
    : acceptLine(world)
  const answer = createService({ ...parts, ledger, accept }, product)
  const isolate = { answer, actors: new Set<Actor>([actor]) }
  isolates.set(worker, isolate)
  return isolate
}

const readers = {
  lender: createScreenReader(english),
  demonstration: createScreenReader(demonstration),
}

function answered(world: World, delivery: Delivery, screen: Screen): void {
  const { scheduler, transcript, isolates, plan } = world
  const { actor, dial } = delivery
  // The acceptor of its Worker may answer a delivery that has died meanwhile.
  if (!actor.isAlive) return
  const body = africasTalking.render(screen)
  const read = readers[plan.setup.isLender ? 'lender' : 'demonstration']
  delivery.reply = body
  delivery.said = read(screen.lines.join('\n'), screen.kind)
  delivery.isHopeless &&= showsNoHope(world)
  delivery.repliedAt = scheduler.now()
  transcript.tell(() => `${actor.name} is answered: ${body.replaceAll('\n', ' / ')}`)
  const [inlet] = /0x\w{40}/.exec(dial.sends && !delivery.isProbe ? body : '') ?? []
  if (inlet) sendTokens(world, delivery, inlet)
  const end = () => {
    actor.isAlive = false
    isolates.get(dial.worker)?.actors.delete(actor)
  }
  scheduler.at(scheduler.now() + afterReplyMs, end, 'quiet')
}

/** Sends tokens from outside to the address that a delivery was shown. */
function sendTokens({ chain, records }: World, { account, dial }: Delivery, inlet: string): void {
  const { sends = 0n } = dial
  records.sent.push({ account, parts: sends })
  const to = inlet.toLowerCase()
  chain.change(({ inlets }) => {
    const { parts = 0n, sweptWei = 0n } = inlets.get(to) ?? {}
    inlets.set(to, { parts: parts + sends, sweptWei })
  })
}

/** Time of a call, which adds to the age of the money and price that a Worker knows. */
const callMs = 10_000

/** Tells whether all heads that may be known show a key without money, or too high a price. */
function showsNoHope({ chain, scheduler, plan, records }: World): boolean {
  if (records.reorganizations.length > 0) return false
  const { rules, maxBehindMs, maxGasPriceWei } = plan.setup
  const heads = chain.headsSince(scheduler.now() - rules.accountStateMs - callMs - maxBehindMs)
  const isPoor = heads.every(({ block }) => block.state.relayerWei <= poorWei)
  const isDear = heads.every(({ block }) => block.minGasPriceWei > maxGasPriceWei)
  return isPoor || isDear
}

const intents = new Map<string, Hex>()

/** Derives a session's intent; written here again, because the rule never changes. */
function intentOf(sessionId: string, account: Address): Hex {
  const key = `${sessionId} ${account}`
  const known = intents.get(key)
  if (known !== undefined) return known
  const parameters = ['uint256', 'address', 'bytes32'].map((type) => ({ type }))
  const ownKey = intentKey(gatewayName, sessionId, account)
  const values = [BigInt(simulatedChainId), forwarderAddress, ownKey]
  const intent = slice(keccak256(encodeAbiParameters(parameters, values)), 0, 22)
  intents.set(key, intent)
  return intent
}
