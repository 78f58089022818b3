import {
  type HeldNames,
  type NameChoice,
  type ShownName,
  shortenName,
} from '../../../account/names.ts'
import type { Messages } from '../../messages/en.ts'
import { defineWords } from '../../messages/texts.ts'
import {
  acceptAnswer,
  type Effect,
  type Entry,
  type MenuNode,
  rejectAnswer,
  requireAnswer,
} from '../node.ts'
import { createPinQuestion } from '../questions.ts'

/** Writes the names that payers see, and what holders do with theirs. */
export const nameWords = defineWords({
  en: {
    label: 'My name',
    own: (name: string) => `Says: ${name}`,
    verified: (name: string) => `Checked name: ${name}`,
    nobody: 'Payers see no name of you.',
    seen: (hours: number) => (hours === 0 ? 'Payers see:' : `Payers see in ${hours} h:`),
    offered: (name: string) => `Your provider checked: ${name}`,
    type: 'Type my name',
    hide: 'Show no name',
    agree: 'Show checked name',
    ask: 'Your first name and family name. Payers see the first, and one letter of the other:',
    form: 'Only letters, 2 to 15 in the first name.',
    done: 'It is done. Payers see a name that you typed after 24 hours.',
    tooEarly: 'A name can be changed once in 24 hours. Nothing was changed.',
    taken: 'This looks like the name of the service or a till. Nothing was changed.',
  },
  sw: {
    label: 'Jina langu',
    own: (name) => `Anajiita: ${name}`,
    verified: (name) => `Jina lililothibitishwa: ${name}`,
    nobody: 'Wanaokulipa hawaoni jina lako.',
    seen: (hours) => (hours === 0 ? 'Wanaokulipa wanaona:' : `Wataona baada ya saa ${hours}:`),
    offered: (name) => `Mtoa huduma amethibitisha: ${name}`,
    type: 'Andika jina langu',
    hide: 'Usionyeshe jina',
    agree: 'Onyesha lililothibitishwa',
    ask: 'Jina lako la kwanza na la ukoo. Wanaokulipa wataona la kwanza, na herufi moja ya la ukoo:',
    form: 'Herufi tu, 2 hadi 15 katika jina la kwanza.',
    done: 'Imefanyika. Jina uliloandika litaonekana baada ya saa 24.',
    tooEarly: 'Jina hubadilishwa mara moja kwa saa 24. Hakuna kilichobadilishwa.',
    taken: 'Linafanana na jina la huduma au la wakala. Hakuna kilichobadilishwa.',
  },
  fr: {
    label: 'Mon nom',
    own: (name) => `Se dit: ${name}`,
    verified: (name) => `Nom vérifié: ${name}`,
    nobody: 'Vos payeurs ne voient aucun nom.',
    seen: (hours) => (hours === 0 ? 'Vos payeurs voient:' : `Vos payeurs verront dans ${hours} h:`),
    offered: (name) => `Vérifié par votre prestataire: ${name}`,
    type: 'Écrire mon nom',
    hide: 'Ne montrer aucun nom',
    agree: 'Montrer le nom vérifié',
    ask: 'Vos prénom et nom. Vos payeurs verront le prénom et une lettre du nom:',
    form: 'Lettres seulement, 2 à 15 pour le prénom.',
    done: "C'est fait. Un nom que vous écrivez se voit après 24 heures.",
    tooEarly: "Un nom change une fois en 24 heures. Rien n'a été changé.",
    taken: "Il ressemble au nom du service ou d'une caisse. Rien n'a été changé.",
  },
  es: {
    label: 'Mi nombre',
    own: (name) => `Dice ser: ${name}`,
    verified: (name) => `Nombre verificado: ${name}`,
    nobody: 'Quien le paga no ve ningún nombre.',
    seen: (hours) => (hours === 0 ? 'Quien le paga ve:' : `Quien le paga verá en ${hours} h:`),
    offered: (name) => `Su proveedor verificó: ${name}`,
    type: 'Escribir mi nombre',
    hide: 'No mostrar nombre',
    agree: 'Mostrar el verificado',
    ask: 'Su nombre y apellido. Quien le paga verá el nombre y una letra del apellido:',
    form: 'Solo letras, de 2 a 15 en el nombre.',
    done: 'Hecho. Un nombre que usted escribe se ve después de 24 horas.',
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

const createEntry = (digit: string, word: 'type' | 'hide' | 'agree', name?: NameChoice): Entry => ({
  digit,
  label: (messages) => nameWords(messages)[word],
  ...(name === undefined ? { target: 'typeName' } : { draft: { name }, target: 'pinForName' }),
})

const nameEffect: Effect = {
  name: 'name',
  createOutcome: ({ name }) => ({ kind: 'name', name: requireAnswer(name) }),
}

/** Creates the nodes in which a holder sees the names that payers see, and chooses one. */
export const createNameNodes = (): Record<string, MenuNode> => ({
  myName: {
    kind: 'list',
    facts: ['heldNames'],
    title: ({ messages }, _, { heldNames }) =>
      heldNames === 'unavailable' ? messages.unavailable : writeHeldNames(messages, heldNames),
    entries: [
      createEntry('1', 'type'),
      createEntry('2', 'hide', { kind: 'none' }),
      createEntry('3', 'agree', { kind: 'verified' }),
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
    targets: ['pinForName'],
    back: 'myName',
  },
  pinForName: createPinQuestion(({ pin }) => pin.enter.see, {
    title({ messages }, { name }) {
      const choice = requireAnswer(name)
      const { seen, hide, agree } = nameWords(messages)
      if (choice.kind === 'own') return `${seen(24)}\n${writeName(messages, choice)}`
      return choice.kind === 'none' ? hide : agree
    },
    target: nameEffect,
    back: 'myName',
  }),
})
