import type { Child } from 'hono/jsx'
import { formatAmountDown, type Unit } from '../loan/amounts.ts'
import { findCommandLack } from '../operator/access.ts'
import type { Actor } from '../operator/schemas/fields.ts'
import { writeLocalTime } from '../runtime/time-zone.ts'

export type Fact = readonly [name: string, value: Child]

type LiveOptions = { name: string; title: string; look?: string | undefined; children?: Child }

/** Renders a live region: a section of a page that updates replace. */
export function Live({ name, title, look, children }: LiveOptions) {
  return (
    <section id={name} class={look} data-live>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value ?? 'not known'}</dd>
        </>
      ))}
    </dl>
  )
}

type TableOptions = { name: string; head: readonly string[]; rows: readonly (readonly Child[])[] }

/** Renders a table; in a narrow window each row is a list of labels and values. */
export function Table({ name, head, rows }: TableOptions) {
  if (rows.length === 0) return <p>None.</p>
  return (
    <section class="wide" tabindex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            {head.map((title) => (
              <th scope="col">{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, index) => (
                <td data-label={head[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Renders a command that a click selects, and the role that `you` lack for it. */
export function Command({ line, you }: { line: string; you?: Actor | undefined }) {
  const lacks = you && findCommandLack(you, line)
  return (
    <>
      <code class="copy">{line}</code>
      {lacks && ` (needs the role ${lacks})`}
    </>
  )
}

/** Renders text whose commands are between backticks, with its times as the page tells them. */
export const Prose = ({ text, you }: { text: string; you?: Actor | undefined }) => (
  <>
    {text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, tellTime)
      .split('`')
      .map((part, index) => (index % 2 ? <Command line={part} you={you} /> : part))}
  </>
)

/** Shows an amount, rounded down; a debt is rounded up, as on the phone. */
export const showMoney = (wei: string | null, unit: Unit, format = formatAmountDown): string =>
  wei === null ? 'not known' : `${format(BigInt(wei), unit)} ${unit.symbol}`

let pageZone = 'UTC'

/**
 * Renders a page whose times are all in a zone. It is rendered at once, so that no other page comes
 * between. A context is larger (findings/hono-jsx-context-brings-the-browser.sh).
 */
export function renderInZone(timeZone: string, render: () => string): string {
  pageZone = timeZone
  try {
    return render()
  } finally {
    pageZone = 'UTC'
  }
}

export const getPageZone = (): string => pageZone

/** Writes a time as the page that is being rendered does: `2026-01-01 22:42:00`. */
export const tellTime = (at: string): string => writeLocalTime(Date.parse(at), pageZone)

export const tellClock = (at: string): string => tellTime(at).slice(11)

const Time = ({ at }: { at: string }) => <time datetime={at}>{tellTime(at)}</time>

export const showTime = (at: string | null | undefined): Child => (at ? <Time at={at} /> : '–')

/** Shortens an address or a hash; the linked page shows it in full. */
export const shortenHex = (hex: string): string => `${hex.slice(0, 8)}…${hex.slice(-4)}`

export type FieldOptions = { name: string; label: string; value?: string | undefined }

type ChoiceOptions = FieldOptions & {
  options: readonly string[]
  words?: Readonly<Record<string, string>>
}

/** Renders a choice of options. The empty option stands for any. */
export function Choice({ name, label, value, options, words = {} }: ChoiceOptions) {
  return (
    <label>
      {label}{' '}
      <select name={name}>
        {options.map((option) => (
          <option value={option} selected={option === value}>
            {words[option] ?? (option || 'any')}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Field({ name, label, value, maxLength }: FieldOptions & { maxLength?: number }) {
  return (
    <label>
      {label} <input name={name} value={value} maxlength={maxLength} autocomplete="off" />
    </label>
  )
}

/** Names how what is drawn looks; the text beside a chart says what it means. */
export type Tone = 'good' | 'fair' | 'wait' | 'warm' | 'bad'

export type Share = { value: number; tone: Tone }

/** Draws shares of a whole, by default of their sum. It is for eyes alone: a text says the same. */
export function Bar({ shares, whole }: { shares: readonly Share[]; whole?: number }) {
  const sum = Math.max(
    whole ?? 0,
    shares.reduce((total, { value }) => total + value, 0),
  )
  const percents = shares.map(({ value }) => (sum === 0 ? 0 : (value / sum) * 100))
  return (
    <svg class="chart" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {shares.map(({ tone }, index) => {
        const from = percents.slice(0, index).reduce((total, percent) => total + percent, 0)
        const width = (percents[index] ?? 0).toFixed(2)
        return <rect class={tone} x={from.toFixed(2)} width={width} height={10} />
      })}
    </svg>
  )
}

const columnHeight = 40

/** Draws numbers as columns. It is for eyes alone: a text says the same. */
export function Columns({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  return (
    <svg
      class="chart columns"
      viewBox={`0 0 ${values.length * 4} ${columnHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(3, (value / most) * columnHeight)
        const tone = value === 0 ? 'rest' : 'good'
        const y = (columnHeight - height).toFixed(1)
        return <rect class={tone} x={index * 4} y={y} width={3} height={height.toFixed(1)} />
      })}
    </svg>
  )
}
