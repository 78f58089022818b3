import { expect, test } from 'vitest'
import { createRequestCounters } from '../../../../src/ussd/gateways/request-counters.ts'

test("an unserved request to a gateway's path counts as a wrong secret, and each count is taken once", () => {
  const counters = createRequestCounters(['africas-talking', 'hubtel'])
  counters.add('hubtel', 'delivery')
  const paths = ['/wrong/ussd', '/ussd', '/wrong/ussd/hubtel', '/ussd/hubtel']
  for (const path of [...paths, '/ussd/nobody', '/wp-login.php', '/a/b/ussd']) {
    counters.addUnserved(path)
  }
  expect(counters.take()).toEqual({
    'hubtel/delivery': 1,
    'africas-talking/wrong_secret': 2,
    'hubtel/wrong_secret': 2,
  })
  expect(counters.take()).toBeUndefined()
})
