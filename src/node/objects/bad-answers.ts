import { TransportError } from '../../chain/rpc.ts'

/** Reports an answer of the wrong form. It need not be false: nodes differ in rare cases. */
export class MalformedAnswer extends TransportError {}

/** Reports an answer that a hash proves wrong; its node is distrusted for a while. */
export class UntrueAnswer extends TransportError {}
