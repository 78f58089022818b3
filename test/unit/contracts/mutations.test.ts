import { expect, test } from 'vitest'
import { mutationsOf } from '../../../scripts/contracts/mutation/mutations.ts'

const [forwarder, loan] = ['contracts/src/RelayForwarder.sol', 'contracts/src/MicroLoan.sol']
const mutations = mutationsOf([forwarder, loan])

test.for<[file: string, rule: string, mistake: RegExp]>([
  [forwarder, 'backdoor', /signer == request\.from \|\| signer == owner\(\)/],
  [forwarder, 'backdoor', /signer == request\.from \|\| isRelayer\[signer\]/],
  [forwarder, 'argument by zero', /gasNeeded\(uint32\(request\.gas\), 0\)/],
  [forwarder, 'order', /_call\(.*; SpentMarks\.put\(/],
  [loan, 'order', /_send\(msg\.sender, amount, ""\); _writeSums\(/],
  [loan, 'order', /^_pay\(msg\.sender, msg\.sender, amount\); _take\(/],
  [loan, 'order', /takeOver.*; _writeSums\(/],
  [loan, 'guard missing', /^function defund\(uint256 amount\) external \{/],
  [loan, 'guard too many', /^function repayLoan\(uint256 amount\) external whenNotPaused \{/],
  [loan, 'arguments exchanged', /emit Transferred\(to, from, amount\)/],
])('in %s there is a mistake of the kind "%s"', ([file, rule, mistake]) => {
  const found = mutations.filter((each) => each.file === file && each.rule === rule)
  expect(found.filter(({ after }) => mistake.test(after))).toHaveLength(1)
})
