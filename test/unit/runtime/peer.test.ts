import { expect, test } from 'vitest'
import { isInNetworks, parseNetwork } from '../../../src/runtime/peer.ts'

const listed = (...texts: string[]) => texts.flatMap((text) => parseNetwork(text) ?? [])

test.for([
  ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207'], ['192.0.2.8', '::192.0.2.7']],
  ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255'], ['192.0.3.0', '192.0.1.255', '2001:db8::1']],
  ['10.9.9.9/8', ['10.0.0.0', '10.255.255.255'], ['11.0.0.0', '9.255.255.255']],
  ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['2001:db8::1', '::1']],
  ['2001:db8::/32', ['2001:db8::', '2001:DB8:ffff::1'], ['2001:db9::', '192.0.2.7']],
  ['2001:db8::1', ['2001:db8:0:0:0:0:0:1', '2001:0db8::0001'], ['2001:db8::2']],
  ['::/0', ['::', '192.0.2.7', '2001:db8::1'], []],
] as const)('%s contains its addresses in every notation, and no others', ([text, has, lacks]) => {
  const networks = listed(text)
  expect(networks).toHaveLength(1)
  for (const address of has) expect(isInNetworks(networks, address), address).toBe(true)
  for (const address of lacks) expect(isInNetworks(networks, address), address).toBe(false)
})

test('a text that is no address is in no network', () => {
  const wrong = ` x 1.2.3 1.2.3.4.5 256.1.1.1 01.2.3.4 1.2.3.4/ 1.2.3.4/33 1.2.3.4/x 1.2.3.4/8/8
    : ::: 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 12345:: g:: ::1/129 1:2:3:4:5:6:7::8
    ::ffff:1.2.3 fe80::1%eth0 [::1] localhost -1.0.0.0`.split(/\s+/)
  expect(listed(...wrong)).toEqual([])
  for (const address of [...wrong, undefined])
    expect(isInNetworks(listed('0.0.0.0/0', '::/0'), address), address).toBe(false)
})
