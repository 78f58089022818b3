import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { selectMessages } from '../../../src/ussd/messages/languages.ts'
import { writeTime } from '../../../src/ussd/messages/texts.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { friend, openWorld, plays, stranger } from './world.ts'

const offering = (...languages: ('fr' | 'sw' | 'es')[]) => ({ ...menus.lender.settings, languages })

const own = '482615'
const dayMs = 24 * 60 * 60 * 1_000
const withPin = { ...menus.agents, settings: { ...menus.agents.settings, agents: false } }
const asked = 'Rootstock DeFi|Language / Lugha / Langue / Idioma|1. English|2. Kiswahili|…'

test('times and dates are told in the time zone of the service', () => {
  const at = Date.UTC(2026, 11, 31, 21, 5)
  const tell = (timeZone?: string) => {
    const say = selectMessages({ languages: ['sw'], timeZone }, 'sw')
    return [writeTime(say, at), say.date(at / 1_000)]
  }
  expect(tell()).toEqual(['21:05 UTC, 31 Des 2026', '31 Des 2026'])
  expect(tell('Africa/Nairobi')).toEqual(['00:05, 1 Jan 2027', '1 Jan 2027'])
})

describe('a new caller', () => {
  const open = () => openWorld({ product: withPin })

  plays('chooses the language first, and then a PIN in it', open)`
      s: -> CON ${asked}
      s: 5 -> CON Please choose from the list.…|${asked}
      s: 5*3 -> CON Choisissez un code PIN…
      s: 5*3*12 -> CON Un code PIN a 4 à 6 chiffres.…
      s: 5*3*12*00 -> CON ${asked}
      s: 5*3*12*00*2 -> CON Chagua PIN ya…
      s: 5*3*12*00*2*${own} -> CON Andika PIN ile ile tena.|0. Rudi
      s: 5*3*12*00*2*${own}*0*${own}*${own} -> CON PIN yako imewekwa.|1. Salio Langu|…
      s: 5*3*12*00*2*${own}*0*${own}*${own} -> same
      # What is delivered late is in the language that it was in.
      s: 5 -> same
      s: 5*3*12 -> same
      s: 5*3*12*00*2*${own}*0*${own}*${own}*8*1*4 -> END Su idioma ahora es el español.…
      spoken: -> …|1. Mi saldo|…
      back: 8*1*2
      s: 5*3*12 -> …
      menu: -> …|1. Salio Langu|…
      w: 2*${friend}*0.001*1357 -> CON PIN si sahihi. Yamebaki majaribio 2. Umesahau? Andika 00, kisha 8.|…
      w: 2*${friend}*0.001*1357*1358 -> CON PIN si sahihi. Limebaki jaribio 1. Umesahau? Andika 00, kisha 8.|…
      w: 2*${friend}*0.001*1357*1358*${own} -> END Ombi la kutuma…
      forgotten: 8*3*1
      1 days
      again: -> CON Chagua PIN ya…`

  test('reads dates of the time zone in the first session too', async () => {
    const clock = createHandClock()
    // It is the next day already in Kiribati.
    clock.forward(dayMs - ((clock.now() + dayMs / 2) % dayMs))
    const settings = { ...withPin.settings, timeZone: 'Pacific/Kiritimati' }
    const { deliver } = openWorld({ clock, product: { ...withPin, settings } })
    for (const typed of ['', '2', `2*${own}`, `2*${own}*${own}`]) await deliver(0, 's', typed)
    const first = await deliver(0, 's', `2*${own}*${own}*3`)
    expect(first).toMatch(/\n.* 20\d\d\n/)
    expect(first).toBe(await deliver(0, 'next', '3'))
  })

  plays('is asked again for what was not completed', open)`
      s: 2*${own} -> CON ${asked}
      s: 2*${own}*4*12*12*12 -> END Demasiadas respuestas erroneas.…
      next: -> CON ${asked}`

  plays('gets what was dialled after the PIN, in that language', open)`
      s: 1 -> CON ${asked}
      s: 1*3*${own}*${own} -> END Votre solde: 0.02 tRBTC
      s: 1*3*${own}*${own} -> same
      menu: -> …|1. Mon solde|…`
})

describe('the language of screens', () => {
  plays('is chosen in the settings, and applies to all screens from then on')`
      s: 8 -> CON Settings|1. Language|4. Changed wallets|0. Back
      s: 8*1 -> CON Language|1. English|2. Kiswahili|3. Francais|4. Español|0. Back
      s: 8*1*2 -> END Lugha yako sasa ni Kiswahili. Tafadhali piga tena.
      menu: -> …|1. Salio Langu|2. Tuma Pesa|…
      send: 2*${friend}*0.001*1 -> END Ombi la kutuma limepokelewa|0.001 tRBTC|Kwa: 2547...001|Kumb: <receipt>|Pesa zitafika hivi punde.|Ada: hakuna|Salio baadaye: takriban 0.019 tRBTC
      settle
      seen: 5 -> …|Ulituma 0.001 tRBTC kwa 2547...001: imekamilika|…
      menu@1: -> …|1. My Balance|…`

  plays('applies to refusals and to the ends of sessions')`
      s: 8*1*3
      some: 2*${friend}*0.002*1
      much: 2*${friend}*0.9*1 -> END Votre solde est insuffisant: 0.018 tRBTC. Rien n'a été envoyé. Recomposez pour envoyer moins.
      much: 2*${friend}*0.9*1*2 -> END Cette session est terminée. Rien n'a été envoyé. Veuillez recomposer.
      settle
      wrong: 42*42*42 -> END Trop de réponses erronées.…
      sent: 2*${friend}*0.001*1
      fail Recipient not allowed
      sent: 2*${friend}*0.001*1 -> END Envoyer: ÉCHOUÉ|…
      menu: -> CON Un paiement a échoué: voir 5|…
      seen: 5 -> …: ÉCHOUÉ, destinataire refusé|…`

  plays('is not changed back by a redelivery of an earlier session')`
      first: 8*1*2
      second: 8*1*4
      first: 8*1*2 -> END Lugha yako…
      menu: -> …|1. Mi saldo|…`

  plays('does not change where digits lead')`
      # A list of one page in one language may have two in another: it is turned in any.
      english: 2*${stranger}*0.001*98*98*98 -> CON Send 0.001 tRBTC|…
      english: 2*${stranger}*0.001*98*98*98*1 -> END Transfer Submitted|…
      settle
      s: 8*1*4
      spanish: 2*${stranger}*0.002*98*98*98 -> CON Enviar 0.002 tRBTC|…
      spanish: 2*${stranger}*0.002*98*98*98*1 -> END Envio solicitado|…
      settle
      balance: 1 -> END Su saldo: 0.017 tRBTC`

  plays('is the first offered one until the caller chooses another', () =>
    openWorld({ product: { settings: offering('sw', 'es') } }),
  )`
      menu: -> …|8. Mipangilio|…
      s: 8*1 -> CON Lugha|2. Kiswahili|4. Español|0. Rudi
      s: 8*1*1 -> CON Tafadhali chagua kwenye orodha.|…
      s2: 8*1*4
      balance: 1 -> END Su saldo: 0.02 tRBTC`

  plays('is not offered as a choice if there is only one', () =>
    openWorld({ product: { settings: offering('fr') } }),
  )`
      s: 8 -> CON Paramètres|4. Portefeuilles modifiés|0. Retour
      s: 8*1 -> CON Veuillez choisir dans la liste.|…
      balance: 1 -> END Votre solde: 0.02 tRBTC`
})
