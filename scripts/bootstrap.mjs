import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { constants as system } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The Node that the TypeScript files run on; npm's `node` package brings one. */
const neededMajor = 24

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')

/**
 * Installs what the lock file names and node_modules lacks, then runs a TypeScript file on Node 24:
 * `node scripts/bootstrap.mjs scripts/stack/start.ts --reset`. Every command of npm run begins
 * here. Plain JavaScript: on a fresh clone this runs first, on whatever Node the machine has (20 or
 * newer).
 * @param {string} script its path from the repository's root
 * @param {string[]} args
 */
async function run(script, args) {
  try {
    accessSync(root, constants.W_OK)
  } catch (error) {
    process.stderr.write(
      `This folder cannot be written to: copy it to a folder of yours and start there (${error}).\n`,
    )
    process.exit(1)
  }
  if (!isInstalled()) await install()
  process.env.PATH = `${bin}${delimiter}${process.env.PATH ?? ''}`
  const file = join(root, script)
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
    process.argv = [process.argv[0] ?? 'node', file, ...args]
    await import(pathToFileURL(file).href)
    return
  }
  process.exitCode = await runElsewhere(file, args)
}

/** Tells whether node_modules holds the lock file's versions, by npm's record of what it has. */
function isInstalled() {
  const wanted = packages(join(root, 'package-lock.json'))
  const present = packages(join(root, 'node_modules', '.package-lock.json'))
  if (wanted === undefined || present === undefined || !existsSync(join(bin, 'node'))) return false
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true
    const found = present[path]
    // Packages for other platforms are named by the lock file and never installed.
    return found === undefined ? optional || devOptional : found.version === version
  })
}

/** @typedef {{ version: string, optional?: boolean, devOptional?: boolean }} Package */
/** @param {string} file @returns {Record<string, Package> | undefined} */
function packages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

async function install() {
  const fresh = !existsSync(join(root, 'node_modules'))
  const which = fresh ? 'of package-lock.json (once, about a minute)' : 'that node_modules lacks'
  // What a command prints may go into a file or to another command.
  process.stderr.write(`Installing the packages ${which}\n`)
  // Not `npm ci`: it empties node_modules first, which other programs may be running from. Versions
  // are the lock file's here too, and it is not written.
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-progress']
  const child = spawn('npm', ['install', '--no-save', ...quiet], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  const [code, signal] = await once(child, 'exit').catch(({ message }) => [message])
  if (code === 0) return
  const end = signal ?? code
  process.stderr.write(`The packages could not be installed (npm install ended with ${end}).\n`)
  process.exit(1)
}

/**
 * Gives the exit code; a channel tells the child at once when this process dies.
 * @param {string} file @param {string[]} args @returns {Promise<number>}
 */
async function runElsewhere(file, args) {
  /** @type {import('node:child_process').SpawnOptions} */
  const options = { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }
  const child = spawn(join(bin, 'node'), [file, ...args], options)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal))
  }
  const [code, signal] = await once(child, 'exit')
  return code ?? 128 + (signal === null ? 0 : system.signals[signal])
}

const [script = '', ...args] = process.argv.slice(2)
await run(script, args)
