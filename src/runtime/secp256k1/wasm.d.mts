/** Instantiates libsecp256k1 with a memory of its own, and with these values from outside. */
export function instantiate(
  pages: number,
  values: Readonly<Record<string, number | (() => number)>>,
): {
  exports: Readonly<Record<string, (...values: number[]) => number>>
  memory: Uint8Array<ArrayBuffer>
}
