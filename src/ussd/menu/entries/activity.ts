import { type Address, isAddressEqual } from 'viem'
import { type AccountMemory, findRecipientName } from '../../../account/memory.ts'
import { decodeCall, parseRefusalReason, refusalWordings } from '../../../loan/calls.ts'
import { formatAgreed, formatLocal, type LocalMoney, type Rate } from '../../../loan/local-worth.ts'
import type { Received } from '../../../loan/reader.ts'
import type { WholeLedger } from '../../../operator/kept/steps.ts'
import type { PaymentRecord } from '../../../operator/kept/takings.ts'
import type { Withdrawal } from '../../../operator/kept/tills.ts'
import { toReceiptNumber } from '../../../relay/forwarder/requests.ts'
import type { Answer } from '../../../relay/ledger/steps.ts'
import { getProgress } from '../../../relay/progress.ts'
import type { Messages } from '../../messages/en.ts'
import { defineWords, shortenAddress, writeTime } from '../../messages/texts.ts'
import type {
  Activity,
  ActivityState,
  ScreenFacts,
  TillDay,
  TillPayment,
} from '../../screen-facts.ts'
import { createWorthFormats } from '../../screens/amount-formats.ts'
import {
  type MenuContext,
  type MenuPart,
  type PaymentWords,
  requireAnswer,
  type WriteText,
} from '../node.ts'
import { payments } from '../payments.ts'
import { createPinQuestion, listRateFacts } from '../questions.ts'
import { hasRecalls, recallEntry, recallFacts } from '../recall.ts'
import { codeEntry, codeWords, createCodeNodes } from './code.ts'

type Payment = Answer<'listPayments'>[number] & {
  /** Tells of a withdrawal whether its agent said that the cash was paid out. */
  isCashGiven?: boolean
}

