import { expect, test } from 'vitest'
import { findMidnight, toUtc, writeLocalTime } from '../../../src/runtime/time-zone.ts'

const begin = (at: string, timeZone: string) =>
  new Date(findMidnight(Date.parse(at), timeZone)).toISOString().slice(0, 16)

test('a time is told as clocks of a time zone show it', () => {
  const at = Date.parse('2026-11-30T20:30:09Z')
  expect(writeLocalTime(at, 'UTC')).toBe('2026-11-30 20:30:09')
  expect(writeLocalTime(at, 'Asia/Kathmandu')).toBe('2026-12-01 02:15:09')
})

test('a time without a zone is read as clocks of a time zone show it', () => {
  const read = (text: string) => toUtc(text, 'Europe/Madrid')
  expect(read('2026-11-30')).toBe('2026-11-29T23:00:00.000Z')
  expect(read('2026-07-01 09:30')).toBe('2026-07-01T07:30:00.000Z')
  expect(read('2026-07-01T09:30:05')).toBe('2026-07-01T07:30:05.000Z')
  // The clock changes at 02:00.
  expect(read('2026-03-29 01:30')).toBe('2026-03-29T00:30:00.000Z')
  expect(read('2026-03-29 03:30')).toBe('2026-03-29T01:30:00.000Z')
  for (const other of ['2026-11-30T12:00:00Z', '1795370000000', '2026-13-01', '0226-01-31', ''])
    expect(read(other)).toBe(other)
})

test('a day begins at midnight of its time zone', () => {
  expect(begin('2026-11-30T23:59:59.999Z', 'UTC')).toBe('2026-11-30T00:00')
  expect(begin('2026-11-30T20:59:59.999Z', 'Africa/Nairobi')).toBe('2026-11-29T21:00')
  expect(begin('2026-11-30T21:00:00Z', 'Africa/Nairobi')).toBe('2026-11-30T21:00')
})

test('a day begins once where clocks change in it, or at its midnight', () => {
  // Madrid: 02:00 becomes 03:00, and 03:00 becomes 02:00.
  expect(begin('2026-03-29T12:00:00Z', 'Europe/Madrid')).toBe('2026-03-28T23:00')
  expect(begin('2026-10-25T12:00:00Z', 'Europe/Madrid')).toBe('2026-10-24T22:00')
  // Cairo: 00:00 becomes 01:00, and 24:00 becomes 23:00.
  expect(begin('2026-04-24T12:00:00Z', 'Africa/Cairo')).toBe('2026-04-23T22:00')
  expect(begin('2026-10-29T21:30:00Z', 'Africa/Cairo')).toBe('2026-10-28T21:00')
  expect(begin('2026-10-29T22:30:00Z', 'Africa/Cairo')).toBe('2026-10-29T22:00')
  // Havana: 01:00 becomes 00:00, which comes twice.
  expect(begin('2026-11-01T05:30:00Z', 'America/Havana')).toBe('2026-11-01T04:00')
})
