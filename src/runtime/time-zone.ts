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

/** Returns when the day of a time began in a time zone (Unix times in ms). */
export function findMidnight(at: number, timeZone: string): number {
  const toLocal = (time: number) =>
    Date.parse(`${writeLocalTime(time, timeZone).replace(' ', 'T')}Z`)
  const local = toLocal(at)
  const midnight = local - (local % dayMs)
  // Clocks may have changed since, or at midnight itself.
  const before = midnight - (local - (at - (at % 1_000))) - 1_000
  return midnight - (toLocal(before) - before)
}
