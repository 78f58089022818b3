import { getNetwork } from '../chain/chains.ts'
import { createNode } from '../chain/node.ts'
import { type CallSource, type Keys, limitRate } from '../keys/api-keys.ts'
import { createKeyRoutes } from '../keys/route.ts'
import { createConfigKeys, createStoredKeys } from '../keys/stored-keys.ts'
import { type FeedDeps, feedLimits } from '../node/feed/options.ts'
import { createNodeRoutes } from '../node/route.ts'
import { createNodeService, isServed, type NodeService } from '../node/service.ts'
import {
  createUpstreamBudget,
  limitByBudget,
  type UpstreamBudget,
} from '../node/upstream/budget.ts'
import { runObservedRound } from '../operator/chain-state/check-ledger.ts'
import { createContractsReader, createTokenReader } from '../operator/chain-state/contracts.ts'
import type { WholeLedger } from '../operator/kept/steps.ts'
import {
  createGuard,
  createHealthRoutes,
  createOperatorRoutes,
  createProofRoutes,
} from '../operator/route.ts'
import type { Operator } from '../operator/service.ts'
import { createTargetCheck } from '../relay/forwarder/target.ts'
import type { AcceptPayment } from '../relay/ledger/acceptance.ts'
import type { RoundResult } from '../relay/ledger/schedule.ts'
import { createAcceptor } from '../relay/pay/acceptor.ts'
import { runRound } from '../relay/rounds/round.ts'
import { shareTimers, withEndingTimeouts } from '../runtime/clock.ts'
import { createCarriedText } from '../ussd/gateways/carried-text.ts'
import { createDeclaredGateway } from '../ussd/gateways/declaration.ts'
import type { Gateway } from '../ussd/gateways/gateway.ts'
import { africasTalking, hubtel } from '../ussd/gateways/presets.ts'
import { createRequestCounters, type RequestCounters } from '../ussd/gateways/request-counters.ts'
import { createClosedRoutes, createUssdRoutes } from '../ussd/route.ts'
import { type App, createApp } from './app.ts'
import type { Config } from './config.ts'
import { assembleOperations } from './operator.ts'
import { assembleProofs } from './proofs.ts'
import { assembleRelayer, getForwarder } from './relay.ts'
import type { Runtime, Stores } from './runtime.ts'
import { assembleMessages } from './sms.ts'
import { assembleUssdHandler } from './ussd.ts'

export type Assembly = ReturnType<typeof assemble>

type Parts = { config: Config; runtime: Runtime; stores: Stores }

export function assemble(config: Config, runtime: Runtime, stores: Stores) {
  const parts: Parts = { config, runtime, stores }
  const { clock, log, waitUntil } = runtime
  const { upstreamBudget: limits } = config
  const budget = limits && createUpstreamBudget({ store: stores.keyStore, limits, ...runtime })
  const getService = createServices(parts, budget)
  const nodeService = getService(config.chain.id, 'relay')
  // Calls of callers are counted apart from the relay's, even to the same nodes.
  const callersService = budget ? getService(config.chain.id, 'callers') : nodeService
  const getCallersService = (id: number) =>
    id === config.chain.id ? callersService : getService(id, 'callers')
  const keys = assembleKeys(parts, budget)
  const counters = createRequestCounters(listGateways(config).map(({ name }) => name))
  const operations = assembleOperations({ ...parts, nodeService, budget, counters })
  const readers = assembleReaders(config)
  const node = createNode(nodeService.request)
  const { sendMessages } = assembleMessages(config, runtime, stores.memory, node)
  let app: App | undefined

  function createFeedDeps(service: NodeService, feedClock = clock): FeedDeps {
    const socketUrls = config.webSockets.get(getNetwork(service.chainId).id) ?? []
    const feedBudget = service.chainId === config.chain.id ? budget?.createFeedBudget() : undefined
    const limits = { keys, budget: feedBudget, limits: feedLimits }
    return { service, socketUrls, ...limits, clock: feedClock, log }
  }

  function assembleApp(): App {
    const operator = operations.createOperator()
    const forOperators = assembleInterface(parts, operator)
    const chainIds = [...config.networks.keys()]
    const services = new Map(chainIds.map((id) => [id as number, getCallersService(id)]))
    const sockets = stores.sockets((chainId) => {
      const service = services.get(chainId)
      if (service === undefined) throw new Error(`chain ${chainId} is not served here`)
      return createFeedDeps(service)
    })
    const proofs = assembleProofs(config, runtime, stores, callersService)
    return createApp({
      ussd: assembleUssd(parts, nodeService, counters),
      callbackSecret: config.callbackSecret,
      counters,
      node: createNodeRoutes({ keys, services, sockets, clock, waitUntil, log }),
      ...forOperators,
      operator: forOperators.operator
        .route('/', createHealthRoutes(operator.health))
        .route('/proof', createProofRoutes(proofs, log)),
      log,
    })
  }

  return {
    config,
    /** Returns the app. It is created at the first request, since a Durable Object needs none. */
    app(): App {
      app ??= assembleApp()
      return app
    },
    checkLedger: operations.checkLedger,
    createAcceptor: (ledger: WholeLedger): AcceptPayment =>
      createAcceptor(assembleRelayer(config, runtime, nodeService, ledger)),
    async runRound(ledger: WholeLedger): Promise<RoundResult> {
      const round = withEndingTimeouts(clock, (ending) => {
        const relayer = assembleRelayer(config, { ...runtime, clock: ending }, nodeService, ledger)
        return runObservedRound(relayer, readers, runRound, (outcome) => {
          if (outcome === 'recorded') operations.startAlertUpdate(ledger)
          else runtime.waitUntil(operations.checkLedger('failed'))
        })
      })
      // Messages are sent even if the round failed, whose error is thrown after that.
      const send = () => sendMessages(ledger)
      const mayHaveMoreToSend = await round.then(send, send)
      const result = await round
      return mayHaveMoreToSend === true && result !== 'soon' ? 'open' : result
    },
    /** Creates the parts of a feed in the object that holds WebSockets, with shared timers. */
    getFeedDeps(chainId: number): FeedDeps {
      const feedRuntime = { ...runtime, clock: shareTimers(clock) }
      const service = createServices({ ...parts, runtime: feedRuntime }, budget)(chainId, 'callers')
      return createFeedDeps(service, feedRuntime.clock)
    },
  }
}

