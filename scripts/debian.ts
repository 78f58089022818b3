import { spawnSync } from 'node:child_process'

/** Tells whether there is a redis-server; root on a Debian gets one where it is missing. */
export function provideRedisServer({ isRoot = process.getuid?.() === 0 } = {}): boolean {
  if (runs('redis-server')) return true
  if (isRoot && runs('apt-get')) installRedisServer()
  return runs('redis-server')
}

function runs(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function installRedisServer(): void {
  process.stdout.write(
    'This machine lacks redis-server. Installing it, as root: apt-get install redis-server\n',
  )
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: 'ignore', env }).status === 0
  if (!apt('update', '-qq')) return
  apt('install', '-y', '-qq', '--no-install-recommends', 'redis-server')
}
