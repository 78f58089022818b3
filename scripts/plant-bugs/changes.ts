import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Broken, runCampaign } from '../dev/simulator/runs/campaign.ts'
import { limitCpu, runCommand } from '../run-command.ts'
import { root } from '../stack/folder.ts'

export const jobs = Math.min(2, availableParallelism())

/** The tests of a change take 5 s of CPU: what takes far more does not end. */
const testCpuSeconds = 60

/** Texts in the place of files of the relay, by their paths from the repository's root. */
export type Changes = Readonly<Record<string, string>>

/** The environment of a process in which the relay has these texts. */
const changedBy = (changes: Changes): Record<string, string> => ({
  NODE_OPTIONS: `--import ${new URL('changed-modules.ts', import.meta.url).href}`,
  CHANGED_MODULES: JSON.stringify(changes),
})

/** A change of a file, by the lines that stand there once and those that come in their place. */
export type Patch = { file: string; find: string[]; replace: string[] }

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Returns a source with a patch, however its place is formatted. @throws {Error} not there once */
export function patched(source: string, { file, find, replace }: Patch): string {
  const words = find.join(' ').trim().split(/\s+/)
  const places = [...source.matchAll(new RegExp(words.map(escaped).join('\\s+'), 'g'))]
  const [place] = places
  if (place === undefined || places.length > 1) {
    throw new Error(`${file} has ${places.length} times: ${find.join('\n')}`)
  }
  const { index, 0: text } = place
  return source.slice(0, index) + replace.join('\n') + source.slice(index + text.length)
}

/** A mistake that other relayers made, the changes that make it here, and what finds it. */
export type Bug = { name: string; patches: readonly Patch[] } & Finder

/** The seed of a history that found it, or the play that does: a test of this file. */
type Finder = { seed?: number; play?: Play }

export type Play = { file: string; test: string }

/** The relay's files with the mistake in them. @throws {Error} it does not fit the source */
export function plant({ patches }: Bug): Changes {
  const texts: Record<string, string> = {}
  for (const patch of patches) {
    const { file } = patch
    texts[file] = patched(texts[file] ?? readFileSync(join(root, file), 'utf8'), patch)
  }
  return texts
}

export const bugs: readonly Bug[] = sectionsOf('bugs.md').map(({ heading, lines }) => {
  const patches: Patch[] = []
  const [first = '', ...rest] = lines
  for (const line of rest) {
    const text = line.slice('- '.length)
    if (line.startsWith('- ')) patches.at(-1)?.find.push(text)
    else if (line.startsWith('+ ')) patches.at(-1)?.replace.push(text)
    else patches.push({ file: `src/${line}`, find: [], replace: [] })
  }
  return { name: heading, ...readFinder(first), patches }
})

/** Reads `seed 44`, or `play test/unit/a.test.ts the test's name`. */
function readFinder(line: string): Finder {
  const [, file, test] = /^play (\S+) (.+)$/.exec(line) ?? []
  if (file !== undefined && test !== undefined) return { play: { file, test } }
  return { seed: Number(line.slice('seed '.length)) }
}

/** Runs histories with these changes, and returns the first that breaks a promise. */
export async function findBroken(
  changes: Changes,
  histories: { from: number; count: number; jobs: number; cpuSeconds?: number },
): Promise<Broken | undefined> {
  const options = { ...histories, environment: changedBy(changes), stopsAtFirst: true }
  return (await runCampaign(options)).broken[0]
}

/** Runs tests of one kind with these changes, maybe of one name alone; tells whether any fails. */
export async function failsTests(
  tests: readonly string[],
  changes: Changes,
  name?: string,
): Promise<boolean> {
  // One process: it loads what they share once.
  const project = tests[0]?.split('/')[1] ?? 'unit'
  const options = ['--run', '--project', project, '--bail', '1', '--maxWorkers', '1']
  const named = name === undefined ? [] : ['-t', escaped(name)]
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', ...options, ...named]
  const command = limitCpu(testCpuSeconds, [...vitest, ...tests])
  const { code } = await runCommand(command, { ...changedBy(changes), SEED: '1' })
  return code !== 0
}

/** Describes a small change: its file and named part, the line before, and the change in words. */
export type Place = { file: string; within: string; was: string; words: string }

/** Lists the changes of `equivalent.md` that break no promise, and why nothing notices them. */
export const equivalent: readonly (Place & { why: string })[] = sectionsOf('equivalent.md').flatMap(
  ({ heading: why, lines }) =>
    lines.map((line) => {
      const [, path, within = '', words = '', was = ''] =
        /^(\S+) (\S+), ([^:]+): (.+)$/.exec(line) ?? []
      return { file: `src/relay/${path}`, within, words, was, why }
    }),
)

/** The headings of a list beside this file, and the lines below each. */
function sectionsOf(name: string): { heading: string; lines: string[] }[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n').filter(Boolean)
      return { heading, lines }
    })
}
