import * as z from 'zod/mini'
import { version } from '../../src/operator/version.ts'
import { StackError } from '../stack/report.ts'

const liveAnswer = z.object({ version: z.string() })

/** Asks a deployment for its version; undefined where it tells none, or does not answer. */
export async function readVersion(origin: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${origin}/livez`, { signal: AbortSignal.timeout(10_000) })
    return liveAnswer.safeParse(await response.json()).data?.version
  } catch {
    return undefined
  }
}

/** Tells whether these commands fit a deployment of that version: the first number is the same. */
export const isServedBy = (theirs: string): boolean => majorOf(theirs) === majorOf(version)

const majorOf = (version: string) => version.split('.')[0]

/** Checks a deployment's version, if it tells one. @throws {StackError} it needs other commands */
export async function checkVersion(origin: string): Promise<void> {
  const theirs = await readVersion(origin)
  if (theirs === undefined || isServedBy(theirs)) return
  throw new StackError(
    `${origin} is of version ${theirs}, these commands of ${version}: take those of its version.`,
  )
}
