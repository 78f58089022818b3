import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const files = globSync('.github/workflows/*.yml', { cwd: root }).sort()
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')

test.for(files)('%s pins actions by commit, and may only read', (file) => {
  const text = read(file)
  const used = [...text.matchAll(/uses: (\S+)/g)].map(([, name]) => name)
  expect(used).not.toEqual([])
  for (const name of used) expect(name).toMatch(/^(\.\/|[\w/-]+@[0-9a-f]{40}$)/)
  expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m)
})

test('a release writes only once the jobs of CI have passed, in one step of one job', () => {
  const text = read('.github/workflows/release.yml')
  const [before = '', publish = ''] = text.split(/^ {2}publish:\n/m)
  expect(before).toMatch(/^ {2}ci:\n {4}uses: \.\/\.github\/workflows\/ci\.yml$/m)
  expect(before).not.toMatch(/write|token/)
  expect(publish).toMatch(/^ {4}needs: ci$/m)
  expect(publish.match(/\w+: write/g)).toEqual(['contents: write'])
  expect(publish).toContain('persist-credentials: false')
  expect(publish.split('- ').filter((step) => step.includes('token }}'))).toHaveLength(1)
})
