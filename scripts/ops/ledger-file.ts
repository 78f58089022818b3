import { createReadStream, createWriteStream, renameSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import { exportAnswer } from '../../src/operator/schemas/restore.ts'
import {
  type ExportEntry,
  type ExportHead,
  exportEntry,
  exportHead,
} from '../../src/relay/ledger/backup/export-format.ts'
import { parseJson } from '../../src/runtime/json.ts'
import { StackError } from '../stack/report.ts'
import { insist, type OperatorClient } from './operator-client.ts'

const exportEnd = z.strictObject({ entries: z.int() })

const sentEntries = 50
const sentLength = 256 * 1024

/** Writes all that a restore needs, for its owner's eyes, a line each. @throws {StackError} */
export async function writeExport(operator: OperatorClient, file: string) {
  const part = `${file}.part`
  // The head is none.
  let entries = -1
  async function* lines(): AsyncGenerator<string> {
    for await (const line of readPages(operator)) {
      entries += 1
      yield `${JSON.stringify(line)}\n`
    }
    yield `${JSON.stringify({ entries })}\n`
  }
  try {
    await pipeline(Readable.from(lines()), createWriteStream(part, { mode: 0o600 }))
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    if (error instanceof StackError) throw error
    throw new StackError(`${file} cannot be written: ${nameFault(error)}.`)
  }
  return { entries }
}

/** Reads the head of an export, and then each entry. */
async function* readPages(operator: OperatorClient): AsyncGenerator<ExportHead | ExportEntry> {
  for (let query: string | undefined = ''; query !== undefined; ) {
    const path: string = `/operator/export${query}`
    const { head, entries, next } = await insist('Nothing was written: run the same again.', () =>
      operator.ask(path, exportAnswer),
    )
    if (query === '') yield head
    yield* entries
    query = next === null ? undefined : `?part=${next.part}&from=${next.from}`
  }
}

/** Restores a whole file, or goes on with it. @throws {StackError} it is torn, or does not fit */
export async function restoreFile(operator: OperatorClient, file: string, how: { adds: boolean }) {
  const head = await checkFile(file)
  const { exportedAt } = head
  const remedy = 'Run the same again: it goes on with it.'
  await operator.act('restore/begin', { head, ...how }, remedy)
  const sum = { added: 0, kept: 0 }
  for await (const entries of readBatches(file)) {
    const sent = { exportedAt, entries }
    const { added, kept } = await operator.act('restore/entries', sent, remedy)
    sum.added += added
    sum.kept += kept
  }
  await operator.act('restore/end', { exportedAt })
  return { ...sum, exportedAt: new Date(exportedAt).toISOString() }
}

/** @throws {StackError} it is no export, or not a whole one */
async function checkFile(file: string): Promise<ExportHead> {
  let head: ExportHead | undefined
  let entries = 0
  for await (const line of readLines(file)) {
    if (head === undefined) {
      head = exportHead.safeParse(line).data
      if (head === undefined) throw new StackError(`${file} is no export of a ledger.`)
    } else if (exportEnd.safeParse(line).data?.entries === entries) return head
    else if (exportEntry.safeParse(line).success) entries += 1
    else break
  }
  throw new StackError(`${file} is torn after ${entries} entries. Nothing was changed.`)
}

/** Reads the entries of a whole file, so many of so many characters at a time. */
async function* readBatches(file: string): AsyncGenerator<unknown[]> {
  let batch: unknown[] = []
  let length = 0
  let isHead = true
  for await (const line of readLines(file)) {
    if (isHead || exportEnd.safeParse(line).success) {
      isHead = false
      continue
    }
    batch.push(line)
    length += JSON.stringify(line).length
    if (batch.length < sentEntries && length < sentLength) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

/** Reads each line as JSON; undefined if it is not JSON. */
async function* readLines(file: string): AsyncGenerator<unknown> {
  const input = createReadStream(file, 'utf8')
  try {
    for await (const line of createInterface({ input })) yield parseJson(line)
  } catch (error) {
    throw new StackError(`${file} cannot be read: ${nameFault(error)}.`)
  } finally {
    input.destroy()
  }
}

const nameFault = (error: unknown): string =>
  error instanceof Error && 'code' in error ? `${error.code}` : String(error)
