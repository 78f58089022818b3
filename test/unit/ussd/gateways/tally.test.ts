import { expect, test } from 'vitest'
import { createTally } from '../../../../src/ussd/gateways/tally.ts'

test("an unserved request to a gateway's path counts as a wrong secret, and each count is taken once", () => {
  const tally = createTally(['africas-talking', 'hubtel'])
  tally.add('hubtel', 'delivery')
  const paths = ['/wrong/ussd', '/ussd', '/wrong/ussd/hubtel', '/ussd/hubtel']
  for (const path of [...paths, '/ussd/nobody', '/wp-login.php', '/a/b/ussd']) {
    tally.addUnserved(path)
  }
  expect(tally.take()).toEqual({
    'hubtel/delivery': 1,
    'africas-talking/wrong_secret': 2,
    'hubtel/wrong_secret': 2,
  })
  expect(tally.take()).toBeUndefined()
})
