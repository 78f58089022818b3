import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const friend = '+254700000001'
const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const open = (product: Parameters<typeof openModelledRelay>[0]['product'] = menus.lender) =>
  openModelledRelay({ callers: 3, poolLoans: 9, capLoans: 9, product })

describe('the language of screens', () => {
  test('is chosen among the settings, and is that of all screens from then on', async () => {
    const { deliver, settle } = open()
    expect(await deliver(0, 's', '8')).toBe('CON Settings\n1. Language\n0. Back')
    expect(await deliver(0, 's', '8*1')).toBe(
      'CON Language\n1. English\n2. Kiswahili\n3. Francais\n4. Español\n0. Back',
    )
    expect(await deliver(0, 's', '8*1*2')).toBe(
      'END Lugha yako sasa ni Kiswahili. Tafadhali piga tena.',
    )
    expect(await deliver(0, 'menu', '')).toMatch(/\n1\. Salio Langu\n2\. Tuma Pesa\n/)
    expect(await deliver(0, 'send', `2*${friend}*0.001*1`)).toMatch(
      /^END Ombi la kutuma limepokelewa\nKwa: 2547\.\.\.001\nTx: 0x/,
    )
    await settle()
    expect(await deliver(0, 'seen', '5')).toMatch(/\nUlituma 0\.001 tRBTC kwa .+: imekamilika\n/)
    expect(await deliver(1, 'menu', '')).toMatch(/\n1\. My Balance\n/)
  })

  test('is that of refusals and of the ends of sessions', async () => {
    const { deliver, settle, fail } = open()
    await deliver(0, 's', '8*1*3')
    expect(await deliver(0, 'much', `2*${friend}*0.9*1`)).toBe(
      "END Votre solde est insuffisant: 0.02 tRBTC. Rien n'a été envoyé. Recomposez pour envoyer moins.",
    )
    expect(await deliver(0, 'much', `2*${friend}*0.9*1*2`)).toBe(
      "END Cette session est terminée. Rien n'a été envoyé. Veuillez recomposer.",
    )
    expect(await deliver(0, 'wrong', '42*42*42')).toMatch(/^END Trop de réponses erronées\./)
    await deliver(0, 'sent', `2*${friend}*0.001*1`)
    await fail('Recipient not allowed')
    expect(await deliver(0, 'sent', `2*${friend}*0.001*1`)).toMatch(/^END Envoi échoué\n/)
    expect(await deliver(0, 'menu', '')).toMatch(/^CON Un paiement a échoué: voir 5\n/)
    expect(await deliver(0, 'seen', '5')).toMatch(/: ÉCHOUÉ, destinataire refusé\n/)
    await settle()
  })

  test('is not taken back by what a session of before delivers again', async () => {
    const { deliver } = open()
    await deliver(0, 'first', '8*1*2')
    await deliver(0, 'second', '8*1*4')
    expect(await deliver(0, 'first', '8*1*2')).toMatch(/^END Lugha yako/)
    expect(await deliver(0, 'menu', '')).toMatch(/\n1\. Mi saldo\n/)
  })

  test('changes nothing of what digits lead to', async () => {
    const { deliver, settle, balance } = open()
    // A list of one page in one language may have two in another: it is turned in any.
    const turned = `2*${stranger}*0.001*98*98*98`
    expect(await deliver(0, 'english', turned)).toMatch(/^CON Send 0\.001 tRBTC\n/)
    expect(await deliver(0, 'english', `${turned}*1`)).toMatch(/^END Transfer Submitted\n/)
    await settle()
    await deliver(0, 's', '8*1*4')
    const other = turned.replace('0.001', '0.002')
    expect(await deliver(0, 'spanish', other)).toMatch(/^CON (Enviar 0\.002|1\. Abonar)/)
    expect(await deliver(0, 'spanish', `${other}*1`)).toMatch(/^END Envio solicitado\n/)
    await settle()
    expect(await balance(0)).toBe('END Su saldo: 0.017 tRBTC')
  })

  test('is the first that is offered, where none of those was chosen', async () => {
    const settings = { ...menus.lender.settings, languages: ['sw', 'es'] as const }
    const { deliver } = open({ settings, say: messagesIn.sw })
    expect(await deliver(0, 'menu', '')).toMatch(/\n8\. Mipangilio\n9\. Msaada$/)
    expect(await deliver(0, 's', '8*1')).toBe('CON Lugha\n2. Kiswahili\n4. Español\n0. Rudi')
    expect(await deliver(0, 's', '8*1*1')).toMatch(/^CON Tafadhali chagua kwenye orodha\.\n/)
    await deliver(0, 's2', '8*1*4')
    expect(await deliver(0, 'balance', '1')).toBe('END Su saldo: 0.02 tRBTC')
  })

  test('is no choice where one is offered', async () => {
    const settings = { ...menus.lender.settings, languages: ['fr'] as const }
    const { deliver } = open({ settings, say: messagesIn.fr })
    expect(await deliver(0, 's', '8')).toMatch(/^CON Veuillez choisir dans la liste\.\n/)
    expect(await deliver(0, 'balance', '1')).toBe('END Votre solde: 0.02 tRBTC')
  })
})
