import { type AnvilRig, type Rig, stranger } from '../../../scripts/dev/relays/rig.ts'

/** What a phone dials to pay the stranger. */
export const pay = (phone: string, amount = '0.25') => ({
  phone,
  sessionId: `pays ${amount}`,
  text: `2*${stranger}*${amount}`,
})

/** What the oracle finds wrong once everything is settled. */
export async function judged(rig: AnvilRig): Promise<string[]> {
  await rig.settle()
  return (await rig.judge()).faults
}

/** What the pool holds. */
export const waitingIn = ({ rootstock: { pool } }: Rig) => [...pool.pending(), ...pool.queued()]

export const loggedBy = ({ relay }: AnvilRig, event: string) =>
  relay.log.filter((line) => line.event === event)
