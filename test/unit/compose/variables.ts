/** Holds the required configuration of a local chain. */
export const required = {
  NODE_URL: 'http://127.0.0.1:8545',
  LOAN_ADDRESS: '0x1111111111111111111111111111111111111111',
  FORWARDER_ADDRESS: '0x2222222222222222222222222222222222222222',
  RELAYER_MNEMONIC: 'test test test test test test test test test test test junk',
  ACCOUNT_ID_SECRET: `0x${'11'.repeat(32)}`,
  ACCOUNT_KEY_SECRET: `0x${'22'.repeat(32)}`,
} as const

/** Words that a relayer may have before a node that is not on this machine. */
export const otherWords = 'abandon '.repeat(11).concat('about')
