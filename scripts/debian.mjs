import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const list = new URL('../.ci/debian-packages', import.meta.url)

/** Installs the Debian packages of `.ci/debian-packages` that this machine lacks. Needs root. */
export function installDebianPackages() {
  const missing = wanted().filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  const fault = install(missing)
  if (fault === undefined) return
  process.stderr.write(fault)
  process.exit(1)
}

/** Whether there is a redis-server; root on a Debian gets one where it is missing. */
export function provideRedisServer({ isRoot = process.getuid?.() === 0 } = {}) {
  if (runs('redis-server')) return true
  if (isRoot && runs('apt-get')) install(['redis-server'])
  return runs('redis-server')
}

/** One name a line; `#` starts a comment. */
function wanted() {
  return readFileSync(list, 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
}

/** @param {string} name */
function isInstalled(name) {
  const { stdout } = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' })
  return /^Status: install ok installed$/m.test(stdout ?? '')
}

/** @param {string} program */
function runs(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

/**
 * @param {string[]} packages
 * @returns {string | undefined} what went wrong
 */
function install(packages) {
  process.stdout.write(
    `This machine lacks ${packages.join(', ')}. Installing it, as root: apt-get install ${packages.join(' ')}\n`,
  )
  return (
    apt(['update', '-qq']) ?? apt(['install', '-y', '-qq', '--no-install-recommends', ...packages])
  )
}

/**
 * @param {string[]} args
 * @returns {string | undefined} what went wrong
 */
function apt(args) {
  const { status, error, stdout, stderr } = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status === 0) return undefined
  return `${stdout ?? ''}${stderr ?? ''}apt-get ${args[0]} ${error?.message ?? `ended with ${status}`}\n`
}