const words = defineWords({
  en: {
    label: 'My Activity',
    tillNote: 'your till',
    nothing: 'Nothing yet.',
    noOlder: 'Older ones are not listed.',
    receivedUnknown: 'What you received cannot be shown now.',
    allOwed: 'all that was owed',
    activityLine: (amount: string, from: string) => `Received ${amount} from ${from}`,
    creditedMessage: (amount: string, from: string, code?: string) =>
      `You received ${amount} from ${from}. ${code === undefined ? 'Your account was credited.' : `Dial ${code} to use it.`}`,
    arriving: 'arriving',
    heldUntil: (time: string) => `held until ${time}`,
    kept: 'kept by receiver',
    done: 'done',
    given: 'cash given',
    due: 'cash not given yet',
    failed: 'FAILED',
    float: (float: string) => `Float: ${float}`,
    day: (inflow: string, cash: string, outflow: string) =>
      `Received today: ${inflow}\nOf it paid out: ${cash}\nSent today: ${outflow}`,
    reasons: { ...refusalWordings, unknown: 'not possible', too_late: 'too late' },
  },
  sw: {
    label: 'Miamala Yangu',
    tillNote: 'till yako',
    nothing: 'Hakuna bado.',
    noOlder: 'Za zamani hazionyeshwi.',
    receivedUnknown: 'Ulizopokea haziwezi kuonyeshwa sasa.',
    allOwed: 'deni lote',
    activityLine: (amount, from) => `Ulipokea ${amount} kutoka ${from}`,
    creditedMessage: (amount, from, code) =>
      `Umepokea ${amount} kutoka ${from}. ${code === undefined ? 'Akaunti yako imeongezewa.' : `Piga ${code} kuzitumia.`}`,
    arriving: 'njiani',
    heldUntil: (time) => `zimezuiwa hadi ${time}`,
    kept: 'mpokeaji amebaki nazo',
    done: 'imekamilika',
    given: 'umepewa pesa',
    due: 'bado hujapewa pesa',
    failed: 'IMESHINDIKANA',
    float: (float) => `Salio: ${float}`,
    day: (inflow, cash, outflow) =>
      `Ulipokea leo: ${inflow}\nUlizolipa taslimu: ${cash}\nUlituma leo: ${outflow}`,
    reasons: {
      balance_too_low: 'salio halitoshi',
      existing_loan: 'una mkopo tayari',
      no_loan: 'huna mkopo',
      repayment_too_large: 'zaidi ya deni',
      no_liquidity: 'hakuna pesa za mkopo',
      not_listed: 'mikopo haijafunguliwa kwako',
      loan_limit: 'mikopo mingi mno',
      terms_changed: 'masharti ya mkopo yamebadilika',
      invalid_recipient: 'mpokeaji haruhusiwi',
      token_refused: 'mtoaji wa pesa amekataa',
      paused: 'huduma imesimamishwa',
      withdrawal_limit: 'kikomo cha kutoa kimefikiwa',
      nothing_there: 'hakuna pesa',
      unknown: 'haikuwezekana',
      too_late: 'muda umepita',
    },
  },
  fr: {
    label: 'Historique',
    tillNote: 'votre caisse',
    nothing: "Rien pour l'instant.",
    noOlder: 'Les plus anciens ne sont pas listés.',
    receivedUnknown: 'Ce que vous avez reçu ne peut pas être affiché maintenant.',
    allOwed: 'toute la dette',
    activityLine: (amount, from) => `Reçu ${amount} de ${from}`,
    creditedMessage: (amount, from, code) =>
      `Vous avez reçu ${amount} de ${from}. ${code === undefined ? 'Votre compte a été crédité.' : `Composez ${code} pour vous en servir.`}`,
    arriving: 'en cours',
    heldUntil: (time) => `retenu jusqu'à ${time}`,
    kept: 'gardé par le destinataire',
    done: 'terminé',
    given: 'argent remis',
    due: 'argent pas encore remis',
    failed: 'ÉCHOUÉ',
    float: (float) => `Solde: ${float}`,
    day: (inflow, cash, outflow) =>
      `Reçu ce jour: ${inflow}\nDont payé en espèces: ${cash}\nEnvoyé ce jour: ${outflow}`,
    reasons: {
      balance_too_low: 'solde insuffisant',
      existing_loan: 'prêt déjà en cours',
      no_loan: 'aucun prêt à rembourser',
      repayment_too_large: 'plus que la dette',
      no_liquidity: 'pas de fonds à prêter',
      not_listed: 'numéro sans accès aux prêts',
      loan_limit: 'trop de prêts',
      terms_changed: 'conditions du prêt modifiées',
      invalid_recipient: 'destinataire refusé',
      token_refused: "refusé par l'émetteur",
      paused: 'service suspendu',
      withdrawal_limit: 'limite des retraits atteinte',
      nothing_there: 'rien à envoyer',
      unknown: 'impossible',
      too_late: 'trop tard',
    },
  },
  es: {
    label: 'Movimientos',
    tillNote: 'su caja',
    nothing: 'Nada todavía.',
    noOlder: 'No se muestran más antiguos.',
    receivedUnknown: 'Lo que recibió no se puede mostrar ahora.',
    allOwed: 'toda la deuda',
    activityLine: (amount, from) => `Recibió ${amount} de ${from}`,
    creditedMessage: (amount, from, code) =>
      `Recibió ${amount} de ${from}. ${code === undefined ? 'Se abonó a su cuenta.' : `Marque ${code} para usarlo.`}`,
    arriving: 'en camino',
    heldUntil: (time) => `retenido hasta ${time}`,
    kept: 'se lo quedó quien lo recibió',
    done: 'hecho',
    given: 'dinero entregado',
    due: 'dinero aún no entregado',
    failed: 'FALLÓ',
    float: (float) => `Saldo: ${float}`,
    day: (inflow, cash, outflow) =>
      `Recibió hoy: ${inflow}\nDe ello, pagó en efectivo: ${cash}\nEnvió hoy: ${outflow}`,
    reasons: {
      balance_too_low: 'saldo insuficiente',
      existing_loan: 'ya tiene un préstamo',
      no_loan: 'no tiene préstamo',
      repayment_too_large: 'más de lo que debe',
      no_liquidity: 'no hay fondos para prestar',
      not_listed: 'número sin acceso a préstamos',
      loan_limit: 'demasiados préstamos',
      terms_changed: 'condiciones del préstamo cambiadas',
      invalid_recipient: 'destinatario no permitido',
      token_refused: 'rechazado por el emisor',
      paused: 'servicio en pausa',
      withdrawal_limit: 'límite de retiros alcanzado',
      nothing_there: 'no hay nada',
      unknown: 'no fue posible',
      too_late: 'demasiado tarde',
    },
  },
})

