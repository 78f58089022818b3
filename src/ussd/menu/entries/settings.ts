import { type Language, languages } from '../../../account/language.ts'
import { isAcceptedPin, isEasyPin, isPin } from '../../../account/pin.ts'
import { messagesIn } from '../../messages/languages.ts'
import { defaultServiceName, defineWords, languageLabels, writeTime } from '../../messages/texts.ts'
import {
  acceptAnswer,
  createEntry,
  type Effect,
  type Entry,
  type MenuPart,
  type MenuQuestion,
  rejectAnswer,
  type Target,
} from '../node.ts'
import { createPinQuestion } from '../questions.ts'
import { createNameNodes, nameWords } from './names.ts'

const words = defineWords({
  en: {
    label: 'Settings',
    language: 'Language',
    changePin: 'Change PIN',
    forgotPin: 'Forgot PIN',
    newPin: 'I need a new PIN',
    changedWallets: 'Changed wallets',
  },
  sw: {
    label: 'Mipangilio',
    language: 'Lugha',
    changePin: 'Badilisha PIN',
    forgotPin: 'Nimesahau PIN',
    newPin: 'Nahitaji PIN mpya',
    changedWallets: 'Pochi zilizobadilishwa',
  },
  fr: {
    label: 'Paramètres',
    language: 'Langue',
    changePin: 'Changer le PIN',
    forgotPin: 'PIN oublié',
    newPin: 'Il me faut un PIN',
    changedWallets: 'Portefeuilles modifiés',
  },
  es: {
    label: 'Ajustes',
    language: 'Idioma',
    changePin: 'Cambiar PIN',
    forgotPin: 'Olvidé el PIN',
    newPin: 'Necesito otro PIN',
    changedWallets: 'Billeteras cambiadas',
  },
})

export const callerSettings = {
  words,
  digit: '8',
  findTarget: ({ profile }) => (profile === 'demo' ? undefined : 'settings'),
  createNodes: ({
    languages: offeredLanguages,
    pin,
    recipientNames,
    helpNumber,
    serviceName = defaultServiceName,
  }) => ({
    ...(recipientNames && createNameNodes()),
    // The caller may read only one of the languages.
    firstLanguage: {
      kind: 'list',
      title: () => {
        const titles = offeredLanguages.map((each) => words(messagesIn[each]).language)
        return `${serviceName}\n${titles.join(' / ')}`
      },
      entries: listLanguages(offeredLanguages, 'newPin'),
    },
    settings: {
      kind: 'list',
      title: ({ messages }) => words(messages).label,
      entries: [
        ...(offeredLanguages.length > 1 ? [createEntry('1', words, 'language', 'language')] : []),
        ...(pin === 'off'
          ? []
          : [
              createEntry('2', words, 'changePin', 'pinToChange'),
              createEntry('3', words, 'forgotPin', 'forgotten'),
            ]),
        createEntry('4', words, 'changedWallets', 'changedWallets'),
        ...(recipientNames ? [createEntry('5', nameWords, 'label', 'pinForName')] : []),
      ],
      back: 'main',
    },
    language: {
      kind: 'list',
      title: ({ messages }) => words(messages).language,
      entries: listLanguages(offeredLanguages, { name: 'language' }),
      back: 'settings',
    },
    ...createNewPinQuestions('newPin', { name: 'choosePin' }),
    ...createNewPinQuestions('changedPin', { name: 'changePin' }, 'settings'),
    pinToChange: createPinQuestion({
      enterPin: (messages) => messages.pin.enter.change,
      target: 'changedPin',
      back: 'settings',
    }),
    forgotten: {
      kind: 'list',
      facts: ['pin'],
      title: ({ messages }, _, { pin: { kind, from, isHeld } }) => {
        if (isHeld) return messages.held(helpNumber)
        if (from !== undefined) return messages.pin.requested(writeTime(messages, from))
        return kind === 'blocked' ? messages.pin.forgottenBlocked : messages.pin.forgotten
      },
      entries: [
        {
          ...createEntry('1', words, 'newPin', { name: 'forgetPin' }),
          isShown: ({ pin: { from, isHeld } }) => from === undefined && !isHeld,
        },
      ],
      back: 'settings',
    },
  }),
} satisfies MenuPart

/** Lists the offered languages. Each has the same digit in each deployment. */
const listLanguages = (offered: readonly Language[], target: Target): Entry[] =>
  languages.flatMap((language, index) => {
    const label = () => languageLabels[language]
    const entry = { digit: `${index + 1}`, label, draft: { language }, target }
    return offered.includes(language) ? [entry] : []
  })

/** Creates two questions for a new PIN, because phones hide typing mistakes. */
function createNewPinQuestions<Name extends string>(name: Name, effect: Effect, back?: string) {
  const firstQuestion: MenuQuestion = {
    kind: 'question',
    secret: 'newPin',
    prompt: ({ messages }) =>
      back === undefined ? messages.pin.choose : `${messages.pin.choose}\n0. ${messages.back}`,
    parseAnswer: (typed, { messages, caller }) => {
      if (isAcceptedPin(typed)) return acceptAnswer({ pin: typed })
      if (!isPin(typed)) return rejectAnswer(messages.pin.form)
      return isEasyPin(typed, caller)
        ? rejectAnswer(messages.pin.easy)
        : acceptAnswer({ pin: typed })
    },
    targets: [`${name}Again`],
    ...(back !== undefined && { back }),
  }
  const secondQuestion: MenuQuestion = {
    kind: 'question',
    secret: 'newPin',
    prompt: ({ messages }) => `${messages.pin.again}\n0. ${messages.back}`,
    parseAnswer: (typed, { messages }, { pin }) =>
      typed === pin ? acceptAnswer({}) : rejectAnswer(messages.pin.differs),
    targets: [effect],
    back: name,
  }
  return { [name]: firstQuestion, [`${name}Again`]: secondQuestion }
}
