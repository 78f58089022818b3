import * as z from 'zod/mini'
import { toPlainDigits } from '../../runtime/digits.ts'
import { hexAddress, phone, time } from './fields.ts'
import { payment } from './payments.ts'

const walletName = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9 -]{0,7}$/))
/** Parses any text that is short enough for an address: the action explains its mistakes. */
const addressText = z.string().check(z.maxLength(42))

const wallet = z.object({
  name: walletName,
  address: hexAddress,
  /** Tells from when it pays, if its address replaced another. */
  paysFrom: z.optional(time),
})

/** Maps each `POST /operator/<name>` about money sent outside the service to its schema. */
export const cashOutActions = {
  /** Adds a wallet to an account, removes it (no address), or lists all wallets (no name). */
  wallet: {
    request: z.object({ phone, name: z.optional(walletName), address: z.optional(addressText) }),
    answer: z.object({ account: hexAddress, wallets: z.array(wallet) }),
    expected: 'the body has to be {"phone": "+…", "name": "Savings", "address": "0x…"}',
  },
  'wallet-code': {
    request: z.object({ name: walletName, address: addressText }),
    answer: z.object({ code: z.string() }),
    expected: 'the body has to be {"name": "Savings", "address": "0x…"}',
  },
  'cash-out': {
    request: z.object({
      phone,
      to: addressText,
      /** Holds an amount in the chain's currency, or `all`. Digits may be of any script. */
      amount: z.pipe(z.string().check(z.maxLength(40)), z.transform(toPlainDigits)),
      /** Holds the idempotency key, `<Unix s>-<random>`; it expires after a day. */
      key: z.string().check(z.regex(/^[0-9]{10}-[A-Za-z0-9_-]{16,64}$/)),
    }),
    answer: z.object({ payment }),
    expected:
      'the body has to be {"phone": "+…", "to": "0x…", "amount": "0.5" or "all", "key": "…"}',
  },
}
