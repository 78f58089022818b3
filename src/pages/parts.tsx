import type { Child } from 'hono/jsx'
import { formatAmountDown } from '../loan/amounts.ts'

export type Fact = readonly [name: string, value: Child]

/** Draws a part of a page that is replaced where the server draws it anew. */
export function Part({ name, title, children }: { name: string; title: string; children?: Child }) {
  return (
    <section id={name} data-live>
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

type Rows = { name: string; head: readonly string[]; rows: readonly (readonly Child[])[] }

/** Draws a table that scrolls by itself where the window is narrower. */
export function Table({ name, head, rows }: Rows) {
  if (rows.length === 0) return <p>None.</p>
  return (
    <section class="wide" tabindex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            {head.map((each) => (
              <th scope="col">{each}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Shows a command that a click selects whole. */
export const Command = ({ of }: { of: string }) => <code class="copy">npm run {of}</code>

export const money = (wei: string | null, currency: string): string =>
  wei === null ? 'not known' : `${formatAmountDown(BigInt(wei))} ${currency}`

/** Shows a time in UTC, to the second. */
export const time = (at: string | null | undefined): Child =>
  at ? <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 19)}`}</time> : '–'

/** Shortens an address or a hash; what it leads to has all of it. */
export const short = (hex: string): string => `${hex.slice(0, 8)}…${hex.slice(-4)}`

export type FieldOptions = { name: string; label: string; value?: string | undefined }

/** Draws a list to choose from; an empty value stands for any. */
export function Choice({ name, label, value, of }: FieldOptions & { of: readonly string[] }) {
  return (
    <label>
      {label}{' '}
      <select name={name}>
        {of.map((each) => (
          <option value={each} selected={each === value}>
            {each || 'any'}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Field({ name, label, value, type = 'text' }: FieldOptions & { type?: string }) {
  return (
    <label>
      {label} <input name={name} type={type} value={value} autocomplete="off" />
    </label>
  )
}
