import { TransportError } from '../../chain/rpc.ts'

/**
 * A node's answer that cannot be one to the question, though no hash proves it. To its caller it is as
 * good as none; it is no evidence of a lie, since nodes differ in what they answer to unusual questions.
 */
export class MalformedAnswer extends TransportError {}

/**
 * A node's answer that proves itself wrong: it does not fit a hash. To its caller it is as good as none;
 * the node is not believed for a while. Nothing else is held against a node.
 */
export class UntrueAnswer extends TransportError {}
