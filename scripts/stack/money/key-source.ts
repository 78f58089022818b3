import type { Hex } from 'viem'
import { askLine, flag, text } from '../command.ts'
import { readIfThere } from '../files.ts'
import { readDeployerKey } from '../options.ts'
import { StackError } from '../report.ts'

/** Names where a command's paying key is; on a command line it would stay in the history. */
export type KeySource = { keystore?: string | undefined; stdin?: boolean | undefined }

export const keyOptions = { keystore: text, stdin: flag }

export const keyUsage = `The key that pays is in a keystore (--keystore FILE, of version 3; its password is asked for, or in
KEYSTORE_PASSWORD), on the standard input (--stdin), or in DEPLOYER_KEY.`

/** Reads the key; undefined where none is named. @throws {StackError} it cannot be read */
export async function readKeyOf({ keystore, stdin = false }: KeySource, env: NodeJS.ProcessEnv) {
  if (keystore !== undefined) return readKeystore(keystore, env.KEYSTORE_PASSWORD)
  if (!stdin) return readDeployerKey(env.DEPLOYER_KEY)
  const typed = await askLine('The key that pays: ', { isHidden: true })
  const key = readDeployerKey(typed.trim())
  if (key === undefined) throw new StackError('There is no key on the standard input.')
  return key
}

async function readKeystore(file: string, known: string | undefined): Promise<Hex> {
  const stored = readIfThere(file)
  if (stored === undefined) throw new StackError(`There is no keystore ${file}.`)
  const password = known ?? (await askLine('Password of the keystore: ', { isHidden: true }))
  // Large, and few commands are given a keystore.
  const { decryptKeystoreJson } = await import('ethers')
  try {
    return (await decryptKeystoreJson(`${stored}`, password)).privateKey as Hex
  } catch {
    throw new StackError(`${file} is not a keystore, or its password is another one.`)
  }
}
