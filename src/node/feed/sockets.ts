/** Takes WebSockets over once their key was found good. */
export type SocketKeeper = {
  /** @returns the response that switches protocols, or that the key has no place left */
  readonly accept: (
    request: Request,
    keyHash: string,
    chainId: number,
  ) => Promise<Response | 'too_many'>
}
