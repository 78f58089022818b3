import { type Language, languages } from '../../account/language.ts'
import { isChosenPin, isEasy, isPin } from '../../account/pin.ts'
import { inEachLanguage, languageLabels } from '../messages/texts.ts'
import {
  acceptAnswer,
  type Effect,
  type Entry,
  type MenuPart,
  type MenuQuestion,
  rejectAnswer,
  requireAnswer,
} from './node.ts'
import { createPinQuestion } from './questions.ts'

const words = inEachLanguage({
  en: {
    label: 'Settings',
    language: 'Language',
    changePin: 'Change PIN',
    forgotPin: 'Forgot PIN',
    newPin: 'I need a new PIN',
  },
  sw: {
    label: 'Mipangilio',
    language: 'Lugha',
    changePin: 'Badilisha PIN',
    forgotPin: 'Nimesahau PIN',
    newPin: 'Nahitaji PIN mpya',
  },
  fr: {
    label: 'Paramètres',
    language: 'Langue',
    changePin: 'Changer le PIN',
    forgotPin: 'PIN oublié',
    newPin: 'Il me faut un PIN',
  },
  es: {
    label: 'Ajustes',
    language: 'Idioma',
    changePin: 'Cambiar PIN',
    forgotPin: 'Olvidé el PIN',
    newPin: 'Necesito otro PIN',
  },
})
export const callerSettings = {
  words,
  digit: '8',
  leadsTo: ({ languages: offered, pin }) =>
    offered.length > 1 || pin !== 'off' ? 'settings' : undefined,
  places: ({ languages: offered, pin }) => ({
    settings: {
      kind: 'list',
      title: ({ messages }) => words(messages).label,
      entries: [
        ...(offered.length > 1 ? [createEntry('1', 'language', 'language')] : []),
        ...(pin === 'off'
          ? []
          : [
              createEntry('2', 'changePin', 'pinToChange'),
              createEntry('3', 'forgotPin', 'forgotten'),
            ]),
      ],
      back: 'main',
    },
    language: {
      kind: 'list',
      title: ({ messages }) => words(messages).language,
      // A language keeps its digit wherever it is offered.
      entries: languages
        .map((language, index) => ({
          digit: `${index + 1}`,
          label: () => languageLabels[language],
          leadsTo: createLanguageEffect(language),
          language,
        }))
        .filter(({ language }) => offered.includes(language)),
      back: 'settings',
    },
    ...createNewPinQuestions('newPin', createPinEffect('choosePin')),
    ...createNewPinQuestions('changedPin', createPinEffect('changePin'), 'settings'),
    pinToChange: createPinQuestion(({ pin }) => pin.enter.change, {
      leadsTo: 'changedPin',
      back: 'settings',
    }),
    forgotten: {
      kind: 'list',
      title: ({ messages }) => messages.pin.forgotten,
      entries: [
        { digit: '1', label: (messages) => words(messages).newPin, leadsTo: forgetPinEffect },
      ],
      back: 'settings',
    },
  }),
} satisfies MenuPart

const createEntry = (
  digit: string,
  word: keyof ReturnType<typeof words>,
  leadsTo: string,
): Entry => ({
  ...{ digit, label: (messages) => words(messages)[word], leadsTo: leadsTo },
})

const createLanguageEffect = (language: Language): Effect => ({
  name: language,
  outcome: () => ({ kind: 'language', language }),
})

const createPinEffect = (kind: 'choosePin' | 'changePin'): Effect => ({
  name: kind,
  outcome: ({ pin }) => ({ kind, pin: requireAnswer(pin) }),
})
const forgetPinEffect: Effect = { name: 'forgetPin', outcome: () => ({ kind: 'forgetPin' }) }

/** Asks for a new PIN, and once more for the same, since no one sees what is typed. */
function createNewPinQuestions<Name extends string>(name: Name, leadsTo: Effect, back?: string) {
  const first: MenuQuestion = {
    kind: 'question',
    secret: 'new',
    prompt: ({ messages }) =>
      back === undefined ? messages.pin.choose : `${messages.pin.choose}\n0. ${messages.back}`,
    answer: (typed, { messages, caller }) => {
      if (isChosenPin(typed)) return acceptAnswer({ pin: typed })
      if (!isPin(typed)) return rejectAnswer(messages.pin.form)
      return isEasy(typed, caller) ? rejectAnswer(messages.pin.easy) : acceptAnswer({ pin: typed })
    },
    leadsTo: [`${name}Again`],
    ...(back !== undefined && { back }),
  }
  const again: MenuQuestion = {
    kind: 'question',
    secret: 'new',
    prompt: ({ messages }) => `${messages.pin.again}\n0. ${messages.back}`,
    answer: (typed, { messages }, { pin }) =>
      typed === pin ? acceptAnswer({}) : rejectAnswer(messages.pin.differs),
    leadsTo: [leadsTo],
    back: name,
  }
  return { [name]: first, [`${name}Again`]: again }
}
