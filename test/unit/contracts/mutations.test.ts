import { test } from 'vitest'
import { mutationsOf } from '../../../scripts/contracts/mutation/mutations.ts'

const [forwarder, loan] = ['contracts/src/RelayForwarder.sol', 'contracts/src/MicroLoan.sol']
const marks = 'contracts/src/SpentMarks.sol'
const mutations = mutationsOf([forwarder, loan, marks])

test.for<[file: string, rule: string, mistake: RegExp]>([
  [forwarder, 'backdoor', /signer == request\.from \|\| signer == owner\(\)/],
  [forwarder, 'backdoor', /signer == request\.from \|\| isRelayer\[signer\]/],
  [forwarder, 'argument by zero', /gasNeeded\(uint32\(request\.gas\), 0\)/],
  [forwarder, 'order', /_call\(.*; SpentMarks\.put\(/],
  [marks, 'half a condition', /^if \(!live\) place = slot;$/],
  [marks, 'argument by zero', /^if \(_isLive\(0\)\) return 0;$/],
  [loan, 'order', /_send\(msg\.sender, amount, ""\); _writeSums\(/],
  [loan, 'order', /^_pay\(msg\.sender, msg\.sender, amount\); _take\(/],
  [loan, 'order', /takeOver.*; _writeSums\(/],
  [loan, 'guard missing', /^function defund\(uint256 amount\) external \{/],
  [loan, 'guard too many', /^function repayLoan\(uint256 amount\) external whenNotPaused \{/],
  [loan, 'arguments exchanged', /emit Transferred\(to, from, amount\)/],
])('in %s there is a mistake of the kind "%s"', ([file, rule, mistake], { expect }) => {
  const found = mutations.filter((each) => each.file === file && each.rule === rule)
  expect(found.filter(({ after }) => mistake.test(after))).toHaveLength(1)
})
