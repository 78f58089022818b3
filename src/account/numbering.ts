import { stringToBytes } from 'viem'
import { hashKeccak } from '../runtime/keccak.ts'

/** Maps former number forms to present ones. No entry may change, since accounts depend on it. */
export const numberingChanges: readonly (readonly [former: string, present: string])[] = [
  ['+54 [1-8]xxxxxxxxx', '+54 9 [1-8]xxxxxxxxx'],
  ['+229 [24-69]xxxxxxx', '+229 01 [24-69]xxxxxxx'],
  ['+55 [1-9][1-9] [689]xxxxxxx', '+55 [1-9][1-9] 9 [689]xxxxxxx'],
  ['+225 [04-9][0-3]xxxxxx', '+225 01 [04-9][0-3]xxxxxx'],
  ['+225 [04-9][4-6]xxxxxx', '+225 05 [04-9][4-6]xxxxxx'],
  ['+225 [04-9][7-9]xxxxxx', '+225 07 [04-9][7-9]xxxxxx'],
  ['+57 0 3[0-35]xxxxxxxx', '+57 3[0-35]xxxxxxxx'],
  ['+241 0[256]xxxxxx', '+241 6[256]xxxxxx'],
  ['+241 [256]xxxxxx', '+241 6[256]xxxxxx'],
  ['+241 0[47]xxxxxx', '+241 7[47]xxxxxx'],
  ['+241 [47]xxxxxx', '+241 7[47]xxxxxx'],
  ['+241 3xxxxxx', '+241 03xxxxxx'],
  ['+220 [27]xxxxxx', '+220 87 [27]xxxxxx'],
  ['+220 4[015]xxxxx', '+220 87 4[015]xxxxx'],
  ['+220 3xxxxxx', '+220 83 3xxxxxx'],
  ['+220 5[0-489]xxxxx', '+220 83 5[0-489]xxxxx'],
  ['+220 556xxxx', '+220 83 556xxxx'],
  ['+220 6xxxxxx', '+220 86 6xxxxxx'],
  ['+220 8[4-7]xxxxx', '+220 86 8[4-7]xxxxx'],
  ['+220 9xxxxxx', '+220 89 9xxxxxx'],
  ['+231 5xxxxxx', '+231 55 5xxxxxx'],
  ['+52 1 xxxxxxxxxx', '+52 xxxxxxxxxx'],
]

/** Rewrites a number from one form to another; undefined if the number has another form. */
type Rewrite = (number: string) => string | undefined

const splitForm = (form: string): string[] => form.match(/\[[^\]]+\]|[+\dx]/g) ?? []
const isVariable = (part: string): boolean => /^[x[]/.test(part)

/** Creates the pattern of a form; each variable digit is a group. */
export function createPattern(form: string): RegExp {
  const pattern = splitForm(form).map((part) =>
    isVariable(part) ? `(${part.replace('x', '\\d')})` : part.replace('+', '\\+'),
  )
  return new RegExp(`^${pattern.join('')}$`)
}

function createRewrite(from: string, to: string): Rewrite {
  const pattern = createPattern(from)
  const parts = splitForm(to)
  return (number) => {
    const variableDigits = pattern.exec(number)?.slice(1)
    return (
      variableDigits &&
      parts.map((part) => (isVariable(part) ? variableDigits.shift() : part)).join('')
    )
  }
}

const forwards = numberingChanges.map(([former, present]) => createRewrite(former, present))
const backwards = numberingChanges.map(([former, present]) => createRewrite(present, former))

/** Converts a number (E.164) to its present form, from which its account is derived. */
export function toPresentForm(number: string): string {
  for (const rewrite of forwards) {
    const present = rewrite(number)
    if (present !== undefined) return present
  }
  return number
}

export function listFormerForms(number: string): string[] {
  return backwards
    .flatMap((rewrite) => rewrite(number) ?? [])
    .filter((former) => toPresentForm(former) === number)
}

/** Computes what identifies the numbering changes that accounts depend on. */
export const computeNumberingFingerprint = (): string =>
  hashKeccak(stringToBytes(JSON.stringify(numberingChanges))).slice(2, 34)
