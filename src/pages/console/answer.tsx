import type { Child } from 'hono/jsx'
import { formatAmountUp, type Unit } from '../../loan/amounts.ts'
import { isObject } from '../../runtime/json.ts'
import { type Fact, FactList, Prose, shortenHex, showMoney, showTime, Table } from '../parts.tsx'

/** Selects a field of an answer, or names a value that is computed from it. */
type Column<Answer> = (keyof Answer & string) | readonly [title: string, draw: Draw<Answer>]
type Draw<Answer> = (answer: Answer) => Child

const accountFields = ['account', 'borrower', 'recipient', 'from', 'sender', 'receiver']

/** Writes a field's name in words: `gasPriceWei` is "Gas price", and `isMined` is "Mined". */
function nameField(name: string): string {
  const words = name
    .replace(/^is(?=[A-Z])|(Wei|At)$/g, '')
    .replaceAll(/_|(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Writes a raw name, such as `written_off`, in words. */
export const toWords = (name: string): string => name.replaceAll(/[_-]/g, ' ')

const namedFields = ['state', 'reason', 'action']

/** Draws a field's value; the field's name tells what a text or a number is. */
function drawValue(name: string, value: unknown, unit?: Unit): Child {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) {
    if (value.every(isObject)) return <Rows name={name} of={value} unit={unit} />
    return value.join(', ')
  }
  if (isObject(value)) return <Facts of={value} unit={unit} />
  const text = `${value}`
  if (name.endsWith('PriceWei')) return `${text} wei`
  if (unit && name === 'owedWei') return showMoney(text, unit, formatAmountUp)
  if (unit && name.endsWith('Wei')) return showMoney(text, unit)
  if (typeof value === 'number' && name.endsWith('At'))
    return showTime(new Date(value).toISOString())
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return showTime(text)
  if (name === 'explorer') return <a href={text}>explorer</a>
  if (name === 'says') return <Prose text={text} />
  if (name === 'intent') return drawLink(`/console/payments/${text}`, text)
  if (accountFields.includes(name)) return drawAccount(text)
  return namedFields.includes(name) ? toWords(text) : text
}

export const drawLink = (href: string, hex: string) => <a href={href}>{shortenHex(hex)}</a>

/** Links to what support sees of an account; to its payments for those of another role. */
export const drawAccount = (account: string) => drawLink(`/console/accounts/${account}`, account)

/** Draws columns of an answer, all of its fields by default, each with its title. */
function drawColumns<Answer extends object>(
  answer: Answer,
  unit: Unit | undefined,
  columns: readonly Column<Answer>[],
): Fact[] {
  return columns.map((column) => {
    if (typeof column !== 'string') return [column[0], column[1](answer)]
    // Beside a value, its time has a title of its own.
    const of = column.replace(/At$/, '')
    const isOfOther = of !== column && of in answer
    const title = isOfOther ? `${nameField(of)} read` : nameField(column)
    return [title, drawValue(column, answer[column], unit)]
  })
}

type AnswerOptions<Answer, Shown> = {
  of: Shown
  columns?: readonly Column<Answer>[]
  unit?: Unit | undefined
}

const listFields = <Answer extends object>(answer: Answer) =>
  Object.keys(answer) as (keyof Answer & string)[]

export function Facts<Answer extends object>(options: AnswerOptions<Answer, Answer>) {
  const { of, unit, columns = listFields(of) } = options
  return <FactList facts={drawColumns(of, unit, columns)} />
}

export function Rows<Answer extends object>(
  options: AnswerOptions<Answer, readonly Answer[]> & { name: string },
) {
  const { name, of, unit } = options
  const [first] = of
  if (first === undefined) return <p>None.</p>
  const columns = options.columns ?? listFields(first)
  const rows = of.map((answer) => drawColumns(answer, unit, columns))
  return (
    <Table
      name={name}
      head={(rows[0] ?? []).map(([title]) => title)}
      rows={rows.map((row) => row.map(([, value]) => value))}
    />
  )
}
