import type * as z from 'zod/mini'
import type { DeclaredAction } from './action.ts'
import { addAgent, listAgents, removeAgent } from './agents.ts'
import { keepAccounts } from './alias.ts'
import { importPage, setLedgerBack } from './backup.ts'
import {
  changePinState,
  depositFor,
  endRecallFor,
  holdAccount,
  lookUpCaller,
  traceCallerSession,
  verifyName,
} from './caller.ts'
import { findByText } from './find.ts'
import { cashOutFor, sweepFor } from './orders.ts'
import { erasePerson, exportPerson } from './person.ts'
import {
  acceptPrice,
  drainIntake,
  outbidNonce,
  pauseIntake,
  postTestAlert,
  resumeIntake,
} from './relay.ts'
import { changeWallets, issueWalletCode } from './wallets.ts'

export const actions = {
  pause: pauseIntake,
  resume: resumeIntake,
  drain: drainIntake,
  outbid: outbidNonce,
  rate: acceptPrice,
  alias: keepAccounts,
  'test-alert': postTestAlert,
  agents: listAgents,
  'agents/add': addAgent,
  'agents/remove': removeAgent,
  lookup: lookUpCaller,
  find: findByText,
  session: traceCallerSession,
  hold: holdAccount,
  'end-recall': endRecallFor,
  deposit: depositFor,
  sweep: sweepFor,
  pin: changePinState,
  name: verifyName,
  wallet: changeWallets,
  'wallet-code': issueWalletCode,
  'cash-out': cashOutFor,
  'person/export': exportPerson,
  'person/erase': erasePerson,
  import: importPage,
  'set-back': setLedgerBack,
} satisfies Record<string, DeclaredAction>

export type ActionName = keyof typeof actions
export type ActionRequest<Name extends ActionName> = z.output<(typeof actions)[Name]['request']>
export type ActionAnswer<Name extends ActionName> = z.output<(typeof actions)[Name]['answer']>
