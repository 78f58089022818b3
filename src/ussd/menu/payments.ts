import type { PaymentKind } from '../../loan/kinds.ts'
import { cashOut } from './entries/cash-out.ts'
import { deposit } from './entries/deposit.ts'
import { loan } from './entries/loan.ts'
import { purchase } from './entries/purchase.ts'
import { repayment } from './entries/repayment.ts'
import { transfer } from './entries/transfer.ts'
import { withdrawal } from './entries/withdrawal.ts'
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