/** Assembles what operators reach by their tokens: their interface, their keys and the console. */
function assembleInterface({ config, runtime: { clock, log }, stores }: Parts, operator: Operator) {
  const { keyStore: store } = stores
  // A wrong account key ends no session: the console tells of it.
  const { operators, accountIdSecret: sessionSecret } = config
  const { timeZone } = config.menu
  const chainIds = [...config.networks.keys()]
  const [guard, record] = [createGuard(operators), operator.recordKey]
  const keys = () => store().list()
  return {
    operator: createOperatorRoutes({ operator, operators, log }),
    keys: createKeyRoutes({ store, guard, record, chainIds, isServed, now: clock.now }),
    console: stores.console?.({ operator, operators, sessionSecret, keys, clock, log, timeZone }),
  }
}

const assembleReaders = (config: Config) => ({
  readContracts: createContractsReader(createTargetCheck(getForwarder(config), config)),
  readToken: createTokenReader(config),
})

/** Creates node services. Only calls to the relay's network count toward its budget. */
function createServices({ config, runtime, stores }: Parts, budget: UpstreamBudget | undefined) {
  return (chainId: number, source: CallSource): NodeService => {
    const relayBudget = chainId === config.chain.id ? budget : undefined
    return createNodeService({
      ...runtime,
      chainId,
      urls: config.networks.get(getNetwork(chainId).id) ?? [],
      mining: config.readMining(chainId),
      comparesAnswers: config.mustCompareState,
      shared: stores.answers,
      onCalls: relayBudget && ((calls) => relayBudget.count(source, calls)),
    })
  }
}

/** Creates the API keys of the node service, limited by their rate and the nodes' budget. */
function assembleKeys(
  { config: { chain, rpcKeyHashes, callsASecond }, runtime: { clock }, stores }: Parts,
  budget: UpstreamBudget | undefined,
): Keys {
  const configured = createConfigKeys(rpcKeyHashes, chain.id)
  const allKeys = createStoredKeys(stores.keyStore, configured, clock)
  const keysWithBudget = budget ? limitByBudget(allKeys, budget, chain.id) : allKeys
  return callsASecond ? limitRate(keysWithBudget, callsASecond, clock.now) : keysWithBudget
}

/** Lists the gateways that `/ussd/<name>` serves. The first one is also served at `/ussd`. */
function listGateways({ gateway }: Config): readonly [Gateway, ...Gateway[]] {
  return [africasTalking, hubtel, ...(gateway ? [createDeclaredGateway(gateway)] : [])]
}

/** Assembles the routes of all gateways, which refuse every request if anybody could use them. */
function assembleUssd(parts: Parts, nodeService: NodeService, counters: RequestCounters): App {
  const { config, runtime, stores } = parts
  const [first, ...others] = listGateways(config)
  const assembleRoutes = (createRoutes: (gateway: Gateway) => App) =>
    others.reduce(
      (routes, gateway) => routes.route(`/${gateway.name}`, createRoutes(gateway)),
      createRoutes(first),
    )
  if (!config.isDevelopment && config.callbackSecret === undefined)
    return assembleRoutes(createClosedRoutes)
  const relayer = assembleRelayer(config, runtime, nodeService, stores.ledger)
  const handler = assembleUssdHandler({ ...parts, relayer, counters })
  const { waitUntil, findPeer, log } = runtime
  const { gatewayCountry: country, gatewayAddresses: addresses } = config
  const carriedText = createCarriedText(config.accountIdSecret)
  const shared = { handler, carriedText, country, addresses, findPeer, waitUntil, log, counters }
  return assembleRoutes((gateway) => createUssdRoutes({ ...shared, gateway }))
}
