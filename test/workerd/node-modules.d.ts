// What the simulator's parts need of Node, which workerd has and the types of Workers do not tell.

declare module 'node:crypto' {
  export function hash(algorithm: 'sha256', data: string, encoding: 'hex'): string
}

declare module 'node:async_hooks' {
  export class AsyncLocalStorage<Store> {
    getStore(): Store | undefined
    run<Result>(store: Store, work: () => Result): Result
  }
}
