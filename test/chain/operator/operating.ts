import { type Address, type Hex, parseEther } from 'viem'
import type { TestChain } from '../../../scripts/dev/chain.ts'
import { deposit } from '../../../scripts/dev/relays/callers.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { createOperator } from '../../../scripts/ops/operator-client.ts'
import type { Command } from '../../../scripts/stack/command.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import type { ActionName } from '../../../src/operator/actions/list.ts'
import { operatorError } from '../../../src/operator/schemas/fields.ts'
import { auditAnswer } from '../../../src/operator/schemas/kept.ts'
import { paymentAnswer, paymentsAnswer } from '../../../src/operator/schemas/payments.ts'
import { isOpen } from '../../../src/relay/ledger/work.ts'
import { parseJson } from '../../../src/runtime/json.ts'
import {
  type Deployment,
  type DeploymentOptions,
  openDeployment,
  serveApp,
} from '../../support/deployment.ts'
import { type Ended, runHere } from '../../support/processes.ts'
import { checkDescribed } from './described.ts'

export const token = 'the-token-of-this-test'
export const authorized = { authorization: `Bearer ${token}` }

/** Gives an amount to a number's account, on a chain that mines by itself. */
export async function give(
  chain: TestChain,
  phone: string,
  amount = '1',
  secret = chain.bindings.ACCOUNT_KEY_SECRET as Hex,
): Promise<Address> {
  const { address } = await createCallerAccounts(secret)(phone as PhoneNumber)
  if (amount !== '0') await deposit(chain, [address], parseEther(amount))
  return address
}

export type Dialled = { phone: string; sessionId: string; text: string }

/** Posts what a gateway would, and gives the screen. */
export async function dial({ ask }: Deployment, { phone, sessionId, text }: Dialled) {
  const body = new URLSearchParams({ phoneNumber: phone, sessionId, text })
  return `${(await ask('/ussd', { method: 'POST', body })).body}`
}

type Given = { input?: string; env?: Record<string, string>; lost?: number }

/** Runs an operator's command to its end; `lost` of its answers get lost. */
async function operateOn(
  deployment: Pick<Deployment, 'ask'>,
  command: Command,
  args: readonly string[],
  { input = '', env = {}, lost = 0 }: Given = {},
): Promise<Ended> {
  const { url, close } = await serveApp(deployment, lost)
  const given = { input, env: { OPERATOR_TOKEN: token, ...env } }
  return await runHere(command, [...args, '--url', url], given).finally(close)
}

export type Operated = ReturnType<typeof openOperated>

/** Opens a deployment with its operator's client. */
export function openOperated(
  chain: TestChain,
  changes: Record<string, string> = {},
  options: Omit<DeploymentOptions, 'variables'> = {},
) {
  const variables = { ...chain.bindings, OPERATOR_TOKEN: token, ...changes }
  const deployment = openDeployment({ variables, ...options })
  const { ledger, round, settled } = deployment

  /** Asks the operator's interface, and compares the answer with its document. */
  const ask: Deployment['ask'] = async (path, init = {}) => {
    const answer = await deployment.ask(path, init)
    const sent = init.body ? parseJson(`${init.body}`) : undefined
    if (path.startsWith('/operator/'))
      checkDescribed(`${init.method ?? 'GET'} ${path}`, sent, answer)
    return answer
  }

  function send(path: string, sent: unknown, method = 'POST') {
    const body = sent === undefined ? null : JSON.stringify(sent)
    return ask(path, { method, headers: authorized, body })
  }

  /** Asks as the operator's commands do, without HTTP. */
  const operator = createOperator(
    async (path, schema, asked) => {
      const { status, body } = asked
        ? await send(path, asked.body, asked.method)
        : await ask(path, { headers: authorized })
      if (status !== 200) throw new Error(operatorError.parse(body).error)
      return schema.parse(body)
    },
    { origin: 'here', nodeUrl: chain.anvil.url },
  )

  return {
    ...{ ...deployment, ask, operator },
    status: operator.status,
    act: operator.act,
    metrics: async () => `${(await ask('/metrics', { headers: authorized })).body}`,
    payments: (query = '') => operator.ask(`/operator/payments${query}`, paymentsAnswer),
    payment: (intent = '') => operator.ask(`/operator/payments/${intent}`, paymentAnswer),
    audit: async () => (await operator.ask('/operator/audit', auditAnswer)).entries,
    refused: async (action: ActionName, sent?: unknown) => {
      const { status, body } = await send(`/operator/${action}`, sent)
      return { status, ...operatorError.parse(body) }
    },
    operate: (command: Command, args: readonly string[], given?: Given) =>
      operateOn({ ask }, command, args, given),
    /** Waits until nothing is open: a payment's own request may end before its block comes. */
    async allDone() {
      await settled()
      await until(async () => {
        if (!isOpen(await ledger.readWork())) return true
        await round()
        return false
      })
    },
  }
}
