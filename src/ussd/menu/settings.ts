import { type Language, languages } from '../../account/language.ts'
import { isChosenPin, isEasy, isPin } from '../../account/pin.ts'
import { inEach, languageLabels } from '../messages/texts.ts'
import { pinFor } from './asks.ts'
import {
  answered,
  type Effect,
  type Entry,
  given,
  type MenuPart,
  type MenuQuestion,
  mistake,
} from './node.ts'

const words = inEach({
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
  leads: ({ languages: offered, pin }) =>
    offered.length > 1 || pin !== 'off' ? 'settings' : undefined,
  places: ({ languages: offered, pin }) => ({
    settings: {
      kind: 'list',
      title: ({ say }) => words(say).label,
      entries: [
        ...(offered.length > 1 ? [entry('1', 'language', 'language')] : []),
        ...(pin === 'off'
          ? []
          : [entry('2', 'changePin', 'pinToChange'), entry('3', 'forgotPin', 'forgotten')]),
      ],
      back: 'main',
    },
    language: {
      kind: 'list',
      title: ({ say }) => words(say).language,
      // A language keeps its digit wherever it is offered.
      entries: languages
        .map((language, index) => ({
          digit: `${index + 1}`,
          label: () => languageLabels[language],
          leads: chooses(language),
          language,
        }))
        .filter(({ language }) => offered.includes(language)),
      back: 'settings',
    },
    ...askNewPin('newPin', sets('choosePin')),
    ...askNewPin('changedPin', sets('changePin'), 'settings'),
    pinToChange: pinFor(({ pin }) => pin.enter.change, { leads: 'changedPin', back: 'settings' }),
    forgotten: {
      kind: 'list',
      title: ({ say }) => say.pin.forgotten,
      entries: [{ digit: '1', label: (say) => words(say).newPin, leads: forgottenPin }],
      back: 'settings',
    },
  }),
} satisfies MenuPart

const entry = (digit: string, word: keyof ReturnType<typeof words>, leads: string): Entry => ({
  ...{ digit, label: (say) => words(say)[word], leads },
})

const chooses = (language: Language): Effect => ({
  name: language,
  outcome: () => ({ kind: 'language', language }),
})

const sets = (kind: 'choosePin' | 'changePin'): Effect => ({
  name: kind,
  outcome: ({ pin }) => ({ kind, pin: answered(pin) }),
})
const forgottenPin: Effect = { name: 'forgetPin', outcome: () => ({ kind: 'forgetPin' }) }

/** Asks for a new PIN, and once more for the same, since no one sees what is typed. */
function askNewPin<Name extends string>(name: Name, leads: Effect, back?: string) {
  const first: MenuQuestion = {
    kind: 'question',
    secret: 'new',
    prompt: ({ say }) =>
      back === undefined ? say.pin.choose : `${say.pin.choose}\n0. ${say.back}`,
    answer: (typed, { say, caller }) => {
      if (isChosenPin(typed)) return given({ pin: typed })
      if (!isPin(typed)) return mistake(say.pin.form)
      return isEasy(typed, caller) ? mistake(say.pin.easy) : given({ pin: typed })
    },
    leads: [`${name}Again`],
    ...(back !== undefined && { back }),
  }
  const again: MenuQuestion = {
    kind: 'question',
    secret: 'new',
    prompt: ({ say }) => `${say.pin.again}\n0. ${say.back}`,
    answer: (typed, { say }, { pin }) => (typed === pin ? given({}) : mistake(say.pin.differs)),
    leads: [leads],
    back: name,
  }
  return { [name]: first, [`${name}Again`]: again }
}
