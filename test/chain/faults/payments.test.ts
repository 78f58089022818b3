import { paymentsUnderFaults } from '../../support/faults/payments.suite.ts'

paymentsUnderFaults({})
