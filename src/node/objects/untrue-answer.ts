import { TransportError } from '../../chain/rpc.ts'

/**
 * A node's answer that proves itself wrong: it does not fit a hash. To its caller it is as good as
 * none; the node is not believed for a while. Nothing else is held against a node.
 */
export class UntrueAnswer extends TransportError {}
