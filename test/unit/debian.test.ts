import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const debian = new URL('../../scripts/debian.mjs', import.meta.url).href

let bin: string
/** All that was said, the answer in the last line. */
let said: string

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'bin-'))
})

afterEach(() => rmSync(bin, { recursive: true, force: true }))

function addProgram(name: string, ...lines: string[]): void {
  const path = join(bin, name)
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
}

/** An apt-get that notes what it was told, and installs the program when it is told to. */
function addAptGet({ brings }: { brings: string | undefined }): () => string[] {
  const log = join(bin, 'apt.log')
  writeFileSync(log, '')
  addProgram(
    'apt-get',
    `echo "$*" >> ${log}`,
    ...(brings === undefined
      ? ['[ "$1" = --version ]']
      : [
          `[ "$1" = install ] && { echo '#!/bin/sh' > ${bin}/${brings}; /bin/chmod 755 ${bin}/${brings}; }`,
        ]),
    ...(brings === undefined ? [] : ['exit 0']),
  )
  return () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && line !== '--version')
}

/** Whether there is a redis-server in the end, on a machine that has nothing but these programs. */
function provide(isRoot: boolean): string {
  const program = `import { provideRedisServer } from '${debian}'
    process.stdout.write('\\n' + provideRedisServer({ isRoot: ${isRoot} }))`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { encoding: 'utf8', env: { PATH: bin } },
  )
  said = stdout
  return stderr + (stdout.split('\n').at(-1) ?? '')
}

describe('a machine without redis-server', () => {
  test('gets it from Debian where this is root', () => {
    const asked = addAptGet({ brings: 'redis-server' })
    expect(provide(true)).toBe('true')
    expect(asked()).toEqual(['update -qq', 'install -y -qq --no-install-recommends redis-server'])
    expect(said).toMatch(
      /^This machine lacks redis-server\. Installing it, as root: apt-get install/,
    )
  })

  test('is left as it is where this is not root', () => {
    const asked = addAptGet({ brings: 'redis-server' })
    expect(provide(false)).toBe('false')
    expect(asked()).toEqual([])
    expect(said).toBe('\nfalse')
  })

  test('does without it where Debian does not have it, or the system is not Debian', () => {
    expect(provide(true)).toBe('false')
    addAptGet({ brings: undefined })
    expect(provide(true)).toBe('false')
  })
})

test('a machine that has redis-server installs nothing', () => {
  const asked = addAptGet({ brings: 'redis-server' })
  addProgram('redis-server', 'exit 0')
  expect(provide(true)).toBe('true')
  expect(asked()).toEqual([])
})
