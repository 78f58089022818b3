import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { sourcesOf } from '../solidity.ts'

/** A compiler that stays loaded, in a thread of its own: a second contract takes it a third of the first. */
export type Compiler = {
  /**
   * The creation code of a contract of contracts/src, by the settings of foundry.toml; undefined where it does
   * not compile.
   *
   * @param replaced sources that are not as they are on the disk, by their paths
   */
  compile(name: string, optimizer: Optimizer, replaced: Replaced): Promise<string | undefined>
  close(): Promise<void>
}

export type Optimizer = 'optimized' | 'unoptimized'

export type Replaced = Readonly<Record<string, string>>

const settings = {
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}
const runs = 10_000

const output = z.object({
  errors: z.array(z.object({ severity: z.string() })).optional(),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
      ),
    )
    .optional(),
})

/** Path of the source of a contract that is deployed, from the repository's root. */
export function sourceFile(name: string): string {
  return `contracts/src/${name}.sol`
}

export function openCompiler(): Compiler {
  const worker = new Worker(new URL('compiler-thread.mjs', import.meta.url))

  async function ask(input: object): Promise<unknown> {
    worker.postMessage(JSON.stringify(input))
    // Rejects where the thread ends with an error.
    const [text] = await once(worker, 'message')
    return JSON.parse(text)
  }

  return {
    async compile(name, optimizer, replaced) {
      const file = sourceFile(name)
      const sources = Object.fromEntries(
        [...sourcesOf(file)].map(([path, content]) => [
          path,
          { content: replaced[path] ?? content },
        ]),
      )
      const optimized = { enabled: optimizer === 'optimized', runs }
      const outputSelection = { [file]: { [name]: ['evm.bytecode.object'] } }
      const { errors, contracts } = output.parse(
        await ask({
          language: 'Solidity',
          sources,
          settings: { ...settings, optimizer: optimized, outputSelection },
        }),
      )
      if (errors?.some(({ severity }) => severity === 'error')) return undefined
      const object = contracts?.[file]?.[name]?.evm.bytecode.object
      if (object === undefined) throw new Error(`the compiler made no code of ${name}`)
      return `0x${object}`
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
