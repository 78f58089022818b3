import { method } from '../method.ts'
import { dataParam, hash } from '../values.ts'

/** Broadcasts a signed transaction; the answer is the hash of its bytes. */
export const ethSendRawTransaction = method({
  name: 'eth_sendRawTransaction',
  summary: 'Broadcasts a signed transaction and gives its hash',
  params: { transaction: dataParam },
  result: hash,
  effect: true,
  call: ({ transaction }, { send }) => send(transaction as `0x${string}`),
})
