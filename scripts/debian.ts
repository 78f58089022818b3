import { spawnSync } from 'node:child_process'

/** Names by Debian's package the programs of which tests need one. */
export const programs = {
  'redis-server': ['redis-server'],
  // The shell has no window, and takes half of the CPU.
  'chromium-headless-shell': ['chromium-headless-shell', 'chromium', 'google-chrome'],
  prometheus: ['promtool'],
}

export type DebianPackage = keyof typeof programs

export const isThere = (name: DebianPackage): boolean => programs[name].some(runs)

/** Says that a program is missing, and what has it. */
export const missingWords = (name: DebianPackage): string =>
  `${name} is missing: what needs it is left out. Install it: apt-get install ${name}`

/** Tells whether there is such a program; root on a Debian gets the package where it is missing. */
export function provide(name: DebianPackage, { isRoot = process.getuid?.() === 0 } = {}): boolean {
  if (isThere(name)) return true
  if (isRoot && runs('apt-get')) install(name)
  return isThere(name)
}

export function runs(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function install(name: string): void {
  process.stdout.write(
    `This machine lacks ${name}. Installing it, as root: apt-get install ${name}\n`,
  )
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: 'ignore', env }).status === 0
  if (!apt('update', '-qq')) return
  apt('install', '-y', '-qq', '--no-install-recommends', name)
}
