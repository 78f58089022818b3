import { TransportError } from '../../chain/rpc.ts'

/** An answer that cannot be one to the question. It is no lie: nodes differ in what is unusual. */
export class MalformedAnswer extends TransportError {}

/** An answer that a hash proves wrong: its node is not believed for a while. */
export class UntrueAnswer extends TransportError {}