export const activity = {
  words,
  digit: '5',
  findTarget({ profile, pin }) {
    if (profile === 'demo') return undefined
    return pin === 'strict' ? 'pinToSeeActivity' : 'activity'
  },
  note: ({ messages }, { till }) => (till === 'own' ? words(messages).tillNote : undefined),
  facts: ['till'],
  createNodes: (settings) => ({
    activity: {
      facts: ['activity', ...listRateFacts(settings), ...(hasRecalls(settings) ? recallFacts : [])],
      kind: 'list',
      title: (context, _, facts) =>
        [words(context.messages).label, ...writeActivity(context, facts)].join('\n'),
      // The look-up of a code stays on the first page, however many payments follow.
      entries: [
        ...(settings.agents ? [codeEntry] : []),
        ...(hasRecalls(settings) ? [recallEntry] : []),
      ],
      entriesFirst: true,
      back: 'main',
    },
    ...(settings.agents && createCodeNodes(settings, writeWithdrawalTitle)),
    pinToSeeActivity: createPinQuestion({ target: 'activity' }),
  }),
} satisfies MenuPart

export const maxListedPayments = 12

/** Describes an account's own payments with their outcomes, the newest first. */
export const describePayments = (
  ownPayments: readonly Payment[],
  memory: AccountMemory,
  chainId: number,
  heldFor: Awaited<ReturnType<WholeLedger['listHeldFor']>> = [],
) =>
  ownPayments.flatMap((payment) => {
    const described = describePayment(payment, memory, chainId)
    const held = heldFor.find(({ intentId }) => intentId === payment.order.request.intentId)
    if (described === undefined) return []
    if (held === undefined || described.state.kind === 'failed') return described
    const { until } = held
    const state = until === undefined ? { kind: 'kept' as const } : { kind: 'held' as const, until }
    return { ...described, state }
  })

/** Returns undefined if this version does not know the payment's call. */
function describePayment(
  payment: Payment,
  memory: AccountMemory,
  chainId: number,
): Activity | undefined {
  const { request, kind, agreed } = payment.order
  const call = decodeCall(request.data)
  if (call === undefined) return undefined
  const state = toActivityState(payment)
  const amountWei = call.kind === 'loan' ? call.principalWei : call.amountWei
  const receipt = toReceiptNumber(request.intentId)
  const at = payment.acceptedAt
  if (!('to' in call)) return { kind, amountWei, agreed, state, receipt, at }
  const name = findRecipientName(memory, request.intentId, call.to)
  const counterparty = name ?? shortenAddress(call.to, chainId)
  return { kind, amountWei, agreed, counterparty, state, receipt, at }
}

/** Holds what tells whether a transfer in a block is final. */
export type Finality = {
  /** Lists the ledger's payments to the account. */
  payments: readonly PaymentRecord[]
  confirmations: number
}

/** Describes received transfers, and payments to come, by their senders' numbers where known. */
export function describeReceived(
  events: readonly Received[],
  finality: Finality,
  senders: ReadonlyMap<string, string>,
  chainId: number,
): Activity[] {
  const matched = matchReceived(events, finality)
  const seen = new Set(matched.flatMap(({ payments }) => payments))
  const coming = finality.payments
    .filter((each) => isOpen(each) && each.kind === 'transfer' && each.outcome === null)
    .filter((each) => !seen.has(each))
    .map((each) => {
      const event = { from: each.account as Address, amountWei: BigInt(each.spendsWei) }
      return { event, payments: [each], progress: 'arriving' as const }
    })
  return [...coming, ...matched].map(({ event: { from, amountWei }, payments, progress }) => {
    const [first, ...others] = payments
    const texts = new Set(payments.map(({ agreed }) => agreed && formatLocal(agreed)))
    return {
      kind: 'received',
      amountWei,
      agreed: texts.size === 1 ? first?.agreed : undefined,
      counterparty: senders.get(from.toLowerCase()) ?? shortenAddress(from, chainId),
      state: { kind: progress },
      receipt: first && others.length === 0 ? toReceiptNumber(first.intentId) : undefined,
      // What is no payment of the ledger has no time, but is new while it arrives.
      at: first?.acceptedAt ?? (progress === 'arriving' ? Number.MAX_SAFE_INTEGER : undefined),
    }
  })
}

