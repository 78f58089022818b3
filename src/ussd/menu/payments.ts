import type { PaymentKind } from '../../loan/kinds.ts'
import { cashOut } from './cash-out.ts'
import { loan } from './loan.ts'
import type { PaymentPart } from './node.ts'
import { purchase } from './purchase.ts'
import { repayment } from './repayment.ts'
import { transfer } from './transfer.ts'
import { withdrawal } from './withdrawal.ts'

export const payments: Readonly<Record<PaymentKind, PaymentPart>> = {
  transfer,
  loan,
  repayment,
  cashOut,
  withdrawal,
  purchase,
}
