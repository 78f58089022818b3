const dayMs = 86_400_000

/** Keeps the format of each time zone: creating one costs more than a screen or a page. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Writes a time (Unix, in ms) as clocks in a time zone show it: `2026-01-01 22:42:00`. */
export function writeLocalTime(at: number, timeZone: string): string {
  const options = { dateStyle: 'short', timeStyle: 'medium', timeZone } as const
  // The Swedish form is that of ISO 8601.
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', options)
  formats.set(timeZone, format)
  return format.format(at)
}

/** Reads what clocks in a time zone show, in ms from 1970 there. */
const toLocal = (at: number, timeZone: string): number =>
  Date.parse(`${writeLocalTime(at, timeZone).replace(' ', 'T')}Z`)

/** Writes a date of 1000 or later, or a time on it, of a time zone in UTC; other text as it is. */
export function toUtc(text: string, timeZone: string): string {
  const [, date, time = '00:00'] =
    /^([1-9]\d{3}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/.exec(text) ?? []
  const local = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(local)) return text
  // Clocks may change between that time in UTC and there.
  const near = 2 * local - toLocal(local, timeZone)
  return new Date(local + near - toLocal(near, timeZone)).toISOString()
}

/** Returns when the day of a time began in a time zone (Unix times in ms). */
export function findMidnight(at: number, timeZone: string): number {
  const local = toLocal(at, timeZone)
  const midnight = local - (local % dayMs)
  // Clocks may have changed since, or at midnight itself.
  const before = midnight - (local - (at - (at % 1_000))) - 1_000
  return midnight - (toLocal(before, timeZone) - before)
}
