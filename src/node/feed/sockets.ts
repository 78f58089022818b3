export type Accepted =
  | { kind: 'accepted'; response: Response }
  /** The key was revoked a moment ago. */
  | { kind: 'unknown_key' }
  /** The key has as many connections as it may have. */
  | { kind: 'too_many' }

/** Takes WebSockets over once their key was found good. What the key may do is looked up again here. */
export type SocketKeeper = {
  readonly accept: (request: Request, keyHash: string, chainId: number) => Promise<Accepted>
}
