import type * as z from 'zod/mini'
import type { DeclaredAction } from './action.ts'
import * as agents from './agents.ts'
import { keepAccounts } from './alias.ts'
import * as backup from './backup.ts'
import * as caller from './caller.ts'
import { findByText } from './find.ts'
import * as orders from './orders.ts'
import * as person from './person.ts'
import * as relay from './relay.ts'
import * as wallets from './wallets.ts'

export const actions = {
  pause: relay.pauseIntake,
  resume: relay.resumeIntake,
  drain: relay.drainIntake,
  outbid: relay.outbidNonce,
  rate: relay.acceptPrice,
  alias: keepAccounts,
  'test-alert': relay.postTestAlert,
  agents: agents.listAgents,
  'agents/add': agents.addAgent,
  'agents/remove': agents.removeAgent,
  lookup: caller.lookUpCaller,
  find: findByText,
  session: caller.traceCallerSession,
  hold: caller.holdAccount,
  'end-recall': caller.endRecallFor,
  deposit: caller.depositFor,
  sweep: orders.sweepFor,
  pin: caller.changePinState,
  name: caller.verifyName,
  wallet: wallets.changeWallets,
  'wallet-code': wallets.issueWalletCode,
  'cash-out': orders.cashOutFor,
  'person/export': person.exportPerson,
  'person/erase': person.erasePerson,
  import: backup.importPage,
  'set-back': backup.setLedgerBack,
} satisfies Record<string, DeclaredAction>

export type ActionName = keyof typeof actions
export type ActionRequest<Name extends ActionName> = z.output<(typeof actions)[Name]['request']>
export type ActionAnswer<Name extends ActionName> = z.output<(typeof actions)[Name]['answer']>
