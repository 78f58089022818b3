import { type HeldNames, type ShownName, shortenName } from '../../../account/names.ts'
import type { Messages } from '../../messages/en.ts'
import { defineWords } from '../../messages/texts.ts'
import {
  acceptAnswer,
  createEntry,
  type Effect,
  type MenuNode,
  rejectAnswer,
  requireAnswer,
} from '../node.ts'
import { createPinQuestion } from '../questions.ts'

/** Writes the names that payers see, and what holders do with theirs. */
export const nameWords = defineWords({
  en: {
    label: 'My name',
    own: (name: string) => `Name (not checked): ${name}`,
    verified: (name: string) => `Checked name: ${name}`,
    nobody: 'Payers see no name for this number.',
    seen: (hours: number) => (hours === 0 ? 'Payers see:' : `Payers see in ${hours} h:`),
    offered: (name: string) => `Your provider checked: ${name}`,
    type: 'Type my name',
    keep: 'Show this name',
    hide: 'Show no name',
    agree: 'Show checked name',
    ask: 'Your first name and family name. Payers see the first, and one letter of the other:',
    form: 'Letters A to Z, also with accents: 2 to 15 in the first name.',
    done: {
      own: 'Done. Payers see it from 24 hours on.',
      none: 'Done. Payers see no name now.',
      verified: 'Done. Payers see the checked name now.',
    },
    unchecked: 'Your provider has checked no name yet.',
    tooEarly: 'A name can be changed once in 24 hours. Nothing was changed.',
    taken: 'This looks like the name of the service or a till. Nothing was changed.',
  },
  sw: {
    label: 'Jina langu',
    own: (name) => `Jina (halijathibitishwa): ${name}`,
    verified: (name) => `Jina lililothibitishwa: ${name}`,
    nobody: 'Wanaokulipa hawaoni jina la namba hii.',
    seen: (hours) => (hours === 0 ? 'Wanaokulipa wanaona:' : `Wataona baada ya saa ${hours}:`),
    offered: (name) => `Mtoa huduma amethibitisha: ${name}`,
    type: 'Andika jina langu',
    keep: 'Onyesha jina hili',
    hide: 'Usionyeshe jina',
    agree: 'Onyesha lililothibitishwa',
    ask: 'Jina lako la kwanza na la ukoo. Wanaokulipa wataona la kwanza, na herufi moja ya la ukoo:',
    form: 'Herufi A hadi Z, hata zenye alama: 2 hadi 15 katika jina la kwanza.',
    done: {
      own: 'Imefanyika. Wanaokulipa wataliona baada ya saa 24.',
      none: 'Imefanyika. Wanaokulipa hawaoni jina sasa.',
      verified: 'Imefanyika. Wanaokulipa wanaona jina lililothibitishwa sasa.',
    },
    unchecked: 'Mtoa huduma bado hajathibitisha jina.',
    tooEarly: 'Jina hubadilishwa mara moja kwa saa 24. Hakuna kilichobadilishwa.',
    taken: 'Linafanana na jina la huduma au la wakala. Hakuna kilichobadilishwa.',
  },
  fr: {
    label: 'Mon nom',
    own: (name) => `Nom (non vérifié): ${name}`,
    verified: (name) => `Nom vérifié: ${name}`,
    nobody: 'Vos payeurs ne voient aucun nom pour ce numéro.',
    seen: (hours) => (hours === 0 ? 'Vos payeurs voient:' : `Vos payeurs verront dans ${hours} h:`),
    offered: (name) => `Vérifié par votre prestataire: ${name}`,
    type: 'Écrire mon nom',
    keep: 'Montrer ce nom',
    hide: 'Ne montrer aucun nom',
    agree: 'Montrer le nom vérifié',
    ask: 'Vos prénom et nom. Vos payeurs verront le prénom et une lettre du nom:',
    form: 'Lettres de A à Z, avec ou sans accents: 2 à 15 pour le prénom.',
    done: {
      own: "C'est fait. Vos payeurs le verront dans 24 heures.",
      none: "C'est fait. Vos payeurs ne voient plus de nom.",
      verified: "C'est fait. Vos payeurs voient le nom vérifié.",
    },
    unchecked: "Votre prestataire n'a encore vérifié aucun nom.",
    tooEarly: "Un nom change une fois en 24 heures. Rien n'a été changé.",
    taken: "Il ressemble au nom du service ou d'une caisse. Rien n'a été changé.",
  },
  es: {
    label: 'Mi nombre',
    own: (name) => `Nombre (sin verificar): ${name}`,
    verified: (name) => `Nombre verificado: ${name}`,
    nobody: 'Quien le paga no ve ningún nombre para este número.',
    seen: (hours) => (hours === 0 ? 'Quien le paga ve:' : `Quien le paga verá en ${hours} h:`),
    offered: (name) => `Su proveedor verificó: ${name}`,
    type: 'Escribir mi nombre',
    keep: 'Mostrar este nombre',
    hide: 'No mostrar nombre',
    agree: 'Mostrar el verificado',
    ask: 'Su nombre y apellido. Quien le paga verá el nombre y una letra del apellido:',
    form: 'Letras de la A a la Z, también con acentos: de 2 a 15 en el nombre.',
    done: {
      own: 'Hecho. Quien le paga lo verá después de 24 horas.',
      none: 'Hecho. Quien le paga ya no ve ningún nombre.',
      verified: 'Hecho. Quien le paga ya ve el nombre verificado.',
    },
    unchecked: 'Su proveedor aún no verificó ningún nombre.',
    tooEarly: 'Un nombre cambia una vez en 24 horas. No se cambió nada.',
    taken: 'Se parece al nombre del servicio o de una caja. No se cambió nada.',
  },
})

