/** Computes the check digit of ISO/IEC 7812-1 (Luhn), which detects one wrong digit. */
export function computeCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, position) => {
    const value = Number(digit) * (position % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${(10 - (sum % 10)) % 10}`
}

const hasValidCheckDigit = (digits: string): boolean =>
  computeCheckDigit(digits.slice(0, -1)) === digits.at(-1)

export const isWalletCode = (typed: string): boolean =>
  /^[0-9]{8}$/.test(typed) && hasValidCheckDigit(typed)

export const isTillNumber = (typed: string): boolean =>
  /^[1-9][0-9]{4,5}$/.test(typed) && hasValidCheckDigit(typed)

/** Draws random digits of this length, the last of which is the check digit. */
export function drawDigits(length: number): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  const digits = `${random % 10 ** (length - 1)}`.padStart(length - 1, '0')
  return `${digits}${computeCheckDigit(digits)}`
}
