import { hashKey, isSameSecret } from '../runtime/bearer.ts'
import type { ActionName, ActionRequest } from './actions/list.ts'
import { type Actor, type Role, roles } from './schemas/fields.ts'

/** Is an operator of the configuration, which has the hash of a token and never the token. */
export type NamedOperator = Actor & { tokenHash: string }

/** Names in the audit all those who share `OPERATOR_TOKEN`. */
const sharedName = 'operator'

export const operatorNameRule = `a name is 2 to 20 small letters, digits or -, begins with a letter, and is not "${sharedName}"`

const form = new RegExp(`^([a-z][a-z0-9-]{1,19}):(${roles.join('|')}):([0-9a-f]{64})$`)

/** Parses `NAME:ROLE:HASH`; undefined for another form, or a name that is not free. */
export function parseOperator(text: string): NamedOperator | undefined {
  const [, name, role, tokenHash] = form.exec(text) ?? []
  if (name === undefined || name === sharedName || tokenHash === undefined) return undefined
  return { name, role: role as Role, tokenHash }
}

/** Names an operator for people: of a shared token nobody knows whose hand it was in. */
export const nameOperator = (name: string): string => (name === sharedName ? 'shared token' : name)

/** Writes `OPERATORS` as it is deployed, without the token that is shared. */
export const writeOperators = (operators: readonly NamedOperator[]): string =>
  operators
    .map(({ name, role, tokenHash }) => `${name}:${role}:${tokenHash}`)
    .filter(parseOperator)
    .join()

/** Lists those who have a token: the named operators, and all who share one. */
export function listOperators(texts: readonly string[], sharedToken?: string): NamedOperator[] {
  const named = texts.flatMap((text) => parseOperator(text) ?? [])
  if (sharedToken === undefined) return named
  return [...named, { name: sharedName, role: 'money', tokenHash: hashKey(sharedToken) }]
}

/**
 * Finds whose token it is. Its SHA-256 is compared with that of all operators, so that timing
 * reveals nothing. A token has 256 random bits: neither a salt nor a slow hash would add anything.
 */
export function findOperator(operators: readonly NamedOperator[], token: string) {
  if (token === '') return undefined
  const tokenHash = hashKey(token)
  const matches = operators.map((operator) => isSameSecret(tokenHash, operator.tokenHash))
  return operators[matches.indexOf(true)]
}

/** Is a role, or one for each `action` that a request may name. */
type NeededRole<Request = { action: string }> =
  | Role
  | (Request extends { action: infer Name extends string } ? Readonly<Record<Name, Role>> : never)

type NeededRoles = {
  readonly [Name in ActionName as `POST /operator/${Name}`]: NeededRole<ActionRequest<Name>>
} & Readonly<Record<string, NeededRole>>

/** Maps each request of operators to the role that it needs. What is not here is not served. */
export const routeRoles = {
  'GET /metrics': 'read',
  'GET /keys': 'read',
  'POST /keys': 'operate',
  'DELETE /keys/:id': 'operate',
  'GET /operator/status': 'read',
  'GET /operator/alerts': 'read',
  'GET /operator/audit': 'read',
  'GET /operator/events': 'read',
  'GET /operator/payments': 'read',
  'GET /operator/payments/:intent': 'read',
  'GET /operator/loans': 'read',
  'GET /operator/loans.csv': 'read',
  'GET /operator/export': 'read',
  'POST /operator/agents': 'read',
  'POST /operator/find': 'support',
  'POST /operator/lookup': 'support',
  'POST /operator/session': 'support',
  'POST /operator/person/export': 'support',
  'POST /operator/hold': { hold: 'support', release: 'money' },
  'POST /operator/pin': { 'keep-pin': 'support', unblock: 'money' },
  'POST /operator/pause': 'operate',
  'POST /operator/resume': 'operate',
  'POST /operator/drain': 'operate',
  'POST /operator/outbid': 'operate',
  'POST /operator/rate': 'operate',
  'POST /operator/alias': 'operate',
  'POST /operator/name': 'operate',
  'POST /operator/test-alert': 'operate',
  'POST /operator/agents/add': 'operate',
  'POST /operator/agents/remove': 'operate',
  'POST /operator/deposit': 'operate',
  'POST /operator/sweep': 'operate',
  'POST /operator/person/erase': 'operate',
  // A wallet is paid by a name: an operator who sets its address may take what is sent there.
  'POST /operator/wallet': 'money',
  'POST /operator/wallet-code': 'money',
  'POST /operator/cash-out': 'money',
  'POST /operator/end-recall': 'money',
  // An import may hold entries of the audit in any name. Setting back ends holds.
  'POST /operator/import': 'money',
  'POST /operator/set-back': 'money',
} as const satisfies NeededRoles