/** Finds the ledger's payments that a received transfer may be: in its transaction, or waiting. */
function findReceived(
  { from, amountWei, hash }: Received,
  payments: Finality['payments'],
): PaymentRecord[] {
  const equal = payments.filter(
    (each) => isAddressEqual(each.account as Address, from) && each.spendsWei === `${amountWei}`,
  )
  const mined = equal.filter((each) => each.hash === hash)
  if (mined.length > 0) return mined
  // Where no round has seen the block yet, its payment has no hash, or that of other bytes. One
  // that is mined again still has the outcome of its first block.
  return equal.filter(({ outcome, state, assuredAt }) =>
    outcome === null ? state !== 'expired' : state === 'mined' && (assuredAt ?? null) !== null,
  )
}

/**
 * Finds which payments each received transfer may be, and its progress: the ledger's word for its
 * payment. Only a transfer that is no payment of the ledger is judged by its depth. Of equal ones
 * that may be the same payments, so many arrive as these payments do, the newest first.
 */
export function matchReceived(
  events: readonly Received[],
  { payments, confirmations }: Finality,
): { event: Received; payments: PaymentRecord[]; progress: 'arriving' | 'done' }[] {
  const found = events.map((event) => findReceived(event, payments))
  return events.map((event, index) => {
    const own = found[index] ?? []
    const isDeep = event.depth >= confirmations
    if (own.length === 0) return { event, payments: [], progress: isDeep ? 'done' : 'arriving' }
    const isEqual = (other: PaymentRecord[]) => other.length === own.length && other[0] === own[0]
    const [open, done] = [own.filter(isOpen), own.filter((each) => !isOpen(each))]
    const newer = found.slice(0, index).filter(isEqual).length
    const hasAll = found.filter(isEqual).length === own.length
    return {
      event,
      payments: hasAll ? [...open, ...done].slice(newer, newer + 1) : own,
      // One more than the ledger knows of is judged by its depth.
      progress: newer < open.length || (newer >= own.length && !isDeep) ? 'arriving' : 'done',
    }
  })
}

const isOpen = (payment: PaymentRecord): boolean => getProgress(payment) === 'arriving'

export const hasFailed = (payment: Payment): boolean => toActivityState(payment).kind === 'failed'

function toActivityState(payment: Payment): ActivityState {
  const kind = getProgress(payment)
  if (kind === 'failed') return { kind, reason: payment.reason }
  const { isCashGiven } = payment
  if (kind === 'arriving' || isCashGiven === undefined) return { kind }
  return { kind: isCashGiven ? 'given' : 'due' }
}

type FormatAmount = (wei: bigint) => string

function writeActivity(context: MenuContext, facts: ScreenFacts): string[] {
  const { messages, showAmount: formatAmount } = context
  const text = words(messages)
  if (facts.activity === 'unavailable') return [messages.unread]
  const { ownPayments, received, till } = facts.activity
  const tillLines = till === undefined ? [] : writeTillDay(context, till, facts.rate)
  const activities = received === 'unavailable' ? ownPayments : [...ownPayments, ...received]
  const newestFirst = activities.toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0))
  const lines = [
    ...tillLines,
    ...newestFirst.map((each) => writeActivityLine(messages, each, formatAmount)),
    ...(received === 'unavailable' ? [text.receivedUnknown] : []),
    ...(ownPayments.length < maxListedPayments ? [] : [text.noOlder]),
  ]
  return lines.length === 0 ? [text.nothing] : lines
}

