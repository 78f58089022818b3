import * as z from 'zod/mini'
import { tryTo } from './log.ts'

const nullableSchemas = new WeakMap<z.ZodMiniType, z.ZodMiniType>()

/** Returns a schema that also takes `null`, made once: to make one costs more than to parse. */
export function orNull<Schema extends z.ZodMiniType>(schema: Schema): z.ZodMiniNullable<Schema> {
  const nullable = nullableSchemas.get(schema) ?? z.nullable(schema)
  nullableSchemas.set(schema, nullable)
  return nullable as z.ZodMiniNullable<Schema>
}

/** Writes JSON, with amounts as their digits. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}` : field))

export const parseJson = (text: string): unknown => tryTo(() => JSON.parse(text))

/** Parses JSON; returns undefined also if an object in it has two members of the same name. */
export function parseUniqueJson(text: string): unknown {
  const value = parseJson(text)
  // What is nested too deeply cannot be written again.
  const written = tryTo(() => JSON.stringify(value))
  // `JSON.parse` keeps the last of two members, so the text then has more of them than the value.
  return written && countMembers(text) === countMembers(written) ? value : undefined
}

/** Counts the colons of a JSON text that stand in no string: each member has one. */
const countMembers = (text: string): number =>
  text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
