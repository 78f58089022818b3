import { openRedis, type RedisAddress } from '../../../src/runtime/redis.ts'

/** Opens a database whose answers are waited for as long as a busy machine needs. */
export const openPatientRedis = (address: RedisAddress) => openRedis(address, 60_000)
