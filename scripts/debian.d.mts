/** @returns whether there is a redis-server now */
export function provideRedisServer(options?: { isRoot?: boolean }): boolean
