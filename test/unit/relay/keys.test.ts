import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'

const mnemonic = 'test test test test test test test test test test test junk'

test("a relayer's key is the one of wallets on its chain's path", () => {
  const paths = [
    [30, 0, "m/44'/137'/0'/0/0"],
    [31, 0, "m/44'/37310'/0'/0/0"],
    [31, 7, "m/44'/37310'/0'/0/7"],
  ] as const
  for (const phrase of [mnemonic, `${'zoo '.repeat(11)}wrong`, `${'abandon '.repeat(11)}about`])
    for (const [chainId, index, path] of paths) {
      const wallet = mnemonicToAccount(phrase, { path: path as `m/44'/60'/${string}` })
      expect(deriveRelayerAccount(phrase, chainId, index).publicKey).toBe(wallet.publicKey)
    }
})

test.each(['', 'test', mnemonic.replace('junk', 'test'), mnemonic.replace('junk', 'jumk')])(
  'a phrase that is not one of BIP-39 (%s) leads to no key',
  (phrase) => {
    expect(() => deriveRelayerAccount(phrase, 31, 0)).toThrow('no phrase of BIP-39')
  },
)
