// Generated from contracts/src by `npm run generate`; not edited by hand.

/** Lists what is called and read of `contracts/src/RelayForwarder.sol`. */
export const relayForwarderAbi = [
  {"type":"constructor","inputs":[{"name":"initialOwner","type":"address"},{"name":"initialGuardian","type":"address"},{"name":"relayers","type":"address[]"},{"name":"target_","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"INTENT_LIFETIME","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"execute","inputs":[{"name":"batch","type":"bytes"}],"outputs":[{"name":"results","type":"tuple[]","components":[{"name":"status","type":"uint8"},{"name":"returnData","type":"bytes"}]}],"stateMutability":"nonpayable"},
  {"type":"function","name":"guardian","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"isRelayer","inputs":[{"name":"account","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"owner","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"pause","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"paused","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"setRelayer","inputs":[{"name":"relayer","type":"address"},{"name":"allowed","type":"bool"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"spentAt","inputs":[{"name":"signer","type":"address"},{"name":"intentId","type":"bytes22"}],"outputs":[{"name":"timestamp","type":"uint256"},{"name":"blockNumber","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"target","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"unpause","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"event","name":"Paused","inputs":[{"name":"account","type":"address","indexed":false}],"anonymous":false},
  {"type":"event","name":"RequestFailed","inputs":[{"name":"intentId","type":"bytes22","indexed":true},{"name":"from","type":"address","indexed":true},{"name":"returnData","type":"bytes","indexed":false}],"anonymous":false},
  {"type":"event","name":"RequestProcessed","inputs":[{"name":"intentId","type":"bytes22","indexed":true},{"name":"from","type":"address","indexed":true},{"name":"status","type":"uint8","indexed":false}],"anonymous":false},
  {"type":"error","name":"EnforcedPause","inputs":[]},
  {"type":"error","name":"NotPlainAccount","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotRelayer","inputs":[{"name":"caller","type":"address"}]},
] as const

/** The members of the enum `Status`, in their order. */
export const requestStatuses = [
  "executed",
  "failed",
  "expired",
  "deadline_too_far",
  "bad_signature",
  "already_spent",
  "skipped",
  "out_of_bounds",
] as const

/** What a caller signs (EIP-712): the domain, but for the chain and the contract, and the types. */
export const requestDomain = {"name":"RelayForwarder","version":"1"} as const
export const requestTypes = {"Request":[{"name":"from","type":"address"},{"name":"intentId","type":"bytes22"},{"name":"deadline","type":"uint40"},{"name":"gas","type":"uint32"},{"name":"data","type":"bytes"}]} as const

/** `INTENT_LIFETIME`: for so many seconds a spent intent id is refused. */
export const intentLifetimeSeconds = 604800
