/** Why a connection is not opened: the key has been revoked since, or has as many as it may have. */
export type SocketRefusal = 'unknown_key' | 'too_many'

/** Takes WebSockets over once their key was found good. */
export type SocketKeeper = {
  /** Gives the response that switches protocols, or why it does not. */
  readonly accept: (
    request: Request,
    keyHash: string,
    chainId: number,
  ) => Promise<Response | SocketRefusal>
}