/** Writes a name as payers see it: what was verified differs from a holder's own word. */
export const writeName = (messages: Messages, { kind, text }: ShownName): string =>
  nameWords(messages)[kind](text)

/** Writes to a holder what payers see, and what else was checked. */
function writeHeldNames(messages: Messages, { shown, hours, offered }: HeldNames): string {
  const words = nameWords(messages)
  const lines = shown ? [words.seen(hours), writeName(messages, shown)] : [words.nobody]
  const isOffered = offered !== undefined && shown?.kind !== 'verified'
  return [...lines, ...(isOffered ? [words.offered(offered)] : [])].join('\n')
}

const nameEffect: Effect = { name: 'name' }

/**
 * Creates the nodes in which a holder sees the names that payers see, and chooses one, all behind
 * the PIN: the number may be another person's by now.
 */
export const createNameNodes = (): Record<string, MenuNode> => ({
  pinForName: createPinQuestion({ target: 'myName', back: 'settings' }),
  myName: {
    kind: 'list',
    facts: ['heldNames'],
    title: ({ messages }, _, { heldNames }) =>
      heldNames === 'unavailable' ? messages.unread : writeHeldNames(messages, heldNames),
    entries: [
      createEntry('1', nameWords, 'type', 'typeName'),
      { ...createEntry('2', nameWords, 'hide', nameEffect), draft: { name: { kind: 'none' } } },
      {
        ...createEntry('3', nameWords, 'agree', nameEffect),
        draft: { name: { kind: 'verified' } },
      },
    ],
    back: 'settings',
  },
  typeName: {
    kind: 'question',
    prompt: ({ messages }) => `${nameWords(messages).ask}\n0. ${messages.back}`,
    retryText: ({ messages }) => `0. ${messages.back}`,
    parseAnswer(typed, { messages }) {
      const text = shortenName(typed)
      return text === undefined
        ? rejectAnswer(nameWords(messages).form)
        : acceptAnswer({ name: { kind: 'own', text } })
    },
    // A caller types no full stop.
    shorten: (typed) => shortenName(typed)?.replace('.', ''),
    targets: ['ownName'],
    back: 'myName',
  },
  ownName: {
    kind: 'list',
    title: ({ messages }, { name }) => {
      const choice = requireAnswer(name)
      if (choice.kind !== 'own') throw new Error('a name is confirmed that nobody typed')
      return `${nameWords(messages).seen(24)}\n${writeName(messages, choice)}`
    },
    entries: [createEntry('1', nameWords, 'keep', nameEffect)],
    back: 'typeName',
  },
})
