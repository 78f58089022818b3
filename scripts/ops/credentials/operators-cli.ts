import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { operatorNameRule, parseOperator, roleWords } from '../../../src/operator/access.ts'
import { roles } from '../../../src/operator/schemas/fields.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { createCommand, flag, text } from '../../stack/command.ts'
import { readJson, writeJson } from '../../stack/files.ts'
import { Misused, StackError } from '../../stack/report.ts'

const deployedWords = 'The deployed list stands in the console: People, for the role money.'

const usage = `Usage:
  npm run -s ops -- operators add <name> read|support|operate|money [--secrets FILE]
  npm run -s ops -- operators retire <name> [--secrets FILE]
  npm run -s ops -- operators list

Names the people who operate a deployment. add makes a token, shows it this once, and adds the name, the role and the
token's hash to OPERATORS of FILE, which \`npm run ops -- secrets\` has written; retire takes a name away. Without FILE
they print OPERATORS, which begins with that of the environment. It holds from the next deployment on: then a token that
is not there any more ends, and so does what signed in with it. With --json for programs.
${deployedWords}

For add ${operatorNameRule}.
A role may do what those before it may:
${roles.map((role) => `  ${role.padEnd(8)} ${roleWords[role]}`).join('\n')}`

export const operators = createCommand({
  usage,
  options: { json: flag, secrets: text },
  async run({ secrets: file }, [what, name = '', role, ...others], { env }) {
    // The file of another deployment may lack what this shell has.
    const from = file === undefined ? env : z.looseObject({}).parse(readJson(file))
    const before = `${from.OPERATORS ?? ''}`.split(',').flatMap((one) => one.trim() || [])
    const people = before.map(readOperator)
    if (what === 'list' && name === '') {
      // In a shell it may be the own token of one of them.
      const isShared = file === undefined ? people.length === 0 : from.OPERATOR_TOKEN
      return { json: people, lines: [...people.map(describe), ...(isShared ? [sharedWords] : [])] }
    }
    const isKnown = people.some((one) => one.name === name)
    const remaining = before.filter((_, index) => people[index]?.name !== name)
    if (others.length > 0) throw new Misused()
    if (what === 'retire' && role === undefined) {
      if (!isKnown)
        throw new StackError(
          `OPERATORS has no ${name}, in this shell or in the file of --secrets: nobody is retired. ${deployedWords}`,
        )
      const { value, next } = keep(file, remaining)
      return { json: { name, OPERATORS: value }, lines: [`${name} is retired.`, ...next] }
    }
    if (what !== 'add' || role === undefined) throw new Misused()
    if (isKnown) throw new StackError(`OPERATORS has a ${name}, who keeps the token: retire first.`)
    const token = `op_${randomBytes(32).toString('base64url')}`
    const made = `${name}:${role}:${hashKey(token)}`
    readOperator(made)
    const { value, next } = keep(file, [...before, made])
    const alone =
      before.length > 0
        ? []
        : [
            `OPERATORS was empty in ${file ?? 'this shell'}, so it holds ${name} alone now: deployed, it ends`,
            'the access of all whose names are deployed. To keep them, put the deployed list and a comma before it.',
            deployedWords,
          ]
    const shown = [`The token of ${name} (${role}), shown this once:`, `  ${token}`]
    const lines = [...shown, ...alone, ...next]
    return { json: { name, role, token, OPERATORS: value }, lines }
  },
})

function readOperator(text: string) {
  const operator = parseOperator(text)
  if (operator !== undefined) return operator
  const [start = ''] = text.split(/:[0-9a-f]{64}$/)
  throw new StackError(
    `"${start}" is no operator: ${operatorNameRule}; a role is ${roles.join(', ')}.`,
  )
}

/** Says who acts where no name is given. */
const sharedWords =
  'operator  money  (all who share OPERATOR_TOKEN: once each has a name, take it away)'

const describe = ({ name, role }: { name: string; role: string }) => `${name}  ${role}`

/** Writes the operators into the file of secrets, if there is one; says what is to be done next. */
function keep(file: string | undefined, operators: readonly string[]) {
  const value = operators.join(',')
  if (file === undefined)
    return {
      value,
      next: ['Set OPERATORS to all of this, and deploy:', `  ${value || '(nothing)'}`],
    }
  writeJson(file, { ...(readJson(file) as object), OPERATORS: value })
  return {
    value,
    next: [`${file} has it. Deploy: npx wrangler secret bulk ${file} --env <environment>`],
  }
}