export const roleWords: Readonly<Record<Role, string>> = {
  read: 'sees payments, loans, alerts, the audit and how all works, and changes nothing',
  support: 'looks callers up, and holds accounts',
  operate: 'pauses and resumes payments, gives tills and API keys, and accepts prices',
  money: 'pays out, releases held accounts, unblocks PINs, and sets wallets',
}

export type RouteName = keyof typeof routeRoles

export const routeNames = Object.keys(routeRoles) as RouteName[]

/** Finds the route of a request; undefined for what operators cannot ask. */
export function findRoute(method: string, path: string): RouteName | undefined {
  const name = `${method === 'HEAD' ? 'GET' : method} ${path}`
  return routeNames.find((route) => {
    const [prefix = '', parameter] = route.split(':')
    return parameter === undefined ? name === route : name.startsWith(prefix)
  })
}

/** Returns the role that a route needs; the least one while a request's action is not read yet. */
export function getNeededRole(route: RouteName, action?: string): Role {
  const needed: NeededRole = routeRoles[route]
  if (typeof needed === 'string') return needed
  if (action === undefined) return 'read'
  return Object.entries(needed).find(([name]) => name === action)?.[1] ?? 'money'
}

/** Returns which role an operator lacks for a request; undefined if it is allowed. */
export function findLackingRole({ role }: Actor, route: RouteName, action?: string) {
  const needed = getNeededRole(route, action)
  return roles.indexOf(role) < roles.indexOf(needed) ? needed : undefined
}

/** Maps commands of `npm run ops` to the routes that they ask; what is not here needs no role. */
const commandRoutes: Readonly<Record<string, RouteName>> = {
  'account add-wallet': 'POST /operator/wallet',
  'account alias': 'POST /operator/alias',
  'account cash-out': 'POST /operator/cash-out',
  'account deposit': 'POST /operator/deposit',
  'account end-recall': 'POST /operator/end-recall',
  'account sweep': 'POST /operator/sweep',
  'account wallet': 'POST /operator/wallet-code',
  'agents add': 'POST /operator/agents/add',
  drain: 'POST /operator/drain',
  'keys create': 'POST /keys',
  'keys revoke': 'DELETE /keys/:id',
  outbid: 'POST /operator/outbid',
  pause: 'POST /operator/pause',
  rate: 'POST /operator/rate',
  resume: 'POST /operator/resume',
  session: 'POST /operator/session',
  why: 'POST /operator/find',
}

/** Returns which role an operator lacks for a command; undefined if it needs none or is allowed. */
export function findCommandLack(actor: Actor, line: string): Role | undefined {
  const isOf = (command: string) => `${line} `.startsWith(`npm run ops -- ${command} `)
  const [, route] = Object.entries(commandRoutes).find(([command]) => isOf(command)) ?? []
  return route && findLackingRole(actor, route)
}

/** Says in a sentence which role is lacking; undefined if the request is allowed. */
export function describeLack(actor: Actor, route: RouteName, action?: string): string | undefined {
  const needed = findLackingRole(actor, route, action)
  return needed && `this needs the role ${needed}: ${actor.name} has the role ${actor.role}`
}
