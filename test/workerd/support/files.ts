/**
 * What pays by one relayer's key. Runtimes that hold one key would take each other's nonces, and
 * who takes the chain's blocks into his own hands takes them from all: so these are one file, on a
 * chain that is nobody else's.
 */
const paying = [
  ...['relay/walk', 'relay/bad-input', 'relay/stolen-callback', 'relay/settlement'],
  ...['relay/payments', 'faults/object', 'node/feed-object'],
]

const alone = 'faults/crash-points'

/** Lists the entry files, which import all others. */
const entries = ['objects', 'paying']

type File = [name: string, load: () => Promise<unknown>]

const files = new Map(
  Object.entries(import.meta.glob('../**/*.test.ts')).map(([path, load]): File => {
    return [path.replace('../', '').replace('.test.ts', ''), load]
  }),
)

export const payingFiles: File[] = paying.map((name) => [name, fileOf(name)])

const elsewhere = new Map([...payingFiles, [alone, fileOf(alone)]])

export const otherFiles: File[] = [...files].filter(
  ([name]) => !elsewhere.has(name) && !entries.includes(name),
)

function fileOf(name: string): File[1] {
  const load = files.get(name)
  if (load === undefined) throw new Error(`there is no ${name}`)
  return load
}
