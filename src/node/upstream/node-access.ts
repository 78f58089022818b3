import type { Hex } from 'viem'
import type { UpstreamNode } from './node.ts'

/** What the work of one request may ask of the nodes. */
export type NodeAccess = {
  /** Whether the client has stopped waiting for the answer. */
  readonly ended: () => boolean
  /** Runs the work against one node; against another if that one fails or answers nonsense. */
  readonly ask: <T>(
    work: (node: UpstreamNode) => Promise<T>,
    among?: (name: string) => boolean,
  ) => Promise<T>
  /** Runs the work against two nodes, where there are two. */
  readonly askTwo: <T>(
    work: (node: UpstreamNode) => Promise<T>,
  ) => Promise<{ name: string; value: T }[]>
  /** Hands a signed transaction with this hash to every node. */
  readonly send: (raw: Hex, hash: Hex) => Promise<void>
  readonly head: () => Promise<number>
  /** The most recent block that was seen, without asking. */
  readonly knownHead: () => number | undefined
  /** Notes a latest block; refuses one that is older than what was shown before. */
  readonly sawHead: (node: UpstreamNode, number: number) => void
  readonly distrust: (name: string, why: string) => void
  /** Makes something once that can never change; `null` is not kept. */
  readonly once: (key: string, make: () => Promise<string | null>) => Promise<string | null>
}
