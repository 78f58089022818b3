import { TransportError } from '../../chain/rpc.ts'

/**
 * A node's answer that proves itself wrong: a hash, root or filter that it does not fit. To its
 * caller it is as good as none; the node is not believed for a while.
 */
export class UntrueAnswer extends TransportError {}
