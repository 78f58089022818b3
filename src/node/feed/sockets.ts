/** Takes WebSockets over once their key was found good. What the key may do is looked up again here. */
export type SocketKeeper = {
  /** Answers 101, 401 to a key that was revoked a moment ago, and 429 to one with all its connections. */
  readonly accept: (request: Request, keyHash: string, chainId: number) => Promise<Response>
}
