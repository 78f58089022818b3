import { z } from 'zod'
import { addressParam, dataParam, quantityParam } from './values.ts'

/**
 * What `eth_call` and `eth_estimateGas` simulate. `to` is required: this service does not simulate
 * deployments. Members it does not name travel on as they are.
 */
export const callParam = z.looseObject(
  {
    from: addressParam.optional(),
    to: addressParam,
    gas: quantityParam.optional(),
    gasPrice: quantityParam.optional(),
    value: quantityParam.optional(),
    data: dataParam.optional(),
    input: dataParam.optional(),
  },
  { error: 'must be a call object' },
)

/** A simulation, parsed. */
export type Call = z.output<typeof callParam>
