import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const list = new URL('../.ci/debian-packages', import.meta.url)

/** Installs the Debian packages of `.ci/debian-packages` that this machine lacks. Needs root. */
export function installDebianPackages() {
  const missing = wanted().filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  process.stdout.write(`Installing Debian packages: ${missing.join(', ')}\n`)
  apt(['update', '-qq'])
  apt(['install', '-y', '-qq', '--no-install-recommends', ...missing])
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

/** @param {string[]} args */
function apt(args) {
  const { status, error, stdout, stderr } = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  process.stderr.write(`apt-get ${args[0]} ${error?.message ?? `ended with ${status}`}\n`)
  process.exit(1)
}
