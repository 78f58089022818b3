// Generated from contracts/src by `npm run generate`; not edited by hand.

/** The ABI of `contracts/src/RelayForwarder.sol`. */
export const relayForwarderAbi = [
  {"type":"constructor","inputs":[{"name":"initialOwner","type":"address"},{"name":"initialGuardian","type":"address"},{"name":"relayers","type":"address[]"},{"name":"target_","type":"address"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"INTENT_LIFETIME","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"MAX_DATA_LENGTH","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"MAX_DEADLINE_AHEAD","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"MAX_GAS","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"MAX_RETURN_LENGTH","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"acceptOwnership","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"eip712Domain","inputs":[],"outputs":[{"name":"fields","type":"bytes1"},{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"},{"name":"salt","type":"bytes32"},{"name":"extensions","type":"uint256[]"}],"stateMutability":"view"},
  {"type":"function","name":"execute","inputs":[{"name":"batch","type":"bytes"}],"outputs":[{"name":"results","type":"tuple[]","components":[{"name":"status","type":"uint8"},{"name":"returnData","type":"bytes"}]}],"stateMutability":"nonpayable"},
  {"type":"function","name":"gasNeeded","inputs":[{"name":"requestGas","type":"uint32"},{"name":"following","type":"uint32"}],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"pure"},
  {"type":"function","name":"guardian","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"isRelayer","inputs":[{"name":"account","type":"address"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"owner","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"pause","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"paused","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"pendingOwner","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"renounceOwnership","inputs":[],"outputs":[],"stateMutability":"pure"},
  {"type":"function","name":"setGuardian","inputs":[{"name":"newGuardian","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"setRelayer","inputs":[{"name":"relayer","type":"address"},{"name":"allowed","type":"bool"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"spentAt","inputs":[{"name":"signer","type":"address"},{"name":"intentId","type":"bytes22"}],"outputs":[{"name":"timestamp","type":"uint256"},{"name":"blockNumber","type":"uint256"}],"stateMutability":"view"},
  {"type":"function","name":"target","inputs":[],"outputs":[{"name":"","type":"address"}],"stateMutability":"view"},
  {"type":"function","name":"transferOwnership","inputs":[{"name":"newOwner","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"unpause","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"event","name":"EIP712DomainChanged","inputs":[],"anonymous":false},
  {"type":"event","name":"GuardianSet","inputs":[{"name":"previous","type":"address","indexed":true},{"name":"current","type":"address","indexed":true}],"anonymous":false},
  {"type":"event","name":"OwnershipTransferStarted","inputs":[{"name":"previousOwner","type":"address","indexed":true},{"name":"newOwner","type":"address","indexed":true}],"anonymous":false},
  {"type":"event","name":"OwnershipTransferred","inputs":[{"name":"previousOwner","type":"address","indexed":true},{"name":"newOwner","type":"address","indexed":true}],"anonymous":false},
  {"type":"event","name":"Paused","inputs":[{"name":"account","type":"address","indexed":false}],"anonymous":false},
  {"type":"event","name":"RelayerSet","inputs":[{"name":"relayer","type":"address","indexed":true},{"name":"allowed","type":"bool","indexed":false}],"anonymous":false},
  {"type":"event","name":"RequestFailed","inputs":[{"name":"intentId","type":"bytes22","indexed":true},{"name":"from","type":"address","indexed":true},{"name":"returnData","type":"bytes","indexed":false}],"anonymous":false},
  {"type":"event","name":"RequestProcessed","inputs":[{"name":"intentId","type":"bytes22","indexed":true},{"name":"from","type":"address","indexed":true},{"name":"status","type":"uint8","indexed":false}],"anonymous":false},
  {"type":"event","name":"Unpaused","inputs":[{"name":"account","type":"address","indexed":false}],"anonymous":false},
  {"type":"error","name":"EnforcedPause","inputs":[]},
  {"type":"error","name":"ExpectedPause","inputs":[]},
  {"type":"error","name":"InvalidShortString","inputs":[]},
  {"type":"error","name":"InvalidTarget","inputs":[{"name":"target","type":"address"}]},
  {"type":"error","name":"MalformedBatch","inputs":[]},
  {"type":"error","name":"NotPlainAccount","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"NotRelayer","inputs":[{"name":"caller","type":"address"}]},
  {"type":"error","name":"OwnableInvalidOwner","inputs":[{"name":"owner","type":"address"}]},
  {"type":"error","name":"OwnableUnauthorizedAccount","inputs":[{"name":"account","type":"address"}]},
  {"type":"error","name":"OwnershipNotRenounceable","inputs":[]},
  {"type":"error","name":"StringTooLong","inputs":[{"name":"str","type":"string"}]},
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
