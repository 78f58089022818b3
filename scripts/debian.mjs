import { spawnSync } from 'node:child_process'

/** Whether there is a redis-server; root on a Debian gets one where it is missing. */
export function provideRedisServer({ isRoot = process.getuid?.() === 0 } = {}) {
  if (runs('redis-server')) return true
  if (isRoot && runs('apt-get')) installRedisServer()
  return runs('redis-server')
}

/** @param {string} program */
function runs(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function installRedisServer() {
  process.stdout.write(
    'This machine lacks redis-server. Installing it, as root: apt-get install redis-server\n',
  )
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  /** @param {string[]} args */
  const apt = (args) => spawnSync('apt-get', args, { stdio: 'ignore', env }).status === 0
  if (!apt(['update', '-qq'])) return
  apt(['install', '-y', '-qq', '--no-install-recommends', 'redis-server'])
}