/** Writes a till's float, its last payments and the totals of the day. */
function writeTillDay(context: MenuContext, till: TillDay, rate: Rate | 'none' = 'none'): string[] {
  const { messages, showAmount: formatAmount } = context
  const { inWei, cashWei, outWei, inLocal, cashLocal, outLocal, floatWei, lastPayments } = till
  const lines = lastPayments.map((payment) => {
    const { agreed, amountWei } = payment
    return writeTillLine(messages, payment, agreed ? formatLocal(agreed) : formatAmount(amountWei))
  })
  const { show } = createWorthFormats(context, rate)
  // What was taken keeps what was agreed: today's rate says nothing about it.
  const formatSum = (wei: bigint, agreed: LocalMoney | undefined) =>
    wei === 0n ? show(wei) : formatAgreed(agreed, formatAmount(wei))
  const { day, float } = words(messages)
  const totals = day(
    formatSum(inWei, inLocal),
    formatSum(cashWei, cashLocal),
    formatSum(outWei, outLocal),
  )
  return [float(show(floatWei)), ...lines, ...totals.split('\n')]
}

function writeTillLine(
  messages: Messages,
  payment: Pick<TillPayment, 'code' | 'reference' | 'state' | 'assuredAt' | 'isCash' | 'paidOut'>,
  amount: string,
): string {
  const { code, reference, isCash, paidOut } = payment
  const text = [code, amount, reference].filter(Boolean).join(' ')
  const { due, paid } = codeWords(messages)
  // What was handed out is so, whatever becomes of its block.
  if (paidOut !== undefined) return `${text}: ${paid}`
  const progress = getProgress(payment)
  return `${text}: ${isCash && progress === 'done' ? due : words(messages)[progress]}`
}

const writeWithdrawalTitle: WriteText = (context, draft, { withdrawal }) =>
  withdrawal === 'unavailable'
    ? context.messages.unread
    : writeWithdrawal(context, requireAnswer(draft.withdrawal).code, withdrawal)

/** Writes a withdrawal as the agent's list does, and when it was paid out. */
export function writeWithdrawal(
  { messages, showAmount }: { messages: Messages; showAmount: FormatAmount },
  code: string,
  { amountWei, agreed, ...withdrawal }: Withdrawal,
): string {
  const { paidOut } = withdrawal
  const payment = { ...withdrawal, code, reference: undefined }
  const line = writeTillLine(messages, payment, formatAgreed(agreed, showAmount(amountWei)))
  if (paidOut === undefined) return line
  return `${line}\n${codeWords(messages).paidOutAt(writeTime(messages, paidOut.at))}`
}

/** Writes one line about a payment: what it was, and what became of it. */
export function writeActivityLine(
  messages: Messages,
  payment: Activity,
  formatAmount: FormatAmount,
): string {
  const { kind, amountWei, agreed, counterparty = '', state, receipt, at = 0 } = payment
  const text = words(messages)
  const whole = kind === 'deposit' ? 'all' : text.allOwed
  const amount = amountWei === 'all' ? whole : formatAgreed(agreed, formatAmount(amountWei))
  const { activityLine } = getKindWords(messages, kind)
  const line = `${activityLine(amount, counterparty)}: ${writeState(messages, state)}`
  if (receipt === undefined) return line
  return `${line} (${receipt}, ${messages.date(at / 1_000).replace(/ \d+$/, '')})`
}

export const getKindWords = (
  messages: Messages,
  kind: Activity['kind'],
): Pick<PaymentWords, 'activityLine' | 'creditedMessage'> =>
  kind === 'received' ? words(messages) : payments[kind].words(messages)

function writeState(messages: Messages, state: ActivityState): string {
  const text = words(messages)
  if (state.kind === 'held') return text.heldUntil(writeTime(messages, state.until))
  if (state.kind !== 'failed') return text[state.kind]
  const reason = state.reason === '' ? 'too_late' : parseRefusalReason(state.reason)
  return `${text.failed}, ${text.reasons[reason]}`
}
