import type { Address, LocalAccount } from 'viem'
import type { CallerAccounts } from '../account/caller-accounts.ts'
import type { Memory } from '../account/memory.ts'
import type { Names } from '../account/names.ts'
import type { Pins } from '../account/pin.ts'
import type { IntentKeys, Seal, SessionKeys } from '../account/secrets.ts'
import type { Unit } from '../loan/amounts.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { WholeLedger } from '../operator/kept/steps.ts'
import type { DepositClaim } from '../relay/claim-deposit.ts'
import type { Forwarder } from '../relay/forwarder/requests.ts'
import type { Answer } from '../relay/ledger/steps.ts'
import type { AccountLimits } from '../relay/pay/admission.ts'
import type { EndSession } from '../relay/pay/answers.ts'
import type { Pay } from '../relay/pay/delivery.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { MayDial } from './dial-limiter.ts'
import type { Menu, MenuSettings } from './menu/node.ts'
import type { AmountFormats } from './screens/amount-formats.ts'
import type { SmsSeals } from './sms.ts'

/** Holds what answers to all deliveries share, once a process. */
export type Services = AmountFormats & {
  chainId: number
  unit: Unit
  forwarder: Forwarder
  loanAddress: Address
  loan: LoanReader
  /** Reads what an account has and owes. @throws {Error} no node tells */
  readHoldings: (account: Address) => ReturnType<LoanReader['readHoldings']>
  settings: MenuSettings
  menu: Menu
  limits: AccountLimits
  minTransferWei: bigint
  /** Counts the blocks down to one whose outcomes are final. */
  confirmations: number
  accounts: CallerAccounts
  keys: SessionKeys
  intentKeys: IntentKeys
  identity: () => Promise<Answer<'identify'>>
  ledger: WholeLedger
  memory: Memory
  names: Names
  /** Is undefined if no PIN is asked for. */
  pins: Pins | undefined
  pay: Pay
  endSession: EndSession
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  mayDial: MayDial
  /** Reads the price of one unit in local money; undefined if none is fresh. */
  readRate: () => Promise<Rate | undefined>
  smsSeals?: SmsSeals | undefined
  /** Encrypts the sender's short number for the account that receives the money. */
  senderSeal: Seal
  /** Encrypts the stored answers of a session, for gateways that send only the last answer. */
  textSeal: Seal
  /** Keeps work alive after the reply. */
  waitUntil: (work: Promise<unknown>) => void
  now: Clock['now']
  sleep: Clock['sleep']
  log: Log
}
