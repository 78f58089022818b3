import type { PaymentKind } from '../../loan/kinds.ts'
import { cashOut, withdrawal } from './entries/cash-out.ts'
import { loan } from './entries/loan.ts'
import { purchase } from './entries/purchase.ts'
import { deposit } from './entries/receive.ts'
import { repayment } from './entries/repayment.ts'
import { transfer } from './entries/transfer.ts'
import type { PaymentPart } from './node.ts'

export const payments: Readonly<Record<PaymentKind, PaymentPart>> = {
  transfer,
  loan,
  repayment,
  cashOut,
  withdrawal,
  purchase,
  deposit,
}
