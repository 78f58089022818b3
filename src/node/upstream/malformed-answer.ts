import { TransportError } from '../../chain/rpc.ts'

/**
 * A node's answer without the shape that the question asks for. To its caller it is as good as none;
 * it is no evidence of a lie, since nodes differ in what they answer to unusual questions.
 */
export class MalformedAnswer extends TransportError {}
