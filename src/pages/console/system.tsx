import { createCoinUnit } from '../../loan/amounts.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { describeNode } from '../../operator/status.ts'
import { Live } from '../parts.tsx'
import { Facts, Rows } from './answer.tsx'

/** Shows what those read who run the machines: each fact of the status by its own name. */
export function System({ status }: { status: StatusAnswer }) {
  const { head, callsToday, version, schema, chainId, health, guards, relayers, unit } = status
  const { pool, at: stateRead, ...contracts } = status.contracts
  const { at: amountsRead = null, ...amounts } = pool ?? {}
  const coin = createCoinUnit(status.currency)
  const gasUsed = status.blocks.map(({ fullness }) => `${Math.round((fullness ?? 0) * 100)} %`)
  return (
    <>
      <Nodes status={status} />
      <Live name="checks" title="What payments depend on">
        <Rows name="Checks" of={health.checks ?? []} columns={['name', 'state', 'says']} />
      </Live>
      <Live name="relayer" title="The key that pays for gas">
        {relayers.map((relayer) => (
          <Facts of={relayer} unit={coin} />
        ))}
      </Live>
      <Live name="contracts" title="The contracts, and the money to lend">
        <Facts of={{ ...contracts, stateRead, ...amounts, amountsRead }} unit={unit} />
      </Live>
      <Live name="chain" title="The chain, and this version">
        <Facts of={{ chainId, version, schema, head, gasUsed, callsToday }} />
      </Live>
      <Live name="counted" title="What happened, counted">
        <Rows name="Events" of={listCounts(status)} />
      </Live>
      <Live name="guards" title="What protects the money">
        <Rows name="Guards" of={guards} />
      </Live>
    </>
  )
}

function Nodes({ status }: { status: StatusAnswer }) {
  const isFailing = status.health.failing.includes('node')
  const nodes = status.nodes.map((node) => ({
    ...node,
    state:
      isFailing && node.state === 'able' ? 'able, but see the checks' : describeNode(node, status),
  }))
  return (
    <Live name="nodes" title="Nodes that are asked">
      <Rows name="Nodes" of={nodes} />
      <p class="soft">
        A node that fails or lags is suspended for a moment. A node whose answer was disproved by a
        block’s hash, its work or another node is distrusted, and asked last for a minute. If that
        goes on, name another one in NODE_URL.
      </p>
    </Live>
  )
}

function listCounts({ lately: { hour, today } }: StatusAnswer) {
  const names = [...new Set([hour, today].flatMap(({ counts }) => Object.keys(counts)))].sort()
  return names.map((event) => ({
    event,
    hour: hour.counts[event] ?? 0,
    today: today.counts[event] ?? 0,
  }))
}
