import type { ShownTerms } from '../facts.ts'
import { inEach } from '../messages/texts.ts'
import { confirmedBy } from './asks.ts'
import { type MenuContext, type PaymentPart, pays } from './node.ts'

const words = inEach({
  en: {
    label: 'Request Loan',
    terms: (amount: string, fee: string, owed: string, date: string) =>
      `Loan: ${amount}\nFee: ${fee}\nTo repay: ${owed}\nUntil: ${date}`,
    agree: 'I agree',
    enterPin: 'Enter PIN to agree',
    submitted: (amount: string, _: string, tx: string) =>
      `Loan Requested\nTx: ${tx}\n${amount} credited shortly.`,
    failed: 'Loan Failed\nNothing was credited. Please dial again.',
    line: (amount: string) => `Loan of ${amount}`,
    credited: (amount: string) => `Your account was credited with your loan of ${amount}.`,
  },
  sw: {
    label: 'Omba Mkopo',
    terms: (amount, fee, owed, date) =>
      `Mkopo: ${amount}\nAda: ${fee}\nUtalipa: ${owed}\nMwisho wa kulipa: ${date}`,
    agree: 'Nakubali',
    enterPin: 'Weka PIN kukubali',
    submitted: (amount, _, tx) =>
      `Ombi la mkopo limepokelewa\nTx: ${tx}\nUtapata ${amount} hivi punde.`,
    failed: 'Mkopo umeshindikana\nHakuna pesa zilizoongezwa. Tafadhali piga tena.',
    line: (amount) => `Mkopo wa ${amount}`,
    credited: (amount) => `Akaunti yako imeongezewa mkopo wako wa ${amount}.`,
  },
  fr: {
    label: 'Emprunter',
    terms: (amount, fee, owed, date) =>
      `Prêt: ${amount}\nFrais: ${fee}\nÀ rembourser: ${owed}\nÉchéance: ${date}`,
    agree: "J'accepte",
    enterPin: 'PIN pour accepter',
    submitted: (amount, _, tx) => `Prêt demandé\nTx: ${tx}\n${amount} sera bientôt crédité.`,
    failed: "Prêt échoué\nRien n'a été crédité. Veuillez recomposer.",
    line: (amount) => `Prêt de ${amount}`,
    credited: (amount) => `Votre compte a été crédité de votre prêt de ${amount}.`,
  },
  es: {
    label: 'Pedir préstamo',
    terms: (amount, fee, owed, date) =>
      `Préstamo: ${amount}\nComisión: ${fee}\nA pagar: ${owed}\nHasta: ${date}`,
    agree: 'Acepto',
    enterPin: 'PIN para aceptar',
    submitted: (amount, _, tx) => `Préstamo solicitado\nTx: ${tx}\nPronto recibirá ${amount}.`,
    failed: 'El préstamo falló\nNo se abonó nada. Marque de nuevo.',
    line: (amount) => `Préstamo de ${amount}`,
    credited: (amount) => `Se abonó a su cuenta su préstamo de ${amount}.`,
  },
  demo: { label: 'Request Micro-Loan' },
})

const termLines = (
  { say, showAmount }: MenuContext,
  { principalWei, feeWei, dueAt }: ShownTerms,
) => {
  const [amount, fee] = [showAmount(principalWei), showAmount(feeWei)]
  return words(say)
    .terms(amount, fee, showAmount(principalWei + feeWei), say.date(dueAt))
    .split('\n')
}

export const loan = {
  words,
  digit: '3',
  leads: ({ confirms }) => (confirms ? 'agree' : pays('loan')),
  places: ({ pin }) => ({
    agree: confirmedBy(pin, (say) => words(say).enterPin, {
      leadsToPay: 'loan',
      facts: ['terms'],
      kind: 'list',
      title: (context, _, { terms }) => termLines(context, terms).join('\n'),
      // After a wrong PIN there is no room for the fee, which is the difference of both amounts.
      again: (context, _, { terms }) => termLines(context, terms).toSpliced(1, 1).join('\n'),
      entries: [{ digit: '1', label: (say) => words(say).agree, leads: pays('loan') }],
      back: 'main',
    }),
  }),
  async order({ loan, terms: read }) {
    const terms = await read()
    const { principalWei } = terms
    return {
      call: { kind: 'loan', ...terms },
      spendsWei: 0n,
      shared: { poolWei: principalWei, capWei: principalWei, lendable: () => loan.lendable() },
      amountWei: principalWei,
      to: '',
    }
  },
} satisfies PaymentPart
