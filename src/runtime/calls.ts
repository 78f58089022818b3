import { type Abi, encodeFunctionData, getAbiItem, type Hex, toFunctionSelector } from 'viem'

type Prepared = { abi: Abi; functionName: Hex }

/** Creates a function that encodes calls. It hashes a signature once: viem does for each call. */
export function createCallEncoder(abi: Abi): (name: string, ...args: readonly unknown[]) => Hex {
  const preparedByName = new Map<string, Prepared>()

  function prepare(name: string): Prepared {
    const item = getAbiItem({ abi, name })
    if (item?.type !== 'function') throw new Error(`the contract has no function ${name}`)
    const prepared = { abi: [item], functionName: toFunctionSelector(item) }
    preparedByName.set(name, prepared)
    return prepared
  }

  return (name, ...args) =>
    encodeFunctionData({ ...(preparedByName.get(name) ?? prepare(name)), args })
}
